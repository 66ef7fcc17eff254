import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import type { Codec } from '../codec/codec.ts';
import { Refusal } from '../base/refusal.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import { operationCodec } from '../operations/index.ts';
import { inputEncoding, outputEncoding } from './wallet.ts';

/** Members added to a transaction that is shown after processing; a file may contain them too. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['transaction_id', 'block_num', 'transaction_num']);

/** A transaction as users exchange it: signed or not, with or without the members added by processing. */
export const transactionInput: Codec<SignedTransaction> = {
  ...signedTransaction,
  fromJson(json, encoding) {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return signedTransaction.fromJson(json, encoding);
    const plain = Object.fromEntries(Object.entries(json).filter(([name]) => !ANNOTATIONS.has(name)));
    return signedTransaction.fromJson(plain, encoding);
  },
  describe: (encoding) => ({ ...signedTransaction.describe(encoding), description: 'a transaction' }),
};

/** The place of a transaction in the chain, as the node gives it. */
export interface PlaceInChain {
  readonly block_num: Json;
  readonly transaction_num: Json;
}

/** The lineage's responses give this place for a transaction that is in no block. */
const NOWHERE: PlaceInChain = { block_num: 0, transaction_num: 0 };

/**
 * A transaction as the wallet shows it: id and place only for one that was sent, so that no other looks as if it was.
 */
export function shownTransaction(
  transaction: SignedTransaction,
  symbols: ChainSymbols,
  place?: Partial<PlaceInChain>,
): Json {
  const json = signedTransaction.toJson(transaction, outputEncoding(symbols));
  const members = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  if (place === undefined && symbols.answersLineage !== true) return members;
  return { ...members, transaction_id: transactionId(transaction), ...(place ?? NOWHERE) };
}

/** An operation of a node's response in the wallet's form; one that this program doesn't know is left unchanged. */
export function shownOperation(json: Json, symbols: ChainSymbols): Json {
  try {
    return operationCodec.toJson(operationCodec.fromJson(json, inputEncoding(symbols)), outputEncoding(symbols));
  } catch (error) {
    if (error instanceof Refusal) return json;
    throw error;
  }
}

/** An object with one of its members changed, if it has it. */
export function withMember(json: Json, name: string, change: (value: Json) => Json): Json {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const value = json[name];
  return value === undefined ? json : { ...json, [name]: change(value) };
}

/** A transaction of a node's response with its operations in the wallet's form. */
export function shownOperations(transaction: Json, symbols: ChainSymbols): Json {
  return withMember(transaction, 'operations', (list) =>
    Array.isArray(list) ? list.map((each) => shownOperation(each, symbols)) : list,
  );
}
