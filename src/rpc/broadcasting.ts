import { assert } from '../base/assert.ts';
import { inOrder } from '../blocks/signature_form.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { speaksAsOriginal, type Notation } from '../codec/notation.ts';
import { writeJson } from '../codec/json_writer.ts';
import { refuseBroadcast } from './broadcast_refusals.ts';
import { signDigest } from './private_key.ts';
import type { BroadcastOutcome, Call } from './services.ts';
import { digestOf } from './transactions.ts';

/** What stands for the place of a transaction that is in no block. */
const NOWHERE = 0xffff_ffff;

/** A transaction and its block. One that has expired while it waited is refused; the original says so by a number that is no place. */
export function processed(outcome: BroadcastOutcome, notation: Notation): Json {
  const { transaction, transactionId, blockNumber, transactionNumber, expired } = outcome;
  if (expired && !speaksAsOriginal(notation)) refuseBroadcast.transaction_expired({ id: transactionId });
  const json = readJsonText(transaction);
  assert(typeof json === 'object' && json !== null && !Array.isArray(json), 'a transaction is written as an object');
  return { ...json, transaction_id: transactionId, block_num: blockNumber, transaction_num: expired ? NOWHERE : transactionNumber };
}

/** Signs a transaction, sends it as `alexandria_api.broadcast_transaction` does, and waits for its block. */
export async function sendSigned(
  { parameters, notation, broadcast }: Call,
  transaction: SignedTransaction,
  secret: Uint8Array,
): Promise<Json> {
  const signature = signDigest(digestOf(parameters, transaction), secret);
  const tx = signedTransaction.toJson({ ...transaction, signatures: inOrder([...transaction.signatures, signature]) }, notation);
  const params = Buffer.from(writeJson(notation.dialect === 'legacy' ? [tx] : { tx }), 'utf8');
  return processed(await broadcast({ method: 'alexandria_api.broadcast_transaction', params, notation, source: 0 }), notation);
}
