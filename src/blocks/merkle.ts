import { ripemd160Hex, sha256Hex } from '../crypto/hashes.ts';
import { refusals } from '../base/refusal.ts';
import { ZERO_HASH160, type Digest, type Hash160 } from '../values/hash.ts';

const refuse = refusals({
  merkle_check_failed: {
    text: 'the transactions of the block have the merkle root {found}, and its header says {expected}',
    lineage: 'Merkle check failed',
  },
});

/** Requires that the transactions match the header's Merkle root. */
export function requireMerkleRoot({ header, transactions }: RootedBlock): void {
  const found = merkleRoot(transactions.map(({ leaf }) => leaf));
  const expected = header.transaction_merkle_root;
  if (found !== expected) refuse.merkle_check_failed({ found, expected });
}

interface RootedBlock {
  readonly header: { readonly transaction_merkle_root: Hash160 };
  readonly transactions: readonly { readonly leaf: Digest }[];
}

/** The Merkle root of the leaves: an odd last one is carried up unchanged, and the top is hashed once more (wire.md 10.3). */
export function merkleRoot(leaves: readonly Digest[]): Hash160 {
  let level = leaves;
  while (level.length > 1) level = parents(level);
  const top = level[0];
  return top === undefined ? ZERO_HASH160 : ripemd160Hex(Buffer.from(top, 'hex'));
}

function parents(level: readonly Digest[]): Digest[] {
  const above: Digest[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const left = level[at] ?? '';
    const right = level[at + 1];
    above.push(right === undefined ? left : sha256Hex(Buffer.from(left + right, 'hex')));
  }
  return above;
}
