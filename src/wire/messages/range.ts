import { u32, u8 } from '../../codec/primitives.ts';
import { BULK } from '../lanes.ts';
import { inPieces, messageKind } from '../message_kind.ts';
import { atMost, members, sizedBytes, bounded, type WireValue } from '../wire_values.ts';
import { MOST_BLOCK_BYTES } from './block.ts';
import { MOST_RANGE_BLOCKS } from './range_request.ts';

/** The reasons why a range ends. */
export const rangeEnds = {
  /** All that was asked for, as far as the main branch goes. */
  all: 0,
  /** At the bytes that were asked for. */
  cut: 1,
  /** The node has no blocks so old. */
  pruned: 2,
  /** The block before `from` isn't on the main branch. */
  otherBranch: 3,
  /** Not now; `retry_ms` says when. */
  busy: 4,
} as const;

const LAST_END = 4;

const [block, end] = [sizedBytes(MOST_BLOCK_BYTES), bounded(LAST_END, u8)];
const wire = members({
  number: u32,
  blocks: atMost(MOST_RANGE_BLOCKS, block),
  end,
  retry_ms: u32,
});

export type Range = WireValue<typeof wire>;

/** Blocks that were asked for by `range_request`, oldest first. */
export const range = messageKind({
  name: 'range',
  layout: 'request number u32, list of sized blocks, [end](#ranges) u8, milliseconds to wait u32',
  price: { payer: 'us', firstMs: 2 },
  lane: BULK,
  mostBytes: MOST_BLOCK_BYTES + 4 * MOST_RANGE_BLOCKS + 16,
  wire,
});

/** The beginning of the message, for a sender that writes it a part at a time. */
export function rangeHead(number: number, blocks: number): readonly Uint8Array[] {
  return inPieces((out) => {
    u32.write(out, number);
    out.varint(blocks);
  });
}

/** Writes one of its blocks. */
export function rangePart(packed: Uint8Array): readonly Uint8Array[] {
  return inPieces((out) => block.write(out, packed));
}

/** The end of the message. */
export function rangeTail(endsAt: number, retryMs: number): readonly Uint8Array[] {
  return inPieces((out) => {
    end.write(out, endsAt);
    u32.write(out, retryMs);
  });
}
