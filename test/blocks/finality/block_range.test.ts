import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import {
  blockRange,
  isInRange,
  mountainEnds,
  NO_BLOCKS,
  nodesCompleted,
  rangePath,
  rangeRoot,
  type BlockRange,
} from '../../../src/blocks/finality/block_range.ts';
import { GrowingRange, type BinaryDigest } from '../../builders/growing_range.ts';
import { ByteReader, ByteWriter } from '../../../src/codec/bytes.ts';
import { sha256Hex } from '../../../src/crypto/hashes.ts';
import type { Digest } from '../../../src/values/hash.ts';

const BLOCKS = 140;
const headers = Array.from({ length: BLOCKS }, (_, index) => sha256Hex(Buffer.from(`header ${index + 1}`)));

/** Every range of the first blocks, and all nodes. */
function grown(): { ranges: BlockRange[]; hashAt: (height: number, index: number) => Digest } {
  const nodes = new Map<string, Digest>();
  const growing = new GrowingRange(NO_BLOCKS);
  const ranges = [growing.range];
  for (const [before, header] of headers.entries()) {
    const completed: BinaryDigest[] = [];
    growing.add(Buffer.from(header, 'hex').toString('latin1'), completed);
    for (const [height, hash] of completed.entries())
      nodes.set(`${height} ${Math.trunc(before / 2 ** height)}`, Buffer.from(hash, 'latin1').toString('hex'));
    ranges.push(growing.range);
  }
  return {
    ranges,
    hashAt: (height, index) => present(nodes.get(`${height} ${index}`), `node ${index} of height ${height}`),
  };
}

const { ranges, hashAt } = grown();
const getRange = (count: number): BlockRange => present(ranges[count], `the range of ${count} blocks`);
const getHeader = (number: number): Digest => present(headers[number - 1], `header ${number}`);
const hash = (...parts: (number[] | Digest)[]): Digest =>
  sha256Hex(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : Buffer.from(part)))),
  );

test('the root of three blocks is what the description says, byte by byte', () => {
  const [one, two, three] = [1, 2, 3].map((number) => hash([0], getHeader(number)));
  const first = hash([1], present(one, 'a leaf'), present(two, 'a leaf'));
  assert.deepEqual(getRange(3).peaks, [first, three]);
  assert.equal(rangeRoot(getRange(3)), hash([3, 3, 0, 0, 0], hash([2], first, present(three, 'a leaf'))));
  assert.equal(rangeRoot(getRange(1)), hash([3, 1, 0, 0, 0], present(one, 'a leaf')));
});

test('a range has a peak for each bit of its count, and every count has another root', () => {
  for (const { count, peaks } of ranges)
    assert.equal(peaks.length, count.toString(2).replaceAll('0', '').length, `${count}`);
  assert.equal(new Set(ranges.map(rangeRoot)).size, BLOCKS + 1);
});

test('each block completes as many nodes as it says, and the last blocks of mountains complete the peaks', () => {
  for (let number = 1; number <= BLOCKS; number++) {
    const completed: BinaryDigest[] = [];
    new GrowingRange(getRange(number - 1)).add(Buffer.from(getHeader(number), 'hex').toString('latin1'), completed);
    assert.equal(nodesCompleted(number), completed.length, `block ${number}`);
    const peaks = mountainEnds(number).map((end) =>
      hashAt(nodesCompleted(end) - 1, end / 2 ** (nodesCompleted(end) - 1) - 1),
    );
    assert.deepEqual(getRange(number).peaks, peaks, `block ${number}`);
  }
  assert.deepEqual(mountainEnds(0), []);
  assert.deepEqual(mountainEnds(2 ** 32 - 1).length, 32);
});

test('the path of each block leads to the root of each later range', () => {
  for (let count = 1; count <= BLOCKS; count++)
    for (let number = 1; number <= count; number++) {
      const path = rangePath(number, count, hashAt);
      assert.ok(
        isInRange(rangeRoot(getRange(count)), number, count, getHeader(number), path),
        `block ${number} of ${count}`,
      );
    }
});

test('no other block, number, count or path leads there', () => {
  for (const count of [1, 2, 3, 7, 64, 100, BLOCKS])
    for (let number = 1; number <= count; number++) {
      const root = rangeRoot(getRange(count));
      const path = rangePath(number, count, hashAt);
      const header = getHeader(number);
      const other = getHeader(number === BLOCKS ? 1 : number + 1);
      assert.ok(!isInRange(root, number, count, other, path), 'another header');
      for (const wrong of [0, number - 1, number + 1, count + 1, -1])
        assert.ok(!isInRange(root, wrong, count, header, path), `number ${wrong}`);
      assert.ok(!isInRange(root, number, count - 1, header, path), 'a smaller count');
      assert.ok(!isInRange(root, number, count + 1, header, path), 'a larger count');
      assert.ok(!isInRange(root, number, count, header, [...path, other]), 'a longer path');
      assert.ok(!isInRange(root, number, count, header, path.slice(1)) || path.length === 0, 'a shorter path');
      path.forEach((_, at) =>
        assert.ok(!isInRange(root, number, count, header, path.with(at, other)), `another hash at ${at}`),
      );
    }
});

test('a node of a mountain is no header: what was hashed as one kind is not taken for another', () => {
  const root = rangeRoot(getRange(2));
  const pair = [getHeader(1), getHeader(2)].map((header) => hash([0], header));
  assert.ok(!isInRange(root, 1, 1, hash([1], ...pair), []));
});

test('a path has less than 1 KB as long as a chain has 500 million blocks, fifty years of them', () => {
  const longest = [2 ** 29, 2 ** 29 - 1, 500_000_000].flatMap((count) =>
    [1, Math.trunc(count / 2), count - 1, count].map(
      (number) => rangePath(number, count, () => '00'.repeat(32)).length,
    ),
  );
  assert.ok(Math.max(...longest) * 32 < 1024, `${Math.max(...longest)} hashes`);
});

test('a range comes back from its bytes', () => {
  for (const range of ranges) {
    const out = new ByteWriter();
    blockRange.write(out, range);
    assert.deepEqual(blockRange.read(new ByteReader(out.finish())), range);
  }
});
