import type { Method } from '../method.ts';
import { jumpAhead } from './jump_ahead.ts';
import { produceBlocks } from './produce_blocks.ts';
import { revert } from './revert.ts';
import { snapshot } from './snapshot.ts';

/** Moves the chain on command; served by development chains only. */
export const debugApi = [produceBlocks, jumpAhead, snapshot, revert] as const satisfies readonly Method[];
