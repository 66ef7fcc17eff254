import { assert } from '../base/assert.ts';
import { sha512 } from './hashes.ts';
import { withSecret } from './wasm.ts';

/**
 * The shared secret of two key holders (wire_format.md#shared-secret): sha512 of the x-coordinate of secret × key, 64
 * bytes; undefined if the secret is not in 1..n−1 or the key is not a point on the curve. Constant time in the secret.
 */
export function sharedSecret(secret: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  assert(key.length === 33, 'a public key has 33 bytes');
  return withSecret(secret, (module) => {
    module.keys.set(key);
    if (module.sharedX() !== 1) return undefined;
    const x = module.digests.subarray(0, 32);
    const shared = sha512(x);
    x.fill(0);
    return shared;
  });
}
