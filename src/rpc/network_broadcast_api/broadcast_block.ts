import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { givenBlock } from '../../queries/blocks.ts';
import { refuseBlock } from '../broadcast_refusals.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleBlock } from '../sample_transaction.ts';

/** Broadcasts a block. */
export const broadcastBlock = method({
  name: 'network_broadcast_api.broadcast_block',
  doc: 'Applies a block with every check and sends it to all peers; members that only retrieval shows are ignored.',
  params: { block: coded(givenBlock) },
  result: Type.Object({}),
  example: { params: { block: sampleBlock }, result: {} },
  stability: 'experimental',
  refuses: { ...refuseBlock.texts, ...longTexts },
  refusesForOperations: true,
  thread: 'verifier',
  changes: true,

  async handler({ block }, { verifiers }) {
    await verifiers.pushBlock(block);
    return {};
  },
});
