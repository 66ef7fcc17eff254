import { signedBlockHeader, headerNumber, type SignedBlockHeader } from './header.ts';
import type { VerifiedBlock } from './block.ts';
import { LEAF_BYTES, noteMerkleRoot, rootOfBlock } from './merkle.ts';
import { leafBytes, PackedVerifiedTransaction } from './packed_verified_transaction.ts';
import type { VerifiedTransaction } from './transaction.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { ID_BYTES, type BlockId, type Hash160 } from '../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import type { BytesOf } from '../base/bytes_of.ts';
import { readSigner, writeSigner } from './finding_bytes.ts';

const ROOT_BYTES = 20;
/** Of each block besides its own bytes. */
const BLOCK_BYTES = ID_BYTES + ROOT_BYTES + 24;
const TRANSACTION_BYTES = ID_BYTES + LEAF_BYTES + 12;

/**
 * Encodes blocks, with everything that a verifier computed for them, into one buffer. Keys, of which there are few, are
 * numbered.
 */
export function encodeVerifiedBlocks(blocks: readonly VerifiedBlock[]): BytesOf<readonly VerifiedBlock[]> {
  const keys = numberKeys(blocks);
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
  const packedBytes = blocks.reduce((sum, { packed }) => sum + packed.length, 0);
  const out = new ByteWriter(
    packedBytes + blocks.length * BLOCK_BYTES + transactions * TRANSACTION_BYTES + keys.size * 33 + 32,
  );
  out.u32(keys.size);
  for (const key of keys.keys()) writeSigner(out, key);
  out.u8(blocks.some(({ isUnverified }) => isUnverified === true) ? 1 : 0);
  out.u32(blocks.length);
  for (const block of blocks) writeBlock(out, block, keys);
  return out.finish();
}

function numberKeys(blocks: readonly VerifiedBlock[]): Map<PublicKey, number> {
  const keys = new Map<PublicKey, number>([[NULL_KEY, 0]]);
  const note = (key: PublicKey | undefined): void => {
    if (key !== undefined && !keys.has(key)) keys.set(key, keys.size);
  };
  for (const { signer, transactions } of blocks) {
    note(signer);
    for (const { signers } of transactions) for (const key of signers) note(key);
  }
  return keys;
}

function writeBlock(out: ByteWriter, block: VerifiedBlock, keys: ReadonlyMap<PublicKey, number>): void {
  const numberedAs = (key: PublicKey | undefined): number => keys.get(key ?? NULL_KEY) ?? 0;
  const { id, signer, headerBytes, packed, transactions } = block;
  out.hex(id);
  out.u32(numberedAs(signer));
  out.u32(headerBytes);
  out.u32(packed.length);
  out.bytes(packed);
  out.u32(transactions.length);
  if (transactions.length === 0) return;
  out.hex(rootOfBlock(transactions));
  let [packedBytes, findingsBytes] = [0, 0];
  for (const {
    packed: { length },
    signers,
  } of transactions) {
    packedBytes += length;
    findingsBytes += findingBytes(signers.length);
  }
  out.u32(packed.length - packedBytes);
  out.u32(findingsBytes);
  for (const transaction of transactions) {
    const { signers, unsignedBytes } = transaction;
    out.hex(transaction.id);
    out.bytes(leafBytes(transaction));
    out.u32(unsignedBytes);
    out.u32(transaction.packed.length);
    out.u32(signers.length);
    for (const key of signers) out.u32(numberedAs(key));
  }
}

function findingBytes(signers: number): number {
  return TRANSACTION_BYTES + signers * 4;
}

/** The blocks, ready to be applied: nothing is computed again. Packed forms are views of `bytes`. */
export function decodeVerifiedBlocks(bytes: Uint8Array): VerifiedBlock[] {
  const input = new ByteReader(bytes);
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const keys = Array.from({ length: input.u32() }, () => readSigner(input));
  const isUnverified = input.u8() === 1;
  return Array.from({ length: input.u32() }, () => readVerifiedBlock(input, { message, keys, isUnverified }));
}

type Keys = readonly (PublicKey | undefined)[];

/** Facts that the blocks of a message share. */
interface Surroundings {
  readonly message: Buffer;
  readonly keys: Keys;
  readonly isUnverified: boolean;
}

function readVerifiedBlock(input: ByteReader, { message, keys, isUnverified }: Surroundings): VerifiedBlock {
  const id = input.hex(ID_BYTES);
  const signer = keys[input.u32()];
  const headerBytes = input.u32();
  const packed = input.bytes(input.u32());
  const header = signedBlockHeader.read(new ByteReader(packed));
  const number = headerNumber(header);
  const count = input.u32();
  if (count === 0) return { number, id, header, headerBytes, transactions: [], packed, signer };
  const root = input.hex(ROOT_BYTES);
  const firstAt = input.u32();
  const findings = input.bytes(input.u32());
  const facts = { number, id, header, headerBytes, packed, signer, isUnverified };
  return new BlockOfMessage(facts, { count, firstAt, root, findings, message, keys });
}

/** The places of a block's transactions in a message. */
interface Findings {
  readonly count: number;
  /** The place of the first one in the block; the others follow, up to its end. */
  readonly firstAt: number;
  readonly root: Hash160;
  readonly findings: Uint8Array;
  readonly message: Buffer;
  readonly keys: Keys;
}

/**
 * A block whose transactions are made when they are asked for: some blocks wait, and would fill the memory with them.
 */
class BlockOfMessage implements VerifiedBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  readonly headerBytes: number;
  readonly packed: Uint8Array;
  readonly signer: PublicKey | undefined;
  readonly isUnverified: boolean | undefined;
  readonly #findings: Findings;
  #transactions: readonly VerifiedTransaction[] | undefined;

  constructor(facts: Omit<VerifiedBlock, 'transactions'>, findings: Findings) {
    const { number, id, header, headerBytes, packed, signer, isUnverified } = facts;
    this.isUnverified = isUnverified;
    this.number = number;
    this.id = id;
    this.header = header;
    this.headerBytes = headerBytes;
    this.packed = packed;
    this.signer = signer;
    this.#findings = findings;
  }

  get transactions(): readonly VerifiedTransaction[] {
    if (this.#transactions === undefined) {
      this.#transactions = verifiedTransactions(this.packed, this.#findings);
      noteMerkleRoot(this.#transactions, this.#findings.root);
    }
    return this.#transactions;
  }
}

function verifiedTransactions(
  block: Uint8Array,
  { count, firstAt, findings, message, keys }: Findings,
): VerifiedTransaction[] {
  const input = new ByteReader(findings);
  const messageAt = findings.byteOffset - message.byteOffset;
  const transactions: VerifiedTransaction[] = [];
  let at = firstAt;
  for (let left = count; left > 0; left--) {
    const id = input.hex(ID_BYTES);
    const leafAt = messageAt + input.position;
    input.skip(LEAF_BYTES);
    const unsignedBytes = input.u32();
    const length = input.u32();
    const signers = readSigners(input, keys);
    const packed = block.subarray(at, (at += length));
    transactions.push(new PackedVerifiedTransaction({ id, signers, packed, unsignedBytes, message, leafAt }));
  }
  return transactions;
}

function readSigners(input: ByteReader, keys: Keys): Keys {
  const count = input.u32();
  if (count === 1) return [keys[input.u32()]];
  return Array.from({ length: count }, () => keys[input.u32()]);
}
