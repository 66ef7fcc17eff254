import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/refusal.ts';
import { qrCode, type Modules, multiply } from '../../src/wallet/qr_code.ts';
import { showQrCode } from '../../src/wallet/show/qr_code.ts';

// A reader of its own, written from the standard's side: it knows where bytes lie and what must be true of them, not
// how the writer puts them there. (The writer was also read back by an independent decoder when it was made.)

/** Check bytes a block, and data bytes of each block, at level M. */
const BLOCKS: readonly { check: number; data: number[] }[] = [
  { check: 10, data: [16] },
  { check: 16, data: [28] },
  { check: 26, data: [44] },
  { check: 18, data: [32, 32] },
  { check: 24, data: [43, 43] },
  { check: 16, data: [27, 27, 27, 27] },
  { check: 18, data: [31, 31, 31, 31] },
  { check: 22, data: [38, 38, 39, 39] },
  { check: 22, data: [36, 36, 36, 37, 37] },
];
const CENTRES = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46]];
const MASKS = [
  (i: number, j: number): boolean => (i + j) % 2 === 0,
  (i: number): boolean => i % 2 === 0,
  (_: number, j: number): boolean => j % 3 === 0,
  (i: number, j: number): boolean => (i + j) % 3 === 0,
  (i: number, j: number): boolean => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i: number, j: number): boolean => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i: number, j: number): boolean => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i: number, j: number): boolean => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
];

function read(modules: Modules): string {
  const size = modules.length;
  const version = (size - 17) / 4;
  const at = (row: number, column: number): number => (modules[row]?.[column] === true ? 1 : 0);
  // Format: bits 14…0 along row 8, then up column 8.
  const cells: [number, number][] = [
    [8, 0],
    [8, 1],
    [8, 2],
    [8, 3],
    [8, 4],
    [8, 5],
    [8, 7],
    [8, 8],
    [7, 8],
    [5, 8],
    [4, 8],
    [3, 8],
    [2, 8],
    [1, 8],
    [0, 8],
  ];
  const format = cells.reduce((bits, [row, column]) => bits * 2 + at(row, column), 0) ^ 0b101010000010010;
  assert.equal(format >>> 13, 0, 'level M');
  assert.equal(modules[size - 8]?.[8], true, 'the dark module');
  const isMasked = MASKS[(format >>> 10) & 7] ?? assert.fail('a mask');
  const isData = (row: number, column: number): boolean => {
    if (row === 6 || column === 6) return false;
    if ((row < 9 && column < 9) || (row < 9 && column >= size - 8) || (row >= size - 8 && column < 9)) return false;
    if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return false;
    const centres = CENTRES[version - 1] ?? [];
    const last = centres.at(-1) ?? 0;
    const isFinder = (a: number, b: number): boolean =>
      (a === 6 && b === 6) || (a === 6 && b === last) || (a === last && b === 6);
    return !centres.some((a) =>
      centres.some((b) => !isFinder(a, b) && Math.abs(row - a) <= 2 && Math.abs(column - b) <= 2),
    );
  };
  const bits: number[] = [];
  const pairs = [...Array(size).keys()].filter((column) => column !== 6).toReversed();
  for (let k = 0; k < pairs.length; k += 2) {
    const rows = [...Array(size).keys()];
    if ((k / 2) % 2 === 0) rows.reverse();
    for (const row of rows)
      for (const column of pairs.slice(k, k + 2))
        if (isData(row, column)) bits.push(at(row, column) ^ (isMasked(row, column) ? 1 : 0));
  }
  const bytes = Array.from({ length: Math.floor(bits.length / 8) }, (_, k) =>
    Number.parseInt(bits.slice(k * 8, k * 8 + 8).join(''), 2),
  );
  return decodeText(bytes, version);
}

function decodeText(bytes: readonly number[], version: number): string {
  const { check, data } = BLOCKS[version - 1] ?? assert.fail('a version');
  const blocks = data.map((): number[] => []);
  const rest = bytes.values();
  const take = (): number => rest.next().value ?? 0;
  for (let k = 0; k < Math.max(...data); k++)
    data.forEach((length, block) => k < length && blocks[block]?.push(take()));
  for (let k = 0; k < check; k++) for (const block of blocks) block.push(take());
  for (const block of blocks) {
    for (let power = 0, root = 1; power < check; power++, root = multiply(root, 2)) {
      assert.equal(
        block.reduce((sum, byte) => multiply(sum, root) ^ byte, 0),
        0,
        'a code word of the Reed–Solomon code',
      );
    }
  }
  const hex = blocks.map((block, k) => Buffer.from(block.slice(0, data[k])).toString('hex')).join('');
  assert.equal(hex[0], '4', 'byte mode');
  const length = Number.parseInt(hex.slice(1, 3), 16);
  return Buffer.from(hex.slice(3, 3 + length * 2), 'hex').toString('utf8');
}

test('every text that fits is read back, in every version', () => {
  const sizes = new Set<number>();
  for (let length = 0; length <= 180; length++) {
    const text = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'.repeat(4).slice(0, length);
    const code = qrCode(text);
    sizes.add(code.length);
    assert.equal(read(code), text);
  }
  assert.deepEqual([...sizes], [21, 25, 29, 33, 37, 41, 45, 49, 53]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      if (Buffer.byteLength(text) <= 180) assert.equal(read(qrCode(text)), text);
    }),
    { numRuns: 50 },
  );
  assert.throws(() => qrCode('x'.repeat(181)), Refusal);
});

test('the product of the field is that of polynomials', () => {
  assert.equal(multiply(2, 128), 0x1d);
  fc.assert(
    fc.property(fc.nat(255), fc.nat(255), fc.nat(255), (a, b, c) =>
      assert.equal(multiply(a, b ^ c), multiply(a, b) ^ multiply(a, c)),
    ),
  );
});

test('a code is drawn with a quiet zone, dark on light where there are colours', () => {
  const plain = showQrCode({ text: 'a' }, { colours: false, columns: 0 }).split('\n');
  assert.equal(plain[0], '█'.repeat(29));
  assert.equal(plain.at(-2), 'a');
  assert.ok(
    showQrCode({ text: 'a' }, { colours: true, columns: 80 }).startsWith(`\u001B[30;107m${' '.repeat(29)}\u001B[0m\n`),
  );
});
