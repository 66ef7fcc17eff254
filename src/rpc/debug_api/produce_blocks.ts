import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { debugHead, moved } from './debug_head.ts';
import { producingRefusals } from './debug_refusals.ts';
import { method } from '../method.ts';

const MOST_BLOCKS = 1000; // a few seconds of work, in which others are heard between blocks

/** Produces blocks immediately. */
export const produceBlocks = method({
  name: 'debug_api.produce_blocks',
  doc: 'Produces blocks at once, each in the next slot; the first one holds what is pending. The time of the chain moves along.',
  params: { count: Type.Integer({ default: 1, minimum: 1, maximum: MOST_BLOCKS }) },
  result: debugHead,
  example: { params: { count: 2 } },
  stability: 'experimental',
  refuses: producingRefusals,
  thread: 'writer',
  changes: true,
  handler: ({ count }, call) => moved(call, { kind: 'produce_blocks', count }),
});
