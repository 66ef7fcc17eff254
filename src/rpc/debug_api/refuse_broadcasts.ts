import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';

const RAREST = 1_000_000;

/** The methods that send transactions. */
const SENDING = [
  'network_broadcast_api.broadcast_transaction',
  'network_broadcast_api.broadcast_transaction_synchronous',
  'alexandria_api.broadcast_transaction',
  'alexandria_api.send_and_sign_operation',
  'alexandria_api.send_and_sign_transaction',
  'debug_api.send_unsigned',
] as const;

/** A node that can hold no more. */
export const refuseBroadcasts = method({
  name: 'debug_api.refuse_broadcasts',
  doc: 'Every so many broadcasts one is refused as `too_many_broadcasts`, as a busy node does it: 1 refuses all, 3 the third, the sixth, …, and 0 none any more. With `methods`, of those that one of these sends.',
  params: {
    every: Type.Integer({ minimum: 0, maximum: RAREST }),
    methods: Type.Optional(Type.Array(Type.Enum([...SENDING]), { maxItems: SENDING.length })),
  },
  result: Type.Object({}),
  example: { params: { every: 0, methods: [] } },
  stability: 'experimental',
  thread: 'writer',
  changes: true,

  async handler({ every, methods = [] }, { development: { faults } }) {
    present(faults, 'faults, where a chain is moved').refuseBroadcasts({ every, methods });
    return await Promise.resolve({});
  },
});
