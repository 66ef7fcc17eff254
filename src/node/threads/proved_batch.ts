import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import { revive, type ProvedTransaction } from '../../blocks/transaction.ts';

/** A transaction on its way from a verifier to the writer: whose broadcast it is, and everything that was computed. */
export interface ProvedItem {
  readonly ticket: number;
  readonly proved: ProvedTransaction;
}

const ID_BYTES = 20;
const LEAF_BYTES = 32;
const KEY_BYTES = 33;

/** All items in one buffer of its own. */
export function encodeProvedBatch(items: readonly ProvedItem[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(items.reduce((sum, { proved }) => sum + proved.packed.length + 128, 16));
  out.u32(items.length);
  for (const { ticket, proved } of items) {
    out.u32(ticket);
    out.hex(proved.id);
    out.hex(proved.leaf);
    out.varint(proved.signers.length);
    for (const signer of proved.signers) out.hex(signer ?? NULL_KEY);
    out.u32(proved.packed.length);
    out.bytes(proved.packed);
  }
  return out.finish();
}

/** The items of a batch, ready to be applied. Packed forms are views of it. */
export function decodeProvedBatch(bytes: Uint8Array): ProvedItem[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: input.u32() }, () => {
    const ticket = input.u32();
    const id = input.hex(ID_BYTES);
    const leaf = input.hex(LEAF_BYTES);
    const signers = Array.from({ length: input.varint() }, () => signerOf(input.hex(KEY_BYTES)));
    const packed = input.bytes(input.u32());
    return { ticket, proved: revive(packed, { id, leaf, signers }) };
  });
}

/** No key signs as the null key, so it stands for nobody. */
function signerOf(key: PublicKey): PublicKey | undefined {
  return key === NULL_KEY ? undefined : key;
}
