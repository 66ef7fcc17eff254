import { present } from '../../base/assert.ts';
import { readOwnBlock, type VerifiedBlock } from '../../blocks/block.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { optional, vector } from '../../codec/collections.ts';
import { bool, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { hash160, type BlockId } from '../../values/hash.ts';
import { NULL_KEY, publicKey, type PublicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';
import { signingRound } from '../apply/branch_point.ts';

const record = struct({
  previous: hash160,
  time,
  aslot: u64,
  witness: accountName,
  bytes: u32,
  was_applied: bool,
  /** Its signer; the null key for a block that was applied. */
  signer: publicKey,
  /** Signing keys that its operations give, oldest first; of a block that was applied, those that it changed. */
  named: vector(struct({ witness: accountName, key: publicKey, isLikely: bool })),
  is_overfull: bool,
  /** Absent where the round of the previous block continues. */
  round: optional(signingRound),
});

/** The disk's record about a block of another branch, besides the block. */
export type SideRecord = ValueOf<typeof record>;

const scratch = new ByteWriter(4096);

export function encodeSideRecord(value: SideRecord): Uint8Array {
  scratch.reset();
  record.write(scratch, value);
  return scratch.finish();
}

export function decodeSideRecord(bytes: Uint8Array): SideRecord {
  return record.read(new ByteReader(bytes));
}

const body = struct({ signer: publicKey, keys: vector(publicKey), signers: vector(vector(u32)) });

/** A block and its signers: recovering them again costs more than all the rest. */
export function encodeSideBody({
  packed,
  signer,
  transactions,
}: Pick<VerifiedBlock, 'packed' | 'signer' | 'transactions'>): Uint8Array {
  const numbers = new Map<PublicKey, number>();
  const keyNumber = (key: PublicKey): number => numbers.get(key) ?? (numbers.set(key, numbers.size), numbers.size - 1);
  const signers = transactions.map((transaction) => transaction.signers.map((key) => keyNumber(key ?? NULL_KEY)));
  const out = new ByteWriter(packed.length + 1024);
  body.write(out, { signer: signer ?? NULL_KEY, keys: [...numbers.keys()], signers });
  out.bytes(packed);
  return out.finish();
}

/** Decodes what `encodeSideBody` wrote. */
export function decodeSideBody(bytes: Uint8Array, id: BlockId): VerifiedBlock {
  const input = new ByteReader(bytes);
  const { signer, keys, signers } = body.read(input);
  const block = readOwnBlock(bytes.subarray(input.position), id);
  const numberedKey = (number: number): PublicKey | undefined => keyUnlessNull(present(keys[number], 'a key'));
  const transactions = block.transactions.map((packed, index): VerifiedTransaction => ({
    ...packed,
    signers: signers[index]?.map(numberedKey) ?? [],
  }));
  return { ...block, transactions, signer: keyUnlessNull(signer) };
}

function keyUnlessNull(key: PublicKey): PublicKey | undefined {
  return key === NULL_KEY ? undefined : key;
}
