import { readHeader, type PackedBlock, type ProvedBlock } from '../../blocks/block.ts';
import { numberOf } from '../../blocks/header.ts';
import { revive } from '../../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';

const ID_BYTES = 20;
const LEAF_BYTES = 32;
const KEY_BYTES = 33;

/** Blocks with everything that a verifier found out about them, in one buffer. */
export function encodeProvedBlocks(blocks: readonly ProvedBlock[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(blocks.reduce((sum, { packed }) => sum + packed.length * 2 + 128, 16));
  out.u32(blocks.length);
  for (const block of blocks) {
    out.hex(block.id);
    out.hex(block.signer ?? NULL_KEY);
    out.u32(block.packed.length);
    out.bytes(block.packed);
    out.u32(block.transactions.length);
    for (const { id, leaf, signers, packed } of block.transactions) {
      out.hex(id);
      out.hex(leaf);
      out.varint(signers.length);
      for (const signer of signers) out.hex(signer ?? NULL_KEY);
      out.u32(packed.length);
    }
  }
  return out.finish();
}

/** The blocks, ready to be applied: nothing that was found out is computed again. */
export function decodeProvedBlocks(bytes: Uint8Array): ProvedBlock[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: input.u32() }, () => readProvedBlock(input));
}

function readProvedBlock(input: ByteReader): ProvedBlock {
  const id = input.hex(ID_BYTES);
  const signer = keyOf(input.hex(KEY_BYTES));
  const packed = input.bytes(input.u32());
  const findings = Array.from({ length: input.u32() }, () => ({
    id: input.hex(ID_BYTES),
    leaf: input.hex(LEAF_BYTES),
    signers: Array.from({ length: input.varint() }, () => keyOf(input.hex(KEY_BYTES))),
    length: input.u32(),
  }));
  const header = readHeader(packed);
  // Transactions are the last part of a block, one behind the other.
  let at = packed.length - findings.reduce((sum, { length }) => sum + length, 0);
  const transactions = findings.map(({ length, ...found }) => revive(packed.subarray(at, (at += length)), found));
  const block: PackedBlock = { number: numberOf(header), id, header, transactions, packed };
  return { ...block, transactions, signer };
}

function keyOf(key: PublicKey): PublicKey | undefined {
  return key === NULL_KEY ? undefined : key;
}
