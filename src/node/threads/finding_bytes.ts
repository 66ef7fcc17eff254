import type { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';

/** Of the ids of transactions and blocks, and of the leaf that a transaction is in a merkle tree, on their way between threads. */
export const ID_BYTES = 20;
export const LEAF_BYTES = 32;
const KEY_BYTES = 33;

/** Who signed; no key signs as the null key, so it stands for nobody. */
export function writeSigner(out: ByteWriter, signer: PublicKey | undefined): void {
  out.hex(signer ?? NULL_KEY);
}

/** What `writeSigner` wrote. */
export function readSigner(input: ByteReader): PublicKey | undefined {
  const key = input.hex(KEY_BYTES);
  return key === NULL_KEY ? undefined : key;
}

/** Who made each signature of a transaction, in their order. */
export function writeSigners(out: ByteWriter, signers: readonly (PublicKey | undefined)[]): void {
  out.varint(signers.length);
  for (const signer of signers) writeSigner(out, signer);
}

/** What `writeSigners` wrote. */
export function readSigners(input: ByteReader): (PublicKey | undefined)[] {
  return Array.from({ length: input.varint() }, () => readSigner(input));
}
