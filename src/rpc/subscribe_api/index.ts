import type { Method } from '../method.ts';
import { customObjectSubscription } from './custom_object_subscription.ts';
import { subscribeBalances } from './subscribe_balances.ts';
import { subscribeBlocks } from './subscribe_blocks.ts';
import { subscribeOperations } from './subscribe_operations.ts';
import { unsubscribe } from './unsubscribe.ts';

/** Documents, blocks, operations and balances as they come. */
export const subscribeApi = [
  customObjectSubscription,
  subscribeBlocks,
  subscribeOperations,
  subscribeBalances,
  unsubscribe,
] as const satisfies readonly Method[];
