import { present } from '../../../base/assert.ts';
import type { VerifiedTransaction } from '../../../blocks/transaction.ts';
import type { Chain } from '../../../chain/chain.ts';
import type { Seconds } from '../../../values/time.ts';
import { decodeVerifiedBatch, verifiedOf, type VerifiedBroadcast } from '../../../blocks/verified_batch.ts';
import type { CheckOutcome } from '../messages.ts';
import { sentFailure, sentRefusal } from '../../../system/sent_refusal.ts';
import type { Verdict } from '../../../verifiers/verdicts.ts';

/** The outcome of a batch: a verdict for each of its transactions, in the same order. */
export interface BatchOutcome {
  readonly items: readonly VerifiedBroadcast[];
  readonly verdicts: readonly Verdict[];
}

/**
 * Passes the transactions of an encoded batch to the chain. Each gets its own verdict; a refused one changes nothing.
 * No block to come is of an earlier time than `earliestBlock`.
 */
export function acceptBatch(
  chain: Pick<Chain, 'prefetch' | 'accept' | 'isPending'>,
  batch: Uint8Array,
  earliestBlock: Seconds = 0,
): BatchOutcome {
  const items = decodeVerifiedBatch(batch);
  chain.prefetch(items.map(verifiedOf));
  const verdicts: Verdict[] = [];
  for (const item of items) verdicts.push(accept(chain, item, earliestBlock));
  return { items, verdicts };
}

/** The transactions that are now pending. */
export function acceptedTransactions(
  items: readonly VerifiedBroadcast[],
  verdicts: readonly Verdict[],
): VerifiedTransaction[] {
  const accepted: VerifiedTransaction[] = [];
  for (let index = 0; index < items.length; index++) {
    const { verified } = present(items[index], 'an item');
    if (verdicts[index]?.refusal === undefined) accepted.push(verified);
  }
  return accepted;
}

/**
 * Finds the effects of the only transaction of an encoded batch, or the unexpected error that ended the check and
 * nothing else.
 */
export function checkBatch(chain: Pick<Chain, 'check'>, batch: Uint8Array, earliestBlock: Seconds = 0): CheckOutcome {
  const { verified } = present(decodeVerifiedBatch(batch)[0], 'the only one');
  try {
    const { refusal, refusalWhenSigned, ...check } = chain.check(verified, earliestBlock);
    const sent = [refusal, refusalWhenSigned].map((one) => one && sentRefusal(one));
    return { value: { ...check, refusal: sent[0], refusalWhenSigned: sent[1] } };
  } catch (error) {
    // The chain has undone all changes.
    return { failure: sentFailure(error) };
  }
}

function accept(
  chain: Pick<Chain, 'accept' | 'isPending'>,
  { ticket, verified, mayWaitInVain, isBundled }: VerifiedBroadcast,
  earliestBlock: Seconds,
): Verdict {
  const { id } = verified;
  try {
    const { expiration } = verified.transaction;
    chain.accept(verified, mayWaitInVain, earliestBlock);
    return { ticket, id, expiration, refusal: undefined, isBundled };
  } catch (error) {
    // The chain has undone all changes.
    const refusal = sentFailure(error);
    const isPending = refusal.code === 'duplicate_transaction' && chain.isPending(id);
    const expiration = isPending ? verified.transaction.expiration : 0;
    return { ticket, id, expiration, refusal, isPending, isBundled };
  }
}
