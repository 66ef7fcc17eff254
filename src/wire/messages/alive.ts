import { signedAlive } from '../../blocks/alive.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';

/** A name, a key, a slot, a block id, a signature. */
const MOST_ALIVE_BYTES = 1 + 32 + 33 + 4 + 20 + 65;

/** A witness is there, and says where its chain ends: sent while the chain stands, or nearly does. */
export const alive = messageKind({
  name: 'alive',
  layout: 'witness name (varint length, bytes), key 33, slot u32, id of its head, signature 65',
  price: { payer: 'sender', firstMs: 0.06 },
  lane: CONTROL,
  mostBytes: MOST_ALIVE_BYTES,
  wire: signedAlive,
});
