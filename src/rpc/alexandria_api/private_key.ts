import { refusals } from '../../base/refusal.ts';
import { signWithSecret } from '../../blocks/sign_transaction.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { decodeWif, LONGEST_WIF, wifFault } from '../../crypto/wif.ts';
import type { Digest, Signature } from '../../values/hash.ts';
import { boundedText } from '../../values/limited_text.ts';
import type { PublicKey } from '../../values/public_key.ts';

const refuse = refusals({
  malformed_private_key: {
    text: 'the private key {fault}',
    lineage: 'priv_key.has_value(): Malformed private key',
  },
});

/** Refusals of a private key; the text never contains the key. */
export const privateKeyRefusals = refuse.texts;

/** A private key in wallet import format, which `requireSecret` reads. */
export const privateKeyText = boundedText(LONGEST_WIF);

/** The 32 bytes of a private key in wallet import format, checked to be a key of the curve. */
export function requireSecret(wif: string): Uint8Array {
  const secret = decodeWif(wif);
  return secret === undefined || derivePublicKey(secret) === undefined
    ? refuse.malformed_private_key({ fault: wifFault(wif) })
    : secret;
}

/** The public key of 32 bytes; undefined when they are not a private key. */
export function publicKeyHex(secret: Uint8Array): PublicKey | undefined {
  const key = derivePublicKey(secret);
  return key === undefined ? undefined : Buffer.from(key).toString('hex');
}

/** A signature like those of the lineage's helpers, which every chain accepts. */
export function signDigest(digest: Digest, secret: Uint8Array): Signature {
  return (
    signWithSecret(Buffer.from(digest, 'hex'), secret) ??
    refuse.malformed_private_key({ fault: 'is 0 or not below the order of the curve' })
  );
}
