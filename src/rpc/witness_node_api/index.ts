import type { Method } from '../method.ts';
import { getProduction } from './get_production.ts';
import { getVoting } from './get_voting.ts';
import { pause } from './pause.ts';
import { resetFinality } from './reset_finality.ts';
import { restartChain } from './restart_chain.ts';
import { resume } from './resume.ts';

/**
 * The production of blocks as its operator sees and steers it; served where there is one, to programs of the node's own
 * machine.
 */
export const witnessNodeApi = [
  getProduction,
  pause,
  resume,
  restartChain,
  getVoting,
  resetFinality,
] as const satisfies readonly Method[];
