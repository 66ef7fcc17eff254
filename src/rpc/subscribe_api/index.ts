import type { Method } from '../method.ts';
import { customObjectSubscription } from './custom_object_subscription.ts';

/** Documents as they arrive. */
export const subscribeApi = [customObjectSubscription] as const satisfies readonly Method[];
