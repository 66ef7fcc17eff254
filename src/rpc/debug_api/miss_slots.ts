import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { debugHead, moved } from './debug_head.ts';
import { producingRefusals } from './debug_refusals.ts';
import { method } from '../method.ts';

const MOST_SLOTS = 100_000; // three and a half days

/** A witness that makes no blocks. */
export const missSlots = method({
  name: 'debug_api.miss_slots',
  doc: 'Lets so many slots pass without a block, as when witnesses are down, and makes the next one: participation falls, and time has passed.',
  params: { count: Type.Integer({ default: 1, minimum: 1, maximum: MOST_SLOTS }) },
  result: debugHead,
  example: { params: { count: 5 } },
  stability: 'experimental',
  refuses: producingRefusals,
  thread: 'writer',
  changes: true,
  handler: ({ count }, call) => moved(call, { kind: 'miss_slots', count }),
});
