import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { sha256Binary, sha256Hex } from '../../crypto/hashes.ts';
import { digest, type Digest } from '../../values/hash.ts';

/*
 * The Merkle mountain range over the sha256 of all signed headers from block 1 on. A mountain is a complete binary
 * tree; each bit of the count stands for one, the highest over the oldest blocks. A new block is a mountain of height
 * 0, and equal neighbours merge.
 */

/** A range by its peaks, the highest mountain first: enough to add blocks and to compute the root. */
export const blockRange = struct({ count: u32, peaks: vector(digest) });

export type BlockRange = ValueOf<typeof blockRange>;

/** The range before block 1. */
export const NO_BLOCKS: BlockRange = { count: 0, peaks: [] };

// A hash of one kind can't be taken for another.
export const LEAF = 0;
export const NODE = 1;
const PEAKS = 2;
const ROOT = 3;

export const DIGEST_BYTES = 32;

/** A hash as text of 32 characters, one a byte: half as long as digits, so it is hashed and copied sooner. */
type BinaryDigest = string;

const scratch = Buffer.alloc(1 + 2 * DIGEST_BYTES);
const one = scratch.subarray(0, 1 + DIGEST_BYTES);
const counted = scratch.subarray(0, 1 + 4 + DIGEST_BYTES);

function leafHash(header: BinaryDigest): BinaryDigest {
  scratch[0] = LEAF;
  scratch.write(header, 1, 'latin1');
  return sha256Binary(one);
}

function pairHash(kind: typeof NODE | typeof PEAKS, left: BinaryDigest, right: BinaryDigest): BinaryDigest {
  scratch[0] = kind;
  scratch.write(left, 1, 'latin1');
  scratch.write(right, 1 + DIGEST_BYTES, 'latin1');
  return sha256Binary(scratch);
}

function rootHash(count: number, peaks: BinaryDigest): Digest {
  scratch[0] = ROOT;
  scratch.writeUInt32LE(count, 1);
  scratch.write(peaks, 5, 'latin1');
  return sha256Hex(counted);
}

function binary(hash: Digest): BinaryDigest {
  return Buffer.from(hash, 'hex').toString('latin1');
}

function digits(hash: BinaryDigest): Digest {
  return Buffer.from(hash, 'latin1').toString('hex');
}

/**
 * Returns the number of nodes that the block of that number completes: its leaf, and each mountain that ends with it.
 */
export function nodesCompleted(number: number): number {
  let nodes = 1;
  for (let rest = number; rest % 2 === 0; rest /= 2) nodes++;
  return nodes;
}

/**
 * The last blocks of the mountains over so many blocks, the highest first: a mountain for each binary digit of the
 * count.
 */
export function mountainEnds(count: number): number[] {
  const ends: number[] = [];
  for (let end = count; end > 0; end -= (end & -end) >>> 0) ends.unshift(end);
  return ends;
}

/** The finality root: one hash of the number of blocks and of all of them. */
export function rangeRoot({ count, peaks }: BlockRange): Digest {
  return rootHash(count, peaks.length === 0 ? '\0'.repeat(DIGEST_BYTES) : mergedPeaks(peaks.map(binary)));
}

/** From the lowest mountain to the highest, so that the long path through a high mountain is followed by few peaks. */
function mergedPeaks(peaks: readonly BinaryDigest[]): BinaryDigest {
  return peaks.reduceRight((lower, peak) => pairHash(PEAKS, peak, lower));
}

/** The mountain that holds a block: its height, how many are higher, and whether there are lower ones. */
interface Mountain {
  readonly height: number;
  /** The number of blocks in higher mountains. */
  readonly before: number;
  readonly higher: readonly { readonly height: number; readonly index: number }[];
  readonly isLowest: boolean;
}

function lastMountain(number: number, count: number): Mountain {
  const higher: { height: number; index: number }[] = [];
  let before = 0;
  for (let height = 31; height >= 0; height--) {
    const size = 2 ** height;
    if (Math.trunc(count / size) % 2 === 0) continue;
    if (number <= before + size) return { height, before, higher, isLowest: before + size === count };
    higher.push({ height, index: before / size });
    before += size;
  }
  return { height: 0, before, higher, isLowest: true };
}

/**
 * The path from a block to the root of a range of `count` blocks: the sibling at each height of its mountain, then the
 * lower mountains as one hash, then the peaks of the higher ones, the nearest first. `hashAt` returns the hash of a
 * node.
 */
export function rangePath(number: number, count: number, hashAt: (height: number, index: number) => Digest): Digest[] {
  const { height, before, higher, isLowest } = lastMountain(number, count);
  const path: Digest[] = [];
  let index = number - 1;
  for (let at = 0; at < height; at++) {
    path.push(hashAt(at, index % 2 === 0 ? index + 1 : index - 1));
    index = Math.trunc(index / 2);
  }
  if (!isLowest) path.push(digits(mergedPeaks(lowerPeaks(before + 2 ** height, count, hashAt).map(binary))));
  for (const peak of higher.toReversed()) path.push(hashAt(peak.height, peak.index));
  return path;
}

function lowerPeaks(from: number, count: number, hashAt: (height: number, index: number) => Digest): Digest[] {
  const peaks: Digest[] = [];
  let before = from;
  for (let height = 31; height >= 0; height--) {
    const size = 2 ** height;
    if (Math.trunc((count - before) / size) % 2 === 0) continue;
    peaks.push(hashAt(height, before / size));
    before += size;
  }
  return peaks;
}

/** Returns whether a path leads from the sha256 of a block's signed header to the root of a range of `count` blocks. */
export function isInRange(
  root: Digest,
  number: number,
  count: number,
  header: Digest,
  path: readonly Digest[],
): boolean {
  if (number < 1 || number > count) return false;
  const { height, higher, isLowest } = lastMountain(number, count);
  if (path.length !== height + (isLowest ? 0 : 1) + higher.length) return false;
  let index = number - 1;
  let hash = leafHash(binary(header));
  path.map(binary).forEach((beside, at) => {
    if (at >= height) hash = at === height && !isLowest ? pairHash(PEAKS, hash, beside) : pairHash(PEAKS, beside, hash);
    else hash = index % 2 === 0 ? pairHash(NODE, hash, beside) : pairHash(NODE, beside, hash);
    index = Math.trunc(index / 2);
  });
  return rootHash(count, hash) === root;
}
