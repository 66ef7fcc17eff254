import type { VerifiedBlock } from '../blocks/block.ts';
import { IRREVERSIBLE_THRESHOLD, ONE_HUNDRED_PERCENT } from '../state/parameters.ts';
import type { AccountName } from '../values/account_name.ts';

type SignedHeader = Pick<VerifiedBlock, 'header' | 'signer'>;

export interface Confirming {
  /** The number of scheduled witnesses. */
  readonly witnesses: number;
  /** The number of blocks in a round of the largest size. */
  readonly round: number;
  /** True if a scheduled witness has signed the block with its own key. */
  readonly isByItsWitness: (block: SignedHeader) => boolean;
}

/**
 * Counts the first blocks of a row that have a whole round behind them, signed by as many scheduled witnesses as make a
 * block irreversible (chain_rules.md#irreversible-blocks). Both ways of counting must agree.
 */
export function confirmedPrefix(
  blocks: readonly SignedHeader[],
  { witnesses, round, isByItsWitness }: Confirming,
): number {
  const hundred = Number(ONE_HUNDRED_PERCENT);
  const needed = witnesses - Math.trunc(((hundred - IRREVERSIBLE_THRESHOLD) * witnesses) / hundred);
  const signed = new Set<AccountName>();
  let behind = 0;
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at];
    if (block === undefined || !isByItsWitness(block)) continue;
    behind++;
    signed.add(block.header.witness);
    if (behind > round && signed.size >= needed) return at;
  }
  return 0;
}
