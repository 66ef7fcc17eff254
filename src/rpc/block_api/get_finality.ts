import { finalityState } from '../../blocks/finality/finality_state.ts';
import { nullable } from '../../codec/nullable.ts';
import { u32 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { readFinalityState, finalityStateRefusals } from '../../queries/finality/finality_proofs.ts';
import { method } from '../method.ts';

/** The state of finality, and a checkpoint for clients that trust no node. */
export const getFinality = method({
  name: 'block_api.get_finality',
  doc: 'The state of finality: the last final block with the certificate that proves it, the epoch that has begun and its voters. `checkpoint` is NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME of a block that ends an epoch. A client that has it from people whom it trusts can verify the proofs of any node. Its epoch is the number divided by `epoch_blocks`. Nodes tell the same checkpoint for up to 64 epochs, so compare it between them; `checkpoint_epoch` asks for that of another epoch. `certificate` is base64 of the bytes that peers send, and is left out while this node has none.',
  params: {
    checkpoint_epoch: coded(nullable(u32), { default: null, description: 'the checkpoint of this epoch is wanted' }),
  },
  result: coded(finalityState),
  example: { params: {} },
  stability: 'experimental',
  refuses: finalityStateRefusals,
  thread: 'read',
  handler: ({ checkpoint_epoch }, call) => readFinalityState(call, checkpoint_epoch),
});
