import { ripemd160Hex, sha256Binary } from '../crypto/hashes.ts';
import { refusals } from '../base/refusal.ts';
import { ZERO_HASH160, type Digest, type Hash160 } from '../values/hash.ts';

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

/** The root of these transactions, as another thread has computed it from their bytes. */
export function noteMerkleRoot(transactions: Leaves, root: Hash160): void {
  if (transactions.length > 0) roots.set(transactions, root);
}

/** The Merkle root of a block's transactions. */
export function rootOfBlock(transactions: Leaves): Hash160 {
  if (transactions.length === 0) return ZERO_HASH160;
  const root = roots.get(transactions) ?? merkleRoot(transactions.map(({ leaf }) => leaf));
  roots.set(transactions, root);
  return root;
}

const LEAF_BYTES = 32;

/** The Merkle root of the leaves: an odd last one is carried up unchanged, and the top is hashed once more (wire.md 10.3). */
export function merkleRoot(leaves: readonly Digest[]): Hash160 {
  if (leaves.length === 0) return ZERO_HASH160;
  const level = Buffer.allocUnsafe(leaves.length * LEAF_BYTES);
  for (const [index, leaf] of leaves.entries()) level.write(leaf, index * LEAF_BYTES, 'hex');
  for (let count = leaves.length; count > 1; count = (count + 1) >>> 1) climb(level, count);
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
