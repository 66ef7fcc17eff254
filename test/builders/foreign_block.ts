import assert from 'node:assert/strict';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { openChain, produce } from './chain.ts';

/** The next block of a chain by another machine that has the same key, two slots behind the last one. */
export function makeForeignBlock(chain: Chain, parameters: ChainParameters): VerifiedBlock {
  const other = openChain(parameters);
  for (let number = 1; number <= chain.head.number; number++)
    other.push(verifyBlock(parameters.chainId, chain.block(number) ?? assert.fail()));
  return produce(other, 2);
}
