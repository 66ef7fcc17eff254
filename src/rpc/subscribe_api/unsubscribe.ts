import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { u32, u64 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { method } from '../method.ts';

/** Ends subscriptions. */
export const unsubscribe = method({
  name: 'subscribe_api.unsubscribe',
  doc: 'Ends what this connection has subscribed to under that id, documents included; no notice with it follows the answer.',
  params: { return_id: coded(u64) },
  result: Type.Object({ ended: coded(u32, { description: 'how many subscriptions that were' }) }),
  example: { params: { return_id: 2 }, result: { ended: 1 } },
  stability: 'experimental',
  thread: 'writer',
  changes: true,
  handler: async ({ return_id }, { subscriber, notices, encoding }) => {
    const ended =
      subscriber === undefined ? 0 : notices.unsubscribe(subscriber, writeJson(u64.toJson(return_id, encoding)));
    return await Promise.resolve({ ended });
  },
});
