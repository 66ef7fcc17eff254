import { vector } from '../../codec/collections.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { requireProduction } from './require_production.ts';

/** Has this node's keys vote although their journals were lost, as a last resort. */
export const resetFinality = method({
  name: 'witness_node_api.reset_finality',
  doc: 'The last resort when so many voters have lost their signing journals that no quorum is left: declares that the journals of this node’s keys lack no vote of the present epoch. If one of these keys has voted for another block in this epoch, two blocks may become final. `keys` are those that were declared; empty where confirmations make blocks final, or no key of this node votes.',
  params: {},
  result: Type.Object({ keys: coded(vector(publicKey)) }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async (_, call) => ({ keys: await requireProduction(call).resetFinality() }),
});
