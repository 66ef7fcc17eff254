import { refusals } from '../base/refusal.ts';

// Reed–Solomon codes over GF(256) with x⁸+x⁴+x³+x²+1, as QR codes use them.

const POLYNOMIAL = 0x11d;

/** The check bytes of some data: the remainder of the division by (x − 2⁰)(x − 2¹)…, `count` factors. */
function errorCorrection(data: Uint8Array, count: number): Uint8Array {
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

// The part of QR codes (ISO/IEC 18004) that a wallet needs: byte mode, versions 1 to 9, error correction level M (15
// %).

/** Rows of modules, true for dark; without the quiet zone. */
export type Modules = readonly (readonly boolean[])[];

const refuse = refusals({
  text_too_long: 'a text of {bytes} bytes does not fit into a code, which holds {limit} at most',
});

/** The refusals of a code. */
export const qrCodeRefusals = refuse.texts;

/** For each version at level M (tables 7 and 9 of the standard): data bytes, check bytes per block, blocks. */
const VERSIONS = [
  { data: 16, check: 10, blocks: 1 },
  { data: 28, check: 16, blocks: 1 },
  { data: 44, check: 26, blocks: 1 },
  { data: 64, check: 18, blocks: 2 },
  { data: 86, check: 24, blocks: 2 },
  { data: 108, check: 16, blocks: 4 },
  { data: 124, check: 18, blocks: 4 },
  { data: 154, check: 22, blocks: 4 },
  { data: 182, check: 22, blocks: 5 },
] as const;

/** Mode and length take 12 bits, so two bytes aren't available for the text. */
const HEAD_BYTES = 2;
const LONGEST_TEXT = 180;

/** The QR code of a text, in the smallest version that holds it. */
export function qrCode(text: string): Modules {
  const bytes = Buffer.from(text, 'utf8');
  const index = VERSIONS.findIndex(({ data }) => data >= bytes.length + HEAD_BYTES);
  const form = VERSIONS[index] ?? refuse.text_too_long({ bytes: bytes.length, limit: LONGEST_TEXT });
  const grid = new Grid(index + 1);
  grid.drawPatterns();
  grid.drawData(interleaved(dataBytes(bytes, form.data), form.check, form.blocks));
  return grid.bestMasked();
}

/** Mode 4 (bytes), the length in 8 bits, the text, and padding. */
function dataBytes(text: Uint8Array, size: number): Uint8Array {
  const data = new Uint8Array(size);
  data[0] = 0x40 | (text.length >>> 4);
  data[1] = (text.length << 4) & 0xff;
  text.forEach((byte, k) => {
    data[k + 1] = (data[k + 1] ?? 0) | (byte >>> 4);
    data[k + 2] = (byte << 4) & 0xff;
  });
  for (let k = text.length + HEAD_BYTES; k < size; k++) data[k] = (k - text.length) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/** The interleaved bytes of the blocks, first all data, then all check bytes; later blocks may have one byte more. */
function interleaved(data: Uint8Array, check: number, count: number): number[] {
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const blocks: Uint8Array[] = [];
  for (let k = 0, at = 0; k < count; k++) {
    const size = short + (k >= count - longer ? 1 : 0);
    blocks.push(data.subarray(at, at + size));
    at += size;
  }
  const checks = blocks.map((block) => errorCorrection(block, check));
  return [...inTurn(blocks, short + 1), ...inTurn(checks, check)];
}

function inTurn(lists: readonly Uint8Array[], length: number): number[] {
  return Array.from({ length }, (_, k) => lists.map((list) => list[k]).filter((byte) => byte !== undefined)).flat();
}

/** Coordinates of the centres of alignment patterns, in both directions. */
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Grid {
  readonly #version: number;
  readonly #size: number;
  readonly #dark: boolean[][];
  /** Modules that don't hold data. */
  readonly #fixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = version * 4 + 17;
    this.#dark = square(this.#size);
    this.#fixed = square(this.#size);
  }

  drawPatterns(): void {
    const last = this.#size - 1;
    for (let k = 0; k < this.#size; k++) {
      this.#set(6, k, k % 2 === 0);
      this.#set(k, 6, k % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [last - 3, 3],
      [3, last - 3],
    ] as const)
      this.#drawRings(x, y, 4);
    const centres = ALIGNMENT[this.#version - 1] ?? [];
    const isFinder = (x: number, y: number): boolean =>
      (x === 6 && y === 6) || (x === 6 && y === last - 6) || (x === last - 6 && y === 6);
    for (const x of centres) for (const y of centres) if (!isFinder(x, y)) this.#drawRings(x, y, 2);
    if (this.#version >= 7) this.#drawVersion();
    this.#drawFormat(0);
  }

  /** Draws the bits in pairs of columns from the right, alternately upward and downward, skipping fixed modules. */
  drawData(bytes: readonly number[]): void {
    let bit = 0;
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      // The column of the timing pattern isn't part of a pair.
      if (right === 6) right = 5;
      const upward = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.#size; step++) {
        const y = upward ? this.#size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.#fixed[y]?.[x] !== false) continue;
          this.#row(y)[x] = (((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
          bit++;
        }
      }
    }
  }

  /** The grid with the mask that has the lowest penalty. */
  bestMasked(): Modules {
    const all = MASKS.map((_, mask) => this.#masked(mask));
    const [first = []] = all;
    return all.reduce((best, each) => (penalty(each) < penalty(best) ? each : best), first);
  }

  #masked(mask: number): boolean[][] {
    this.#drawFormat(mask);
    const isMasked = MASKS[mask];
    return this.#dark.map((row, y) =>
      row.map((dark, x) => (this.#fixed[y]?.[x] === false && isMasked?.(x, y) === true ? !dark : dark)),
    );
  }

  /**
   * Draws a dark square in light and dark rings; `reach` 4 is a finder with its light border, 2 an alignment pattern.
   */
  #drawRings(centreX: number, centreY: number, reach: number): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        this.#set(centreX + dx, centreY + dy, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
      }
    }
  }

  /** Draws level M and the mask as 15 bits, twice, and the module that is always dark. */
  #drawFormat(mask: number): void {
    const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412;
    const bit = (k: number): boolean => ((bits >>> k) & 1) === 1;
    const last = this.#size - 1;
    for (let k = 0; k < 15; k++) {
      const beside = k < 6 ? k : k < 8 ? k + 1 : 14 - k + (k === 8 ? 1 : 0);
      if (k < 8) this.#set(8, beside, bit(k));
      else this.#set(beside, 8, bit(k));
      if (k < 8) this.#set(last - k, 8, bit(k));
      else this.#set(8, last - 14 + k, bit(k));
    }
    this.#set(8, last - 7, true);
  }

  /** Draws the version as 18 bits, twice. */
  #drawVersion(): void {
    const bits = (this.#version << 12) | remainder(this.#version, 12, 0x1f25);
    for (let k = 0; k < 18; k++) {
      const dark = ((bits >>> k) & 1) === 1;
      const [near, far] = [Math.floor(k / 3), this.#size - 11 + (k % 3)];
      this.#set(near, far, dark);
      this.#set(far, near, dark);
    }
  }

  #set(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.#row(y)[x] = dark;
    const fixed = this.#fixed[y];
    if (fixed !== undefined) fixed[x] = true;
  }

  #row(y: number): boolean[] {
    return this.#dark[y] ?? [];
  }
}

function square(size: number): boolean[][] {
  return Array.from({ length: size }, () => Array.from({ length: size }, () => false));
}

/** The remainder of value × 2^degree divided by a polynomial over GF(2). */
function remainder(value: number, degree: number, polynomial: number): number {
  let rest = value;
  for (let k = 0; k < degree; k++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial);
  return rest;
}

const LOOKS_LIKE_FINDER = ['10111010000', '00001011101'];

/** The standard's four rules: long runs, blocks of four, patterns like a finder, too much of one colour. */
function penalty(modules: Modules): number {
  const rows = modules.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''));
  const columns = rows.map((_, x) => rows.map((row) => row.charAt(x)).join(''));
  const lines = [...rows, ...columns];
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
  const finders = lines.reduce(
    (sum, line) => sum + LOOKS_LIKE_FINDER.filter((pattern) => line.includes(pattern)).length,
    0,
  );
  let squares = 0;
  for (let y = 1; y < rows.length; y++) {
    for (let x = 1; x < rows.length; x++) {
      const four = (rows[y - 1]?.slice(x - 1, x + 1) ?? '') + (rows[y]?.slice(x - 1, x + 1) ?? '');
      if (four === '0000' || four === '1111') squares++;
    }
  }
  const share = rows.join('').replaceAll('0', '').length / (rows.length * rows.length);
  return runs + squares * 3 + finders * 40 + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}
