import type { ProvedTransaction } from '../../blocks/transaction.ts';
import type { Chain } from '../../chain/chain.ts';
import { decodeProvedBatch, type ProvedItem } from './proved_batch.ts';
import { sentFailure, type Verdict } from './verdicts.ts';

/** What became of a batch. */
export interface AcceptedBatch {
  /** One for each of its transactions, in their order. */
  readonly verdicts: readonly Verdict[];
  /** Those that are pending now. */
  readonly accepted: readonly ProvedTransaction[];
}

/** Hands the transactions of an encoded batch to the chain. Each gets its own verdict; a refused one has left no trace. */
export function acceptBatch(chain: Pick<Chain, 'prefetch' | 'accept'>, batch: Uint8Array): AcceptedBatch {
  const items = decodeProvedBatch(batch);
  chain.prefetch(items.map(({ proved }) => proved));
  const verdicts = items.map((item) => accept(chain, item));
  const accepted = items.flatMap(({ proved }, index) => (verdicts[index]?.refusal === undefined ? [proved] : []));
  return { verdicts, accepted };
}

function accept(chain: Pick<Chain, 'accept'>, { ticket, proved }: ProvedItem): Verdict {
  const { id } = proved;
  try {
    const { expiration } = proved.transaction;
    chain.accept(proved);
    return { ticket, id, expiration, refusal: undefined };
  } catch (error) {
    // The chain has taken back whatever it did.
    return { ticket, id, expiration: 0, refusal: sentFailure(error) };
  }
}
