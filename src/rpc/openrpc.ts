import { signedBlock } from '../blocks/block.ts';
import { signedTransaction } from '../blocks/transaction.ts';
import { asJson, type Json, type JsonObject } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { SchemasByName } from '../jsonrpc/envelope/named_schemas.ts';
import { describeRefusal, openRpcDocument, openRpcTexts, type DocumentParts } from '../jsonrpc/envelope/openrpc.ts';
import { operationCodec, operationKinds } from '../operations/index.ts';
import type { OperationKind } from '../operations/operation.ts';
import { blockRecord, givenBlock } from '../queries/blocks.ts';
import { historyEntry } from '../queries/history_entry.ts';
import { accountRecord } from '../queries/records/account.ts';
import { applicationRecord } from '../queries/records/application.ts';
import { documentRecord } from '../queries/records/document.ts';
import { witnessRecord } from '../queries/records/witness.ts';
import { asset } from '../values/asset.ts';
import { authority } from '../values/authority.ts';
import { versionText } from '../values/version.ts';
import type { Method, Methods } from './method.ts';
import { givenTransaction } from './transactions.ts';
import { processedTransaction } from '../queries/transactions.ts';

/** Shapes that many results share, each described once in the document under its name. */
const shown: SchemasByName = {
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
  ...bodies('Body'),
};

/** The same for params: every form that is read. */
const given: SchemasByName = {
  GivenAsset: asset,
  GivenAuthority: authority,
  GivenBlock: givenBlock,
  GivenOperation: operationCodec,
  GivenTransaction: givenTransaction,
  GivenTransactionOfBlock: signedTransaction,
  ...bodies('GivenBody'),
};

/** The bodies of the operations, each under the name of its kind. */
function bodies(suffix: string): SchemasByName {
  return Object.fromEntries(Object.values(operationKinds).map((kind) => [`${capitalized(kind.name)}${suffix}`, kind]));
}

/** `account_create` as `AccountCreate`. */
function capitalized(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The document that describes every method of a node. What concerns operations only, such as the refusals of a
 * transaction, is under `x-operations`.
 */
export function openRpc(methods: Methods, encoding: EncodingOptions, title: string, version: string): Json {
  return openRpcDocument(methods, documentParts(encoding, title, version));
}

/** Its text, a method at a time. */
export function openRpcPieces(
  methods: Methods,
  encoding: EncodingOptions,
  title: string,
  version: string,
): Iterable<string> {
  return openRpcTexts(methods, documentParts(encoding, title, version));
}

function documentParts(encoding: EncodingOptions, title: string, version: string): DocumentParts<Method> {
  return {
    title,
    version,
    encoding,
    schemas: { shown, given },
    extensionsOf: ({ refusesForOperations }) => (refusesForOperations ? { 'x-refuses-for-operations': true } : {}),
    extensions: (shorten) => ({
      'x-operations': Object.values(operationKinds).map((kind) => describeOperation(kind, encoding, shorten)),
    }),
  };
}

function describeOperation(
  kind: OperationKind,
  encoding: EncodingOptions,
  shorten: (schema: Json) => Json,
): JsonObject {
  return {
    name: kind.name,
    description: kind.doc,
    schema: shorten(asJson(kind.describe(encoding))),
    errors: Object.entries(kind.refuses).map(([name, text]) => describeRefusal(name, text)),
    ...(kind.isVirtual ? { 'x-virtual': true } : {}),
    ...(kind.since === undefined
      ? {}
      : { 'x-since': { hardfork: kind.since.id, version: versionText(kind.since.version) } }),
  };
}
