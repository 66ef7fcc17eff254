import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u64 } from '../../codec/primitives.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { subscribe, subscribingRefusals, subscriptionParams } from '../subscribing.ts';

/** Documents as they arrive, over a WebSocket. */
export const customObjectSubscription = method({
  name: 'subscribe_api.custom_object_subscription',
  doc: 'Sends a notice for each document that an account sent or received in an application: first those that exist, then new ones as blocks carry them. After a lost connection, resume says which was the last.',
  params: {
    ...subscriptionParams,
    resume: Type.Optional(
      coded(u64, {
        description: 'the number of the last document that was received; those behind it follow, whatever start says',
      }),
    ),
  },
  result: coded(u64),
  example: {
    params: { return_id: 7, app_id: 1, account_name: 'bob', search_type: 'by_recipient', start: 1, resume: 1 },
    result: 7,
  },
  stability: 'experimental',
  refuses: subscribingRefusals,
  thread: 'writer',
  changes: true,
  handler: async ({ resume, ...params }, call) =>
    await Promise.resolve(subscribe(resume === undefined ? params : { ...params, start: resume + 1n }, call)),
});
