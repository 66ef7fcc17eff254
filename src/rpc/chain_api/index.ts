import type { Method } from '../method.ts';
import { pushBlock } from './push_block.ts';
import { pushTransaction } from './push_transaction.ts';

/** Methods that apply something on this node only. */
export const chainApi = [pushBlock, pushTransaction] as const satisfies readonly Method[];
