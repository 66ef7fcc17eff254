// Reed–Solomon codes over GF(256) with x⁸+x⁴+x³+x²+1, as QR codes use them.

const POLYNOMIAL = 0x11d;

/** The check bytes of some data: the remainder of the division by (x − 2⁰)(x − 2¹)…, `count` factors. */
export function errorCorrection(data: Uint8Array, count: number): Uint8Array {
  const divisor = generator(count);
  const rest = new Uint8Array(count);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[count - 1] = 0;
    divisor.forEach((coefficient, k) => {
      rest[k] = (rest[k] ?? 0) ^ multiply(coefficient, factor);
    });
  }
  return rest;
}

/** The coefficients of the product, without the highest, which is 1. */
function generator(count: number): Uint8Array {
  const product = new Uint8Array(count);
  product[count - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < count; factor++) {
    for (let k = 0; k < count; k++) product[k] = multiply(product[k] ?? 0, root) ^ (product[k + 1] ?? 0);
    root = multiply(root, 2);
  }
  return product;
}

/** The product of two elements of the field. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * POLYNOMIAL);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}
