import type { TransactionOutcome } from '../../p2p/environment/chain_access.ts';
import { isSameId, packIds } from '../../p2p/transactions/id_table.ts';
import { ID_BYTES } from '../../values/hash.ts';

/** The outcome of a transaction, and its id where the chain has accepted it. */
export interface TransactionVerdict extends TransactionOutcome {
  readonly id: string;
}

/**
 * The verdicts on a bundle on their way between threads: a byte each, and the ids one behind the other. Objects would
 * cost more than a thread's turn.
 */
export interface SentVerdicts {
  readonly bits: Uint8Array<ArrayBuffer>;
  readonly ids: Uint8Array<ArrayBuffer>;
}

const OUTCOMES = ['accepted', 'known', 'refused', 'forged'] as const satisfies readonly TransactionOutcome['outcome'][];
const OUTCOME_BITS = 3;
const WRONG_HINT = 4;

export function sentVerdicts(verdicts: readonly TransactionVerdict[]): SentVerdicts {
  const bits = Uint8Array.from(
    verdicts,
    ({ outcome, isHintRight }) => OUTCOMES.indexOf(outcome) | (isHintRight ? 0 : WRONG_HINT),
  );
  return { bits, ids: packIds(verdicts.flatMap(({ id, outcome }) => (outcome === 'accepted' ? [{ id }] : []))) };
}

/**
 * The outcomes of transactions that claim to have these ids: who says a wrong length of the unsigned form has not got
 * one from an honest node.
 */
export function readOutcomes({ bits, ids }: SentVerdicts, claimed: Uint8Array): TransactionOutcome[] {
  const outcomes: TransactionOutcome[] = [];
  let at = 0;
  for (const [index, some] of bits.entries()) {
    const outcome = OUTCOMES[some & OUTCOME_BITS] ?? 'refused';
    const isAccepted = outcome === 'accepted';
    const isClaimed = !isAccepted || isSameId(ids, at, claimed, index * ID_BYTES);
    if (isAccepted) at += ID_BYTES;
    outcomes.push({ outcome: isClaimed ? outcome : 'forged', isHintRight: (some & WRONG_HINT) === 0 });
  }
  return outcomes;
}
