import { u64 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/**
 * The bytes of frames of lanes 2 and 3 that the sender of this has read since the link began: as many more may follow.
 */
export const consumed = messageKind({
  name: 'consumed',
  layout: 'bytes u64, see [Window](#window)',
  price: { payer: 'sender', firstMs: 0.005 },
  lane: CONTROL,
  mostBytes: 8,
  wire: members({ bytes: u64 }),
});
