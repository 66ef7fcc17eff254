import type { State } from './state.ts';

export const INTEREST_BLOCKS = 2400;

/** Returns the blocks until an account's next interest, counted from the head (10.2). */
export function turnsUntilInterest(state: State, accountId: number): bigint {
  const turns =
    ((accountId % INTEREST_BLOCKS) - (state.globals.number % INTEREST_BLOCKS) + INTEREST_BLOCKS) % INTEREST_BLOCKS;
  return BigInt(turns === 0 && state.rules.turnsAreNeverZero ? INTEREST_BLOCKS : turns);
}
