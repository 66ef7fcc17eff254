import { BLOCKS, BULK } from '../lanes.ts';
import { messageKind, type Wire } from '../message_kind.ts';

/** The largest block that witnesses may vote for, and its header. */
export const MOST_BLOCK_BYTES = 48 * 1024 * 1024 + 4096;
/**
 * A block up to this size is sent unasked: it arrives sooner than a request for its missing transactions would be
 * answered.
 */
export const MOST_PUSHED_BYTES = 16 * 1024;
/** A block up to this size goes before bundles and ranges: 0.2 s of 10 Mbit/s. */
const MOST_SMALL_BYTES = 256 * 1024;

const wire: Wire<Uint8Array> = {
  write: (out, packed) => out.bytes(packed),
  read: (input) => input.bytes(input.remaining),
};

/** A packed block, asked for by `block_request` unless it is small. */
export const block = messageKind({
  name: 'block',
  layout: 'packed block',
  price: { payer: 'us', firstMs: 0.1 },
  lane: BLOCKS,
  mostBytes: MOST_SMALL_BYTES,
  large: { lane: BULK, mostBytes: MOST_BLOCK_BYTES },
  wire,
});
