import { assert } from '../base/assert.ts';
import type { CanonicalRule } from './canonical.ts';
import { isLowS } from './canonical.ts';
import { withSecret } from './wasm.ts';

/** A rule accepts more than 1 of 4 attempts, so 256 failures (1 in 10^31) mean a rule that no signature can meet. */
export const MAX_SIGN_ATTEMPTS = 256;

/**
 * Signs a digest: 65 bytes with low s that meet `rule` (low s alone by default), or undefined if the 32 bytes of
 * `secret` are not a private key. Deterministic as in the lineage (wire_format.md#signatures): attempt k = 1, 2, …
 * takes the (k+1)-th output of RFC 6979. Constant time; the module's copy of the secret is wiped.
 */
export function sign(digest: Uint8Array, secret: Uint8Array, rule: CanonicalRule = isLowS): Uint8Array | undefined {
  assert(digest.length === 32, 'a digest has 32 bytes');
  return withSecret(secret, (module) => {
    module.digests.set(digest);
    for (let attempt = 1; attempt <= MAX_SIGN_ATTEMPTS; attempt++) {
      if (module.signAttempt(attempt) !== 1) continue;
      const signature = module.signatures.slice(0, 65);
      if (rule(signature)) return signature;
    }
    return undefined;
  });
}
