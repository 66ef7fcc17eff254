import { signedBlock } from '../blocks/block.ts';
import { signedTransaction } from '../blocks/transaction.ts';
import type { Codec } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { Notation } from '../codec/notation.ts';
import { operationCodec } from '../operations/index.ts';
import { accountRecord } from '../state/records/account.ts';
import { applicationRecord } from '../state/records/application.ts';
import { documentRecord } from '../state/records/document.ts';
import { witnessRecord } from '../state/records/witness.ts';
import { asset } from '../values/asset.ts';
import { authority } from '../values/authority.ts';
import { blockRecord } from './blocks.ts';
import { historyEntry } from './history_entry.ts';
import { processedTransaction } from './transactions.ts';

/** Shapes that many methods have in common, each described once in the document under its name. */
const named: Readonly<Record<string, Pick<Codec<never>, 'describe'>>> = {
  Account: accountRecord,
  Application: applicationRecord,
  Asset: asset,
  Authority: authority,
  Block: blockRecord,
  Document: documentRecord,
  HistoryEntry: historyEntry,
  Operation: operationCodec,
  ProcessedTransaction: processedTransaction,
  SignedBlock: signedBlock,
  SignedTransaction: signedTransaction,
  Witness: witnessRecord,
};

/** Replaces named shapes inside of descriptions by references. */
export class NamedSchemas {
  readonly #names: ReadonlyMap<string, string>;
  readonly #notation: Notation;

  constructor(notation: Notation) {
    this.#notation = notation;
    this.#names = new Map(Object.entries(named).map(([name, codec]) => [writeJson(codec.describe(notation)), name]));
  }

  /** All named shapes, with references to each other. */
  get all(): { [name: string]: Json } {
    return Object.fromEntries(
      Object.entries(named).map(([name, codec]) => [name, this.#within(readJsonText(writeJson(codec.describe(this.#notation))))]),
    );
  }

  /** A description with references in it. */
  shorten(schema: Json): Json {
    const name = typeof schema === 'object' && schema !== null ? this.#names.get(writeJson(schema)) : undefined;
    return name === undefined ? this.#within(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #within(schema: Json): Json {
    if (Array.isArray(schema)) return schema.map((item) => this.shorten(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    return Object.fromEntries(Object.entries(schema).map(([member, value]) => [member, this.shorten(value)]));
  }
}
