import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u64 } from '../../codec/primitives.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { subscribe, subscribingRefusals, subscriptionParams } from '../subscribing.ts';

/** Documents as they arrive, over a WebSocket. */
export const customObjectSubscription = method({
  name: 'alexandria_api.custom_object_subscription',
  doc: 'Sends a notice for each document that an account sent or received in an application: first those that exist, then new ones as blocks carry them.',
  params: subscriptionParams,
  result: Type.Object({ subscription: coded(u64) }),
  example: {
    params: { return_id: 7, app_id: 1, account_name: 'bob', search_type: 'by_recipient', start: 1 },
    result: { subscription: 7 },
  },
  stability: 'stable',
  refuses: subscribingRefusals,
  thread: 'writer',
  changes: true,
  handler: async (params, call) => await Promise.resolve({ subscription: subscribe(params, call) }),
});
