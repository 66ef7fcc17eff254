import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { SortedMap } from '../../src/storage/sorted_map.ts';

const key = fc.integer({ min: 0, max: 4000 }).map((n) => String.fromCharCode(n >> 8, n & 0xff));
const change = fc.record({ key, removes: fc.integer({ min: 0, max: 2 }).map((n) => n === 0) });

test('a sorted map agrees with a plain map that is sorted at every look', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 3000, size: 'max' }),
      key,
      key,
      fc.boolean(),
      fc.integer({ min: 1, max: 700 }),
      (changes, a, b, reverse, limit) => {
        const [sorted, plain] = [new SortedMap<number>(), new Map<string, number>()];
        for (const [index, { key: changed, removes }] of changes.entries()) {
          if (removes) assert.equal(sorted.delete(changed), plain.delete(changed));
          else {
            sorted.set(changed, index);
            plain.set(changed, index);
          }
        }
        assert.equal(sorted.size, plain.size);
        assert.equal(sorted.get(a), plain.get(a));
        const [lower, upper] = a < b ? [a, b] : [b, a];
        assert.deepEqual(
          sorted.slice(lower, upper, reverse, limit),
          within(plain, lower, upper, reverse).slice(0, limit),
        );
        assert.deepEqual(sorted.slice('', undefined, reverse, Infinity), within(plain, '', '\xff\xff', reverse));
        assert.deepEqual(sorted.first(), within(plain, '', '\xff\xff', false)[0]);
      },
    ),
    { numRuns: 60 },
  );
});

test('dropping the last chunk says where the rest ends', () => {
  const sorted = new SortedMap<number>();
  for (let n = 0; n < 2000; n++) sorted.set(String.fromCharCode(n >> 8, n & 0xff), n);
  const bound = sorted.dropLastChunk() ?? '';
  assert.ok(sorted.size > 0 && sorted.size < 2000);
  assert.equal(sorted.size, bound.charCodeAt(0) * 256 + bound.charCodeAt(1));
  assert.equal(new SortedMap().dropLastChunk(), undefined);
});

function within(
  plain: ReadonlyMap<string, number>,
  lower: string,
  upper: string,
  reverse: boolean,
): { key: string; value: number }[] {
  const found = [...plain].filter(([entry]) => entry >= lower && entry < upper).sort(([a], [b]) => (a < b ? -1 : 1));
  return (reverse ? found.reverse() : found).map(([entry, value]) => ({ key: entry, value }));
}
