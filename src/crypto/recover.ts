import { assert } from '../base/assert.ts';
import { cryptoModule } from './wasm.ts';

/** Keys recovered from a list of signatures: `keys` holds 33 bytes each, zero where `recovered` is 0. */
export interface RecoveredKeys {
  readonly keys: Uint8Array;
  readonly recovered: Uint8Array;
}

/**
 * The keys that made `count` signatures: digests of 32 and signatures of 65 bytes, each list contiguous.
 * Recovery (SEC 1, 4.1.6) with all four recovery ids; no canonical rule is applied. Inversions are shared.
 */
export function recoverKeys(count: number, digests: Uint8Array, signatures: Uint8Array): RecoveredKeys {
  assert(digests.length === count * 32, 'one digest of 32 bytes for each item');
  assert(signatures.length === count * 65, 'one signature of 65 bytes for each item');
  const module = cryptoModule();
  const keys = new Uint8Array(count * 33);
  const recovered = new Uint8Array(count);
  for (let from = 0; from < count; from += module.maxItems) {
    const to = Math.min(count, from + module.maxItems);
    module.digests.set(digests.subarray(from * 32, to * 32));
    module.signatures.set(signatures.subarray(from * 65, to * 65));
    module.recoverKeys(to - from);
    keys.set(module.keys.subarray(0, (to - from) * 33), from * 33);
    recovered.set(module.verdicts.subarray(0, to - from), from);
  }
  return { keys, recovered };
}

/** The key that made one signature, or undefined if there is none (header byte, r, s or R out of range). */
export function recoverKey(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const { keys, recovered } = recoverKeys(1, digest, signature);
  return recovered[0] === 1 ? keys : undefined;
}
