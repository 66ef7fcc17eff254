import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/typebox.ts';
import { method } from '../method.ts';

const RAREST = 1_000_000;

/** A node that can hold no more. */
export const refuseBroadcasts = method({
  name: 'debug_api.refuse_broadcasts',
  doc: 'Every so many broadcasts one is refused as `too_many_broadcasts`, as a busy node does it: 1 refuses all, 3 the third, the sixth, …, and 0 none any more.',
  params: { every: Type.Integer({ minimum: 0, maximum: RAREST }) },
  result: Type.Object({}),
  example: { params: { every: 0 } },
  stability: 'experimental',
  thread: 'writer',

  async handler({ every }, { faults }) {
    present(faults, 'faults, where a chain is moved').refuseBroadcasts(every);
    return await Promise.resolve({});
  },
});
