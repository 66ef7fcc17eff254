import { u32 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, type WireValue } from '../wire_values.ts';

export const statusMembers = members({
  head_number: u32,
  head_id: hash160,
  irreversible_number: u32,
  irreversible_id: hash160,
});

export type Status = WireValue<typeof statusMembers>;

/** The head and the irreversible block of a node. 256 bytes leave room for what newer versions add. */
export const status = messageKind({
  name: 'status',
  layout: 'head number u32, head id, irreversible number u32, irreversible id',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 256,
  wire: statusMembers,
  mayGrow: true,
});
