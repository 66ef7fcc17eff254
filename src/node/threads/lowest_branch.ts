import type { Clock } from '../../base/clock.ts';
import type { Chain } from '../../chain/chain.ts';
import { isHeadOld } from '../../witness/alive_signing.ts';

/** While no block comes, nodes whose branches are equally long choose the same one; must be called each second. */
export function followLowestBranch(chain: Pick<Chain, 'headTime' | 'followLowest'>, clock: Clock, intervalSeconds: number): void {
  if (isHeadOld(chain, clock, intervalSeconds)) chain.followLowest();
}
