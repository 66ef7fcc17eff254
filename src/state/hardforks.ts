import type { RowReader } from '../storage/rows.ts';
import { hardforkProperty } from './tables/hardfork_property.ts';

/**
 * The hardforks by number. `interestVotes` (version 1.1.0): interest changes votes, name seeds are limited in length, and
 * signatures are checked against another bound. `bandwidth` (1.2.0): operations without a fee are limited.
 */
export const hardforks = { interestVotes: 1, bandwidth: 2 } as const;

/** Whether the hardfork with that number has been applied. */
export function hasHardfork(rows: RowReader, number: number): boolean {
  // The first entry is genesis.
  return rows.only(hardforkProperty).processed_hardforks.length > number;
}
