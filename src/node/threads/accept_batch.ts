import { present } from '../../base/assert.ts';
import type { ProvedTransaction } from '../../blocks/transaction.ts';
import type { Chain } from '../../chain/chain.ts';
import { decodeProvedBatch, type ProvedItem } from './proved_batch.ts';
import type { SentCheck, SentRefusal } from './messages.ts';
import { sentFailure, sentRefusal, type Verdict } from './verdicts.ts';

/** The outcome of a batch: a verdict for each of its transactions, in the same order. */
export interface BatchOutcome {
  readonly items: readonly ProvedItem[];
  readonly verdicts: readonly Verdict[];
}

/** Passes the transactions of an encoded batch to the chain. Each gets its own verdict; a refused one changes nothing. */
export function acceptBatch(chain: Pick<Chain, 'prefetch' | 'accept'>, batch: Uint8Array): BatchOutcome {
  const items = decodeProvedBatch(batch);
  chain.prefetch(items.map(({ proved }) => proved));
  return { items, verdicts: items.map((item) => accept(chain, item)) };
}

/** The transactions that are now pending. */
export function acceptedOf(items: readonly ProvedItem[], verdicts: readonly Verdict[]): ProvedTransaction[] {
  return items.flatMap(({ proved }, index) => (verdicts[index]?.refusal === undefined ? [proved] : []));
}

/** What the only transaction of an encoded batch would do, or the unexpected error that ended the check and nothing else. */
export function checkBatch(chain: Pick<Chain, 'check'>, batch: Uint8Array): { readonly value?: SentCheck; readonly failure?: SentRefusal } {
  const { proved } = present(decodeProvedBatch(batch)[0], 'the only one');
  try {
    const { refusal, refusalWhenSigned, ...check } = chain.check(proved);
    const sent = [refusal, refusalWhenSigned].map((one) => one && sentRefusal(one));
    return { value: { ...check, refusal: sent[0], refusalWhenSigned: sent[1] } };
  } catch (error) {
    // The chain has undone all changes.
    return { failure: sentFailure(error) };
  }
}

function accept(chain: Pick<Chain, 'accept'>, { ticket, proved }: ProvedItem): Verdict {
  const { id } = proved;
  try {
    const { expiration } = proved.transaction;
    chain.accept(proved);
    return { ticket, id, expiration, refusal: undefined };
  } catch (error) {
    // The chain has undone all changes.
    return { ticket, id, expiration: 0, refusal: sentFailure(error) };
  }
}
