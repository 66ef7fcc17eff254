import { createHmacDrbg } from '@noble/curves/utils.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { isLowS, type CanonicalRule } from '../canonical.ts';
import { randomBytes } from './random.ts';

const { Point } = secp256k1;
const { Fn } = Point;
/** A rule accepts more than 1 of 4 attempts, so 256 failures (1 in 10^31) mean a rule that no signature can meet. */
const MAX_SIGN_ATTEMPTS = 256;
const COMPRESSED = 31;

/** Signs a digest, byte for byte as sign.ts does: the attempts are the outputs of RFC 6979 from the second on. */
export function sign(digest: Uint8Array, secret: Uint8Array, rule: CanonicalRule = isLowS): Uint8Array | undefined {
  if (!secp256k1.utils.isValidSecretKey(secret)) return undefined;
  const outputs = createHmacDrbg<{ readonly signature: Uint8Array | undefined }>(
    32,
    32,
    (key: Uint8Array, message: Uint8Array) => hmac(sha256, key, message),
  );
  let count = 0;
  return outputs(concatBytes(secret, digest), (nonce) => {
    if (count++ === 0) return undefined;
    if (count > MAX_SIGN_ATTEMPTS) return { signature: undefined };
    const signature = trySignature(bytesToNumber(nonce), bytesToNumber(digest), bytesToNumber(secret));
    return signature !== undefined && rule(signature) ? { signature } : undefined;
  }).signature;
}

function trySignature(nonce: bigint, digest: bigint, secret: bigint): Uint8Array | undefined {
  if (!Fn.isValidNot0(nonce)) return undefined;
  const point = Point.BASE.multiply(nonce).toAffine();
  const r = Fn.create(point.x);
  // A random factor keeps how long the inversion takes from telling anything of the nonce.
  const blind = Fn.create(bytesToNumber(randomBytes(40)));
  const sum = Fn.add(Fn.mul(Fn.create(digest), blind), Fn.mul(r, Fn.mul(secret, blind)));
  const s = Fn.mul(sum, Fn.inv(Fn.mul(nonce, blind)));
  if (r === 0n || s === 0n) return undefined;
  const isHigh = s > Fn.ORDER / 2n;
  const recovery = (point.x >= Fn.ORDER ? 2 : 0) | (Number(point.y & 1n) ^ (isHigh ? 1 : 0));
  return concatBytes(Uint8Array.of(COMPRESSED + recovery), Fn.toBytes(r), Fn.toBytes(isHigh ? Fn.neg(s) : s));
}

function bytesToNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}
