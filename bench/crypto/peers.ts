import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { recover as recoverTiny } from 'tiny-secp256k1';
import { assert } from '../../src/base/assert.ts';
import type { ExpectedSigners } from '../../src/crypto/verify_signers.ts';

/** Recovers the first `count` items of a batch with another library. */
export type PeerRecover = (batch: ExpectedSigners, count: number) => void;

type Addon = { ecdsaRecover: (...parameters: readonly (Uint8Array | number | boolean)[]) => unknown };

function isAddon(value: unknown): value is Addon {
  return (
    typeof value === 'object' && value !== null && 'ecdsaRecover' in value && typeof value.ecdsaRecover === 'function'
  );
}

/** The native addon of the npm package secp256k1, or undefined on a machine without a binary of it. */
export function nativeAddon(): PeerRecover | undefined {
  let addon: unknown;
  try {
    // The package's index falls back to JavaScript silently; its bindings don't.
    addon = createRequire(import.meta.url)('secp256k1/bindings.js');
  } catch {
    return undefined;
  }
  if (!isAddon(addon)) return undefined;
  const { ecdsaRecover } = addon;
  return (batch, count) => {
    for (let i = 0; i < count; i++) {
      const { digest, signature, recoveryId } = batchItem(batch, i);
      const key = ecdsaRecover(signature.subarray(1), recoveryId, digest, true, new Uint8Array(33));
      assert(key instanceof Uint8Array, 'the addon recovers');
    }
  };
}

/** @noble/curves, JavaScript. */
export const noble: PeerRecover = (batch, count) => {
  for (let i = 0; i < count; i++) {
    const { digest, signature, recoveryId } = batchItem(batch, i);
    const key = secp256k1.recoverPublicKey(signature.with(0, recoveryId), digest, { prehash: false });
    assert(key.length === 33, 'noble recovers');
  }
};

/** tiny-secp256k1, WASM of the C library as its authors build it. */
export const tiny: PeerRecover = (batch, count) => {
  for (let i = 0; i < count; i++) {
    const { digest, signature, recoveryId } = batchItem(batch, i);
    assert(
      isRecoveryId(recoveryId) && recoverTiny(digest, signature.subarray(1), recoveryId, true) !== null,
      'tiny-secp256k1 recovers',
    );
  }
};

const isRecoveryId = (id: number): id is 0 | 1 | 2 | 3 => id >= 0 && id <= 3;

function batchItem(
  batch: ExpectedSigners,
  i: number,
): { digest: Uint8Array; signature: Uint8Array; recoveryId: number } {
  const signature = batch.signatures.subarray(i * 65, i * 65 + 65);
  return { digest: batch.digests.subarray(i * 32, i * 32 + 32), signature, recoveryId: ((signature[0] ?? 0) - 27) & 3 };
}
