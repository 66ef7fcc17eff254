import { method } from '../method.ts';
import { carriedOut, productionOf } from './production_of.ts';

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
    await productionOf(call).resume();
    return {};
  },
});
