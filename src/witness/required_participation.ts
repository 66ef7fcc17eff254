/**
 * Returns the default participation, in hundredths of a percent. With 67 % two parts of a network can't both go on;
 * where a round of blocks makes a block final, whoever made them, 67 once let both sides of 8 000 splits be final, and
 * 75 never.
 */
export function usualParticipation(isFinalByRound: boolean): number {
  return isFinalByRound ? 7500 : 6700;
}

/** Below this, in hundredths of a percent, both parts of a network are final soon where a round of blocks is. */
export const SAFE_PARTICIPATION = 6000;
