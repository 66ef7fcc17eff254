import { u64 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** How many bytes of frames of lanes 2 and 3 the sender of this has taken since the link began: so many more may follow. */
export const consumed = messageKind({
  name: 'consumed',
  price: { payer: 'sender', firstMs: 0.005 },
  lane: CONTROL,
  mostBytes: 8,
  wire: members({ bytes: u64 }),
});
