import type { TransactionOutcome } from '../../p2p/environment/chain_access.ts';

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
  readonly ids: string;
}

const OUTCOMES = ['accepted', 'known', 'refused', 'forged'] as const satisfies readonly TransactionOutcome['outcome'][];
const OUTCOME_BITS = 3;
const WRONG_HINT = 4;
const ID_DIGITS = 40;

export function sentVerdicts(verdicts: readonly TransactionVerdict[]): SentVerdicts {
  const bits = Uint8Array.from(
    verdicts,
    ({ outcome, isHintRight }) => OUTCOMES.indexOf(outcome) | (isHintRight ? 0 : WRONG_HINT),
  );
  return { bits, ids: verdicts.map(({ id, outcome }) => (outcome === 'accepted' ? id : '')).join('') };
}

/**
 * The outcomes of transactions that claim to have these ids: who says a wrong length of the unsigned form has not got
 * one from an honest node.
 */
export function readOutcomes({ bits, ids }: SentVerdicts, claimed: readonly string[]): TransactionOutcome[] {
  let at = 0;
  return Array.from(bits, (some, index) => {
    const outcome = OUTCOMES[some & OUTCOME_BITS] ?? 'refused';
    const isHintRight = (some & WRONG_HINT) === 0;
    if (outcome !== 'accepted') return { outcome, isHintRight };
    const isClaimed = ids.startsWith(claimed[index] ?? '-', at);
    at += ID_DIGITS;
    return { outcome: isClaimed ? outcome : 'forged', isHintRight };
  });
}
