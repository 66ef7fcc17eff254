import { method } from '../method.ts';
import { carriedOut, requireProduction } from './require_production.ts';

/** Stops production for a while. */
export const pause = method({
  name: 'witness_node_api.pause',
  doc: 'Makes no blocks from now on, until resume is called or the node starts again. The slots of its witnesses are missed meanwhile.',
  params: {},
  result: carriedOut,
  example: { params: {}, result: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async (_, call) => {
    await requireProduction(call).pause();
    return {};
  },
});
