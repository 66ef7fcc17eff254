import { derivePublicKey } from '../../crypto/keys.ts';
import { randomBytes } from '../../crypto/random.ts';

/** A new private key. */
export function randomSecret(): Uint8Array {
  const secret = randomBytes(32);
  // About one value in 2¹²⁸ isn't a valid key.
  return derivePublicKey(secret) === undefined ? randomSecret() : secret;
}
