import { present } from '../base/assert.ts';

// The outcomes of a peer's bundle, from verifier and writer to the network: a byte for each transaction.

/** The byte of each outcome. No honest node relays what is `forged`. */
export const OUTCOME = { accepted: 0, known: 1, refused: 2, forged: 3 } as const;
/** Set in the byte of one that came with a key that has not signed it. */
export const WRONG_HINT = 4;

interface BundleOutcome {
  readonly outcome: keyof typeof OUTCOME;
  readonly isHintRight: boolean;
}

/** In the order of their bytes. */
const NAMES = ['accepted', 'known', 'refused', 'forged'] as const;
/** Shared: there is one for each transaction of peers. */
const OUTCOMES: readonly BundleOutcome[] = [true, false].flatMap((isHintRight) =>
  NAMES.map((outcome) => Object.freeze({ outcome, isHintRight })),
);

/** The outcomes of `count` transactions; one without a byte has found no room. */
export function readOutcomes(bytes: Uint8Array, count: number): BundleOutcome[] {
  const outcomes: BundleOutcome[] = [];
  for (let index = 0; index < count; index++)
    outcomes.push(present(OUTCOMES[bytes[index] ?? OUTCOME.refused], 'an outcome'));
  return outcomes;
}
