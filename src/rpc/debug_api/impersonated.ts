import { refusals, Refusal } from '../../base/refusal.ts';
import { packTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import { getBlockId } from '../../state/block_ids.ts';
import { lastIrreversible } from '../../state/last_irreversible.ts';
import { blockReference } from '../../values/block_reference.ts';
import type { BroadcastOutcome, Call } from '../services.ts';

const refuse = refusals({
  no_impersonator:
    'nobody acts for others here: the genesis of the chain names no `impersonator`, or one whose key this node has not; `pharos dev --fresh` makes a chain with one',
});

/** Refusals of sending in place of others, besides those of the transaction. */
export const impersonatorRefusals = refuse.texts;

/** The number of equal transactions that may be sent in a row on top of one block. */
const MOST_ALIKE = 1000;

/** On top of a block that no fork takes back; of the genesis, where none is irreversible. */
export function unlessReverted({ rows }: Call, transaction: SignedTransaction): SignedTransaction {
  return { ...transaction, ...blockReference(getBlockId(rows, lastIrreversible(rows))) };
}

/**
 * Sends a transaction that the impersonator signs for everybody, with the latest expiration with which it was not sent
 * before. `method` asks for it.
 */
export async function sendImpersonated(
  { development: { impersonate }, intake, encoding }: Call,
  transaction: SignedTransaction,
  { method, waitFor }: { readonly method: string; readonly waitFor: 'accepted' | 'block' },
): Promise<BroadcastOutcome> {
  if (impersonate === undefined) return refuse.no_impersonator();
  for (let earlier = 0; ; earlier++) {
    try {
      const signed = impersonate({ ...transaction, expiration: transaction.expiration - earlier });
      const { packed } = packTransaction(signed);
      return await intake.broadcast({ method, packed, waitFor, encoding, senderId: 0 });
    } catch (error) {
      const isKnown = error instanceof Refusal && error.code === 'duplicate_transaction';
      if (!isKnown || earlier >= MOST_ALIKE) throw error;
    }
  }
}
