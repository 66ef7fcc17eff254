import { Field } from '@noble/curves/abstract/modular.js';
import { weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';

// The curve alone, a third of what `secp256k1` of the same library takes: a page that verifies signs nothing.

/** SEC 2, 2.4.1. */
const curve = {
  p: BigInt('0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'),
  n: BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  h: 1n,
  a: 0n,
  b: 7n,
  Gx: BigInt('0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
  Gy: BigInt('0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'),
} as const;

/** The curve's endomorphism, which halves a multiplication (Gallant, Lambert, Vanstone 2001). */
const endo = {
  beta: BigInt('0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee'),
  basises: [
    [BigInt('0x3086d221a7d46bcde86c90e49284eb15'), -BigInt('0xe4437ed6010e88286f547fa90abfe4c3')],
    [BigInt('0x114ca50f7a8e2f3f657c1108d9d44cfd8'), BigInt('0x3086d221a7d46bcde86c90e49284eb15')],
  ],
} as const;

const Point = /* @__PURE__ */ weierstrass(curve, {
  Fp: /* @__PURE__ */ Field(curve.p),
  endo: { beta: endo.beta, basises: [[...endo.basises[0]], [...endo.basises[1]]] },
});

/** Plain ECDSA (SEC 1, 4.1.4), as verify.ts has it: header byte and canonical rules are not checked. */
export function verify(digest: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  try {
    const { Fn, BASE } = Point;
    const [r, s] = [bytesToNumberBE(signature.subarray(1, 33)), bytesToNumberBE(signature.subarray(33))];
    if (!Fn.isValidNot0(r) || !Fn.isValidNot0(s)) return false;
    const owner = Point.fromBytes(key);
    const inverse = Fn.inv(s);
    const hash = Fn.create(bytesToNumberBE(digest));
    const found = BASE.mulAddUnsafe(Fn.mul(hash, inverse), owner, Fn.mul(r, inverse));
    return !found.is0() && Fn.create(found.toAffine().x) === r;
  } catch {
    // The key is no point of the curve.
    return false;
  }
}
