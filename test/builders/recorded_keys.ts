import { present } from '../../src/base/assert.ts';
import { base58Decode } from '../../src/crypto/base58.ts';
import { decodeWif } from '../../src/crypto/wif.ts';

export const hexBytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');

/** The private key in a recorded WIF. */
export const secretOfWif = (text: string): Uint8Array => present(decodeWif(text), 'the private key');

/** The key in a recorded public key text of the lineage (prefix SPH). */
export const keyOfText = (text: string): Uint8Array =>
  present(base58Decode(text.slice(3)), 'the public key').slice(0, 33);
