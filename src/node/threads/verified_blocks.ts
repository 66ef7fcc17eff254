import { readHeader, type VerifiedBlock } from '../../blocks/block.ts';
import { numberOf } from '../../blocks/header.ts';
import { PackedVerifiedTransaction, type Findings } from '../../blocks/packed_verified_transaction.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { ID_BYTES, LEAF_BYTES, readSigner, readSigners, writeSigner, writeSigners } from './finding_bytes.ts';

/** Encodes blocks, with everything that a verifier computed for them, into one buffer. */
export function encodeVerifiedBlocks(blocks: readonly VerifiedBlock[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(blocks.reduce((sum, { packed }) => sum + packed.length * 2 + 128, 16));
  out.u32(blocks.length);
  for (const block of blocks) {
    out.hex(block.id);
    writeSigner(out, block.signer);
    out.u32(block.packed.length);
    out.bytes(block.packed);
    out.u32(block.transactions.length);
    for (const { id, leaf, signers, unsignedBytes, packed } of block.transactions) {
      out.hex(id);
      out.hex(leaf);
      writeSigners(out, signers);
      out.u32(unsignedBytes);
      out.u32(packed.length);
    }
  }
  return out.finish();
}

/** The blocks, ready to be applied: nothing is computed again. Packed forms are views of `bytes`. */
export function decodeVerifiedBlocks(bytes: Uint8Array): VerifiedBlock[] {
  const input = new ByteReader(bytes);
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: input.u32() }, () => readVerifiedBlock(input, message));
}

function readVerifiedBlock(input: ByteReader, message: Buffer): VerifiedBlock {
  const id = input.hex(ID_BYTES);
  const signer = readSigner(input);
  const packed = input.bytes(input.u32());
  const findings = Array.from({ length: input.u32() }, () => readFindings(input));
  const header = readHeader(packed);
  // The transactions are the last part of a block, one after another.
  let at = packed.length - findings.reduce((sum, { length }) => sum + length, 0);
  const transactions = findings.map(
    ({ length, ...found }) => new PackedVerifiedTransaction({ ...found, packed: packed.subarray(at, (at += length)), message }),
  );
  return { number: numberOf(header), id, header, transactions, packed, signer };
}

function readFindings(input: ByteReader): Omit<Findings, 'packed' | 'message'> & { readonly length: number } {
  const id = input.hex(ID_BYTES);
  const leafAt = input.position;
  input.bytes(LEAF_BYTES);
  const signers = readSigners(input);
  return { id, leafAt, signers, unsignedBytes: input.u32(), length: input.u32() };
}
