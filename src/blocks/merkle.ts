import { ripemd160Hex, sha256Binary, sha256Hex } from '../crypto/hashes.ts';
import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import type { ValueOf } from '../codec/codec.ts';
import { bool } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { digest, ZERO_HASH160, type Digest, type Hash160 } from '../values/hash.ts';

const refuse = refusals({
  merkle_check_failed: {
    text: 'the transactions of the block have the merkle root {found}, and its header says {expected}',
    lineage: 'Merkle check failed',
  },
});

/** Lists never change, so their roots are computed once, by whichever thread is first. */
const roots = new WeakMap<object, Hash160>();

/** Requires that the transactions match the header's Merkle root. */
export function requireMerkleRoot({ header, transactions }: RootedBlock): void {
  const found = rootOfBlock(transactions);
  const expected = header.transaction_merkle_root;
  if (found !== expected) refuse.merkle_check_failed({ found, expected });
}

interface RootedBlock {
  readonly header: { readonly transaction_merkle_root: Hash160 };
  readonly transactions: Leaves;
}

type Leaves = readonly { readonly leaf: Digest }[];

function leafOf({ leaf }: Leaves[number]): Digest {
  return leaf;
}

/** The root of these transactions, as another thread has computed it from their bytes. */
export function noteMerkleRoot(transactions: Leaves, root: Hash160): void {
  if (transactions.length > 0) roots.set(transactions, root);
}

/** The Merkle root of a block's transactions. */
export function rootOfBlock(transactions: Leaves): Hash160 {
  if (transactions.length === 0) return ZERO_HASH160;
  const root = roots.get(transactions) ?? merkleRoot(transactions.map(leafOf));
  roots.set(transactions, root);
  return root;
}

/** The length of a transaction's leaf. */
export const LEAF_BYTES = 32;

/**
 * The Merkle root of the leaves: an odd last one is carried up unchanged, and the top is hashed once more (
 * wire_format.md#merkle-root).
 */
export function merkleRoot(leaves: readonly Digest[]): Hash160 {
  const level = Buffer.allocUnsafe(leaves.length * LEAF_BYTES);
  for (const [index, leaf] of leaves.entries()) level.write(leaf, index * LEAF_BYTES, 'hex');
  return rootOfLeaves(level);
}

/** The same of leaves of 32 bytes each, which it overwrites. */
export function rootOfLeaves(level: Buffer): Hash160 {
  if (level.length === 0) return ZERO_HASH160;
  for (let count = level.length / LEAF_BYTES; count > 1; count = (count + 1) >>> 1) climb(level, count);
  return ripemd160Hex(level.subarray(0, LEAF_BYTES));
}

/** Puts the parents of the first `count` nodes into their place. */
function climb(level: Buffer, count: number): void {
  for (let from = 0; from < count; from += 2) {
    const [at, to] = [from * LEAF_BYTES, (from / 2) * LEAF_BYTES];
    if (from + 1 === count) level.copyWithin(to, at, at + LEAF_BYTES);
    else level.write(sha256Binary(level.subarray(at, at + 2 * LEAF_BYTES)), to, LEAF_BYTES, 'latin1');
  }
}

/** A node beside the way from a leaf to the root. A node that is carried up has none beside it. */
export const merkleStep = struct({
  /** True when it stands before the node of the path. */
  is_first: bool,
  hash: digest,
});

export type MerkleStep = ValueOf<typeof merkleStep>;

interface MerkleNode {
  readonly height: number;
  readonly hash: Digest;
  /** True when the leaf of the branch is below it. */
  readonly isOnWay: boolean;
}

/** Finds the branch of one leaf while the leaves are added in their order; only the tops of whole trees are kept. */
export class MerkleBranch {
  readonly #tops: MerkleNode[] = [];
  readonly #branch: MerkleStep[] = [];

  add(hash: Digest, isLeafOfBranch: boolean): void {
    this.#tops.push({ height: 0, hash, isOnWay: isLeafOfBranch });
    while (this.#tops.at(-1)?.height === this.#tops.at(-2)?.height) this.#join();
  }

  /** The branch, after the last leaf: what is left over at the end is carried up to its neighbour. */
  finish(): readonly MerkleStep[] {
    while (this.#tops.length > 1) this.#join();
    return this.#branch;
  }

  #join(): void {
    const [second, first] = [present(this.#tops.pop(), 'a node'), present(this.#tops.pop(), 'the node before')];
    if (first.isOnWay) this.#branch.push({ is_first: false, hash: second.hash });
    if (second.isOnWay) this.#branch.push({ is_first: true, hash: first.hash });
    this.#tops.push({
      height: first.height + 1,
      hash: sha256Hex(Buffer.from(first.hash + second.hash, 'hex')),
      isOnWay: first.isOnWay || second.isOnWay,
    });
  }
}

/** The root of a tree in which this branch leads from a leaf to the top. */
export function rootOfBranch(leaf: Digest, branch: readonly MerkleStep[]): Hash160 {
  const top = branch.reduce(
    (node, { is_first, hash }) => sha256Hex(Buffer.from(is_first ? hash + node : node + hash, 'hex')),
    leaf,
  );
  return ripemd160Hex(Buffer.from(top, 'hex'));
}
