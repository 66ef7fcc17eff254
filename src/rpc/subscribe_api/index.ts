import type { Method } from '../method.ts';
import { customObjectSubscription } from './custom_object_subscription.ts';

/** Documents as they come. */
export const subscribeApi: readonly Method[] = [customObjectSubscription];
