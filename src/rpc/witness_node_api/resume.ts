import { method } from '../method.ts';
import { carriedOut, requireProduction } from './require_production.ts';

/** Goes on with production. */
export const resume = method({
  name: 'witness_node_api.resume',
  doc: 'Makes blocks again after pause.',
  params: {},
  result: carriedOut,
  example: { params: {}, result: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async (_, call) => {
    await requireProduction(call).resume();
    return {};
  },
});
