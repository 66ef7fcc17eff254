import { assert } from '../base/assert.ts';
import { cryptoModule } from './wasm.ts';

/**
 * Plain ECDSA: whether r and s of the signature are valid for digest and key; header byte and canonical rules are not
 * checked.
 */
export function verify(digest: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  assert(
    digest.length === 32 && signature.length === 65 && key.length === 33,
    'digest of 32, signature of 65, key of 33 bytes',
  );
  const module = cryptoModule();
  module.digests.set(digest);
  module.signatures.set(signature);
  module.keys.set(key);
  return module.verify() === 1;
}
