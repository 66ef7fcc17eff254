import { u32 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { BLOCKS } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, type WireValue } from '../wire_values.ts';

const wire = members({ id: hash160, previous: hash160, transactions: u32, bytes: u32 });

export type BlockAnnouncement = WireValue<typeof wire>;

/** A block that the sender has and gives on request. */
export const blockAnnouncement = messageKind({
  name: 'block_announcement',
  layout: 'block id, id of the block before, transactions u32, bytes u32',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: BLOCKS,
  mostBytes: 48,
  wire,
});
