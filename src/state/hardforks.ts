import type { RowReader } from '../storage/rows.ts';
import { hardforkProperty } from './tables/hardfork_property.ts';

/**
 * The hardforks by number. `interestVotes` (version 1.1.0): interest moves votes, seeds of names are short, signatures are
 * checked by another bound. `bandwidth` (1.2.0): operations without a fee are limited.
 */
export const hardforks = { interestVotes: 1, bandwidth: 2 } as const;

/** Whether the hardfork of that number was applied. */
export function hasHardfork(rows: RowReader, number: number): boolean {
  // The first entry is genesis.
  return rows.only(hardforkProperty).processed_hardforks.length > number;
}
