import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';

const KEY_BYTES = 33;

/** Writes a signer; the null key stands for none, because no secret belongs to it. */
export function writeSigner(out: ByteWriter, signer: PublicKey | undefined): void {
  out.hex(signer ?? NULL_KEY);
}

/** Reads what `writeSigner` wrote. */
export function readSigner(input: ByteReader): PublicKey | undefined {
  const key = input.hex(KEY_BYTES);
  return key === NULL_KEY ? undefined : key;
}

/** Writes the signer of each signature of a transaction, in the order of the signatures. */
export function writeSigners(out: ByteWriter, signers: readonly (PublicKey | undefined)[]): void {
  out.varint(signers.length);
  for (const signer of signers) writeSigner(out, signer);
}

/** Reads what `writeSigners` wrote. */
export function readSigners(input: ByteReader): (PublicKey | undefined)[] {
  const signers: (PublicKey | undefined)[] = [];
  for (let left = input.varint(); left > 0; left--) signers.push(readSigner(input));
  return signers;
}
