import type { Method } from '../method.ts';
import { pushBlock } from './push_block.ts';
import { pushTransaction } from './push_transaction.ts';

/** What is applied here alone. */
export const chainApi: readonly Method[] = [pushBlock, pushTransaction];
