import type { VerifiedBlock } from '../blocks/block.ts';
import { IRREVERSIBLE_THRESHOLD, ONE_HUNDRED_PERCENT } from '../state/parameters.ts';
import type { AccountName } from '../values/account_name.ts';

type SignedHeader = Pick<VerifiedBlock, 'header' | 'signer'>;

export interface Confirming {
  /** How many witnesses are scheduled. */
  readonly witnesses: number;
  /** How many blocks a round of the largest size has. */
  readonly round: number;
  /** Whether a scheduled witness has signed the block with its own key. */
  readonly isByItsWitness: (block: SignedHeader) => boolean;
}

/**
 * How many of blocks that follow each other have a whole round behind them, in which as many scheduled witnesses have signed as make a
 * block irreversible (chain.md 5.11), whichever way it is counted.
 */
export function confirmedPrefix(blocks: readonly SignedHeader[], { witnesses, round, isByItsWitness }: Confirming): number {
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
