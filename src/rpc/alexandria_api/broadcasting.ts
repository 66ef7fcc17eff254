import { assert, present } from '../../base/assert.ts';
import { signTransaction } from '../../blocks/sign_transaction.ts';
import { packTransaction, signedTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import type { Json } from '../../codec/json.ts';
import { readJsonText } from '../../codec/json_reader.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { refuseBroadcast } from '../broadcast_refusals.ts';
import type { BroadcastOutcome, Call } from '../services.ts';
import type { WaitFor } from '../wait_for.ts';

/** Stands for the place of a transaction that is not in a block. */
const NOWHERE = 0xffff_ffff;

/**
 * A transaction and its block. One that expired while it waited is refused; the lineage instead returned a number that
 * is not a place.
 */
export function processed(outcome: BroadcastOutcome, encoding: EncodingOptions): Json {
  const { transaction, transactionId, blockNumber, transactionNumber, expired } = outcome;
  if (expired && !speaksLineage(encoding)) refuseBroadcast.transaction_expired({ id: transactionId });
  const json = readJsonText(transaction);
  assert(typeof json === 'object' && json !== null && !Array.isArray(json), 'a transaction is written as an object');
  return {
    ...json,
    transaction_id: transactionId,
    block_num: blockNumber,
    transaction_num: transactionNumber < 0 ? NOWHERE : transactionNumber,
  };
}

/**
 * Signs a transaction for a method, sends it as `alexandria_api.broadcast_transaction` does, and waits as that does.
 */
export async function sendSigned(
  { parameters, encoding, intake }: Call,
  transaction: SignedTransaction,
  { secret, method, waitFor }: { readonly secret: Uint8Array; readonly method: string; readonly waitFor: WaitFor },
): Promise<Json> {
  const signed = present(
    signTransaction(parameters.chainId, transaction, [secret]),
    'a signature of a secret that was tried before',
  );
  const { packed } = packTransaction(signed);
  const outcome = await intake.broadcast({ method, packed, waitFor, encoding, senderId: 0 });
  // Where nothing is waited for, the node does not hand back what was sent.
  const shown =
    outcome.transaction === '' ? writeJson(signedTransaction.toJson(signed, encoding)) : outcome.transaction;
  return processed({ ...outcome, transaction: shown }, encoding);
}
