import { signedBlock } from '../blocks/block.ts';
import { signedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import type { SchemasByName } from '../jsonrpc/named_schemas.ts';
import { asJson, describeRefusal, openRpcDocument, openRpcTexts, type DocumentParts, type JsonObject } from '../jsonrpc/openrpc.ts';
import { operationCodec, operationKinds } from '../operations/index.ts';
import type { OperationKind } from '../operations/operation.ts';
import { blockRecord } from '../queries/blocks.ts';
import { historyEntry } from '../queries/history_entry.ts';
import { accountRecord } from '../queries/records/account.ts';
import { applicationRecord } from '../queries/records/application.ts';
import { documentRecord } from '../queries/records/document.ts';
import { witnessRecord } from '../queries/records/witness.ts';
import { asset } from '../values/asset.ts';
import { authority } from '../values/authority.ts';
import type { Method, Methods } from './method.ts';
import { processedTransaction } from '../queries/transactions.ts';

/** Shapes that many methods share, each described once in the document under its name. */
const schemas: SchemasByName = {
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

/**
 * The document that describes every method of a node. What concerns operations only, such as the refusals of a transaction, is under
 * `x-operations`.
 */
export function openRpc(methods: Methods, notation: Notation, title: string, version: string): Json {
  return openRpcDocument(methods, partsOf(notation, title, version));
}

/** Its text, a method at a time. */
export function openRpcPieces(methods: Methods, notation: Notation, title: string, version: string): Iterable<string> {
  return openRpcTexts(methods, partsOf(notation, title, version));
}

function partsOf(notation: Notation, title: string, version: string): DocumentParts<Method> {
  return {
    title,
    version,
    notation,
    schemas,
    extensionsOf: ({ refusesForOperations }) => (refusesForOperations ? { 'x-refuses-for-operations': true } : {}),
    extensions: (shorten) => ({ 'x-operations': Object.values(operationKinds).map((kind) => describeOperation(kind, notation, shorten)) }),
  };
}

function describeOperation(kind: OperationKind, notation: Notation, shorten: (schema: Json) => Json): JsonObject {
  return {
    name: kind.name,
    description: kind.doc,
    schema: shorten(asJson(kind.describe(notation))),
    errors: Object.entries(kind.refuses).map(([name, text]) => describeRefusal(name, text)),
    ...(kind.isVirtual ? { 'x-virtual': true } : {}),
  };
}
