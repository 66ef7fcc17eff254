import { u64 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** The number of the ping that it answers. */
export const pong = messageKind({
  name: 'pong',
  layout: 'the same number',
  price: { payer: 'sender', firstMs: 0.01 },
  lane: CONTROL,
  mostBytes: 8,
  wire: members({ number: u64 }),
});
