// The rules about the form of a signature (wire_format.md#signatures): header byte 27..34, then r and s, 32 bytes each,
// big-endian.

/** A rule about the 65 bytes of a signature; false means "signature is not canonical". */
export type CanonicalRule = (signature: Uint8Array) => boolean;

const R = 1;
const S = 33;
/** Header bytes from here on mean a compressed key, the only form of key used here. */
const COMPRESSED = 31;
const FORMS_OF_HEADER = 4;

/** n, the order of the group, and floor(n / 2) (SEC 2, 2.4.1). */
const order = Uint8Array.from(Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'));
const halfOrder = Uint8Array.from(
  Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex'),
);
/** floor(n / 2) as stored in memory by a little-endian machine; the lineage compares big-endian s with this. */
const looseBound = Uint8Array.from(halfOrder).reverse();

/** Compares the 32 bytes at `offset` with `bound`: negative, 0 or positive. */
function compare(signature: Uint8Array, offset: number, bound: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = (signature[offset + i] ?? 0) - (bound[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function isZero(signature: Uint8Array, offset: number): boolean {
  for (let i = 0; i < 32; i++) if (signature[offset + i] !== 0) return false;
  return true;
}

/** True when the number at `offset` takes exactly 32 bytes in DER: first bit clear, first nine bits not all clear. */
function fillsDer(signature: Uint8Array, offset: number): boolean {
  const first = signature[offset] ?? 0;
  const second = signature[offset + 1] ?? 0;
  return first < 0x80 && !(first === 0 && second < 0x80);
}

/** True when readers accept the header byte, 27..34; its recovery id is (byte − 27) & 3. */
export function hasValidHeader(signature: Uint8Array): boolean {
  const header = signature[0] ?? 0;
  return signature.length === 65 && header >= 27 && header <= 34;
}

/** The "fc rule": r and s both take exactly 32 bytes in DER. Before hardfork 1, and for signing helpers always. */
export const isFcCanonical: CanonicalRule = (signature) => fillsDer(signature, R) && fillsDer(signature, S);

/** The lineage's rule from hardfork 1 on: s ≤ n/2 compared with the bytes of n/2 reversed, so s up to 0x9f… passes. */
export const isLooselyCanonical: CanonicalRule = (signature) => compare(signature, S, looseBound) <= 0;

/** Low s: r in 1..n−1 and s in 1..n/2. Signers always produce it. */
export const isLowS: CanonicalRule = (signature) =>
  !isZero(signature, R) &&
  compare(signature, R, order) < 0 &&
  !isZero(signature, S) &&
  compare(signature, S, halfOrder) <= 0;

/** Header byte 31..34 and low s: only the signer can make a second valid signature, so signatures are not malleable. */
export const isOfOneForm: CanonicalRule = (signature) => (signature[0] ?? 0) >= COMPRESSED && isLowS(signature);

/** Converts a signature to its one form, in place; leaves anything else unchanged. */
export function bringIntoOneForm(signature: Uint8Array): void {
  if (!hasValidHeader(signature)) return;
  const header = signature[0] ?? 0;
  if (header < COMPRESSED) signature[0] = header + FORMS_OF_HEADER;
  const hasHighS = compare(signature, S, halfOrder) > 0 && compare(signature, S, order) < 0;
  if (!hasHighS) return;
  subtractFromOrder(signature);
  // −s belongs to −R, whose y has the other parity.
  signature[0] = COMPRESSED + (((signature[0] ?? 0) - COMPRESSED) ^ 1);
}

function subtractFromOrder(signature: Uint8Array): void {
  let borrow = 0;
  for (let i = 31; i >= 0; i--) {
    const difference = (order[i] ?? 0) - (signature[S + i] ?? 0) - borrow;
    borrow = difference < 0 ? 1 : 0;
    signature[S + i] = difference & 0xff;
  }
}
