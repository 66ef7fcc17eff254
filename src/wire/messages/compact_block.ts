import { signedBlockHeader } from '../../blocks/header.ts';
import { BLOCKS } from '../lanes.ts';
import { messageKind, type Wire } from '../message_kind.ts';
import { members, type WireValue } from '../wire_values.ts';
import { SHORT_ID_BYTES } from '../short_ids.ts';

/** An eighth of the largest block would be 6 MiB, of transactions of 48 bytes, which there are none of. */
const MOST_COMPACT_BYTES = 4 * 1024 * 1024;

/** Six bytes for each transaction, behind their count. */
const shortIds: Wire<Uint8Array> = {
  write(out, value) {
    out.u32(value.length / SHORT_ID_BYTES);
    out.bytes(value);
  },
  read(input) {
    const count = input.u32();
    if (count * SHORT_ID_BYTES > input.remaining) input.refuse(`${count} short ids cannot follow`);
    return input.bytes(count * SHORT_ID_BYTES);
  },
};

const wire = members({ header: signedBlockHeader, shortIds });

export type CompactBlock = WireValue<typeof wire>;

/** A block whose transactions are named by short ids, for who has most of them. */
export const compactBlock = messageKind({
  name: 'compact_block',
  layout: 'signed header, count u32, a [short id](#short-ids) for each transaction',
  price: { payer: 'sender', firstMs: 0.2 },
  lane: BLOCKS,
  mostBytes: MOST_COMPACT_BYTES,
  wire,
});
