import { assert, present } from '../../base/assert.ts';
import { signTransaction } from '../../blocks/sign_transaction.ts';
import { packTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import type { Json } from '../../codec/json.ts';
import { readJsonText } from '../../codec/json_reader.ts';
import { speaksLineage, type Notation } from '../../codec/notation.ts';
import { refuseBroadcast } from '../broadcast_refusals.ts';
import type { BroadcastOutcome, Call } from '../services.ts';

/** Stands for the place of a transaction that is not in a block. */
const NOWHERE = 0xffff_ffff;

/** A transaction and its block. One that expired while it waited is refused; the lineage instead returned a number that is not a place. */
export function processed(outcome: BroadcastOutcome, notation: Notation): Json {
  const { transaction, transactionId, blockNumber, transactionNumber, expired } = outcome;
  if (expired && !speaksLineage(notation)) refuseBroadcast.transaction_expired({ id: transactionId });
  const json = readJsonText(transaction);
  assert(typeof json === 'object' && json !== null && !Array.isArray(json), 'a transaction is written as an object');
  return { ...json, transaction_id: transactionId, block_num: blockNumber, transaction_num: expired ? NOWHERE : transactionNumber };
}

/** Signs a transaction for a method, sends it as `alexandria_api.broadcast_transaction` does, and waits for its block. */
export async function sendSigned(
  { parameters, notation, broadcast }: Call,
  transaction: SignedTransaction,
  { secret, method }: { readonly secret: Uint8Array; readonly method: string },
): Promise<Json> {
  const signed = present(signTransaction(parameters.chainId, transaction, [secret]), 'a signature of a secret that was tried before');
  const { packed } = packTransaction(signed);
  return processed(await broadcast({ method, packed, waitFor: 'block', notation, senderId: 0 }), notation);
}
