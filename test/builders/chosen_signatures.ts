import { secp256k1 } from '@noble/curves/secp256k1.js';

// Signatures made with chosen nonces, by an implementation that shares nothing with ours. Not constant time: for tests
// only.

/** The order of the group. */
export const ORDER = secp256k1.Point.CURVE().n;

const scalars = secp256k1.Point.Fn;

export const bytes32 = (number: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(number.toString(16).padStart(64, '0'), 'hex'));
export const bytesToNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** The 65 bytes of a signature. */
export const packSignature = (recoveryId: number, r: bigint, s: bigint): Uint8Array =>
  new Uint8Array(Buffer.concat([Uint8Array.of(31 + recoveryId), bytes32(r), bytes32(s)]));

/** The compressed public key of a secret number. */
export function publicKeyBytes(secret: bigint): Uint8Array {
  const { x, y } = curvePoint(secret);
  return new Uint8Array(Buffer.concat([Uint8Array.of(2 + Number(y & 1n)), bytes32(x)]));
}

/**
 * A signature with nonce `nonce` and any s. With `error` other than 0, s is such that the item misses its equation by
 * exactly error × G: such a signature is wrong, and two of them with opposite errors would cancel in a plain sum.
 */
export function signWithNonce(digest: Uint8Array, secret: bigint, nonce: bigint, error = 0n): Uint8Array {
  const { x, y } = curvePoint(nonce);
  const r = scalars.create(x);
  const sum = scalars.create(bytesToNumber(digest) + r * secret);
  const s = scalars.div(sum, scalars.create(nonce - error));
  return packSignature(Number(y & 1n) | (x >= ORDER ? 2 : 0), r, s);
}

/** Points are remembered: few secrets and nonces make most signatures of these tests. */
const points = new Map<bigint, { readonly x: bigint; readonly y: bigint }>();

function curvePoint(secret: bigint): { readonly x: bigint; readonly y: bigint } {
  const point = points.get(secret) ?? secp256k1.Point.BASE.multiply(secret).toAffine();
  points.set(secret, point);
  return point;
}

/** The same signature with n − s: valid too, with the other parity of R. */
export function withOtherS(signature: Uint8Array): Uint8Array {
  const header = (signature[0] ?? 0) - 31;
  return packSignature(
    header ^ 1,
    bytesToNumber(signature.subarray(1, 33)),
    ORDER - bytesToNumber(signature.subarray(33)),
  );
}

/**
 * A signature whose R and digest cancel each other without any key, so that it passes if the key's term in the sum
 * vanishes. The key that is recovered from it is the point at infinity.
 */
export function signatureOfNobody(digest: Uint8Array, nonce: bigint): Uint8Array {
  return signWithNonce(digest, 0n, nonce);
}
