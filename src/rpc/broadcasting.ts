import { assert } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import { transactionSizeRefusals } from '../blocks/transaction_size.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import { signDigest } from './private_key.ts';
import type { BroadcastOutcome, Call } from './services.ts';
import { digestOf } from './transactions.ts';

/** What a node refuses about a broadcast before the chain has seen it. */
export const refuseBroadcast = refusals({
  head_too_old: 'the head block is {ageSeconds} seconds old, more than max_block_age',
  already_waited_for: 'Transaction is a duplicate',
  memo_is_owner_key: {
    text: 'Detected private owner key in memo field. You should change your owner keys.',
    lineageCode: 4_100_000,
  },
  memo_is_active_key: {
    text: 'Detected private active key in memo field. You should change your active keys.',
    lineageCode: 4_100_000,
  },
  memo_is_memo_key: { text: 'Detected private memo key in memo field. You should change your memo key.', lineageCode: 4_100_000 },
  too_many_broadcasts: 'this node has as many broadcasts to verify as it can hold; try again',
  too_many_waiting: 'this node has as many broadcasts waiting for a block as it can hold; try again',
});

const { head_too_old, already_waited_for, too_many_broadcasts, too_many_waiting } = refuseBroadcast.texts;
/** What every broadcast may be refused for. */
const always = { ...transactionSizeRefusals, too_many_broadcasts, too_many_waiting };
/** What one that doesn't wait for its block may be refused for, and one that waits and says how old the head may be. */
export const broadcastRefusals = { ...always, head_too_old };
export const synchronousRefusals = { ...always, already_waited_for, head_too_old };
/** What one that waits and takes any head may be refused for. */
export const waitingRefusals = { ...always, already_waited_for };

/** What a node refuses about a block before the chain has seen it. */
export const refuseBlock = refusals({
  block_too_big: 'Block size is bigger than {coin}_MAX_BLOCK_SIZE',
  block_in_future: 'the block is {seconds} seconds ahead of this node, more than 5',
});

/** What stands for the place of a transaction that is in no block. */
const NOWHERE = 0xffff_ffff;

/** A transaction and what became of it. The original has no member for an expired one but this number. */
export function processed({ transaction, transactionId, blockNumber, transactionNumber, expired }: BroadcastOutcome): Json {
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
  const tx = signedTransaction.toJson({ ...transaction, signatures: [...transaction.signatures, signature] }, notation);
  const params = Buffer.from(writeJson(notation.dialect === 'legacy' ? [tx] : { tx }), 'utf8');
  return processed(await broadcast({ method: 'alexandria_api.broadcast_transaction', params, notation, source: 0 }));
}
