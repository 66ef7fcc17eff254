import { u64 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** True if the peer is there, and how far away. */
export const ping = messageKind({
  name: 'ping',
  layout: 'number u64',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 8,
  wire: members({ number: u64 }),
});
