import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { ID_BYTES } from '../../../src/values/hash.ts';
import { IdTable, isSameId, NO_SLOT, packIds, RecentIds, selectIds } from '../../../src/p2p/transactions/id_table.ts';
import { RandomSource } from '../../builders/random_source.ts';

/** Ids that differ in their first bytes, in their last ones, or in a single bit: some of them share a place. */
function makeId(number: number): string {
  const id = Buffer.alloc(ID_BYTES, number % 3);
  id.writeUInt16BE(number, [0, 4, ID_BYTES - 2][number % 3] ?? 0);
  return id.toString('hex');
}

const steps = fc.array(fc.record({ number: fc.nat(300), isAdded: fc.boolean() }), { maxLength: 1000, size: 'max' });

test('a table has the ids that a map has, under slots that stay theirs and nobody else’s', () => {
  const property = fc.property(steps, fc.nat(), (all, seed) => {
    const table = new IdTable(new RandomSource(seed));
    const slots = new Map<string, number>();
    for (const { number, isAdded } of all) {
      const id = makeId(number);
      const known = slots.get(id);
      const packed = packIds([{ id }]);
      if (isAdded) slots.set(id, table.put(packed, 0));
      else assert.equal(table.delete(packed, 0), slots.delete(id));
      if (isAdded && known !== undefined) assert.equal(slots.get(id), known);
    }
    const ids = Array.from({ length: 301 }, (_, number) => ({ id: makeId(number) }));
    const packed = packIds(ids);
    for (const [index, { id }] of ids.entries()) {
      const slot = table.find(packed, index * ID_BYTES);
      assert.equal(slot, slots.get(id) ?? NO_SLOT);
      assert.equal(table.findText(id), slot);
      if (slot !== NO_SLOT) assert.equal(table.text(slot), id);
    }
    assert.equal(table.size, slots.size);
    assert.equal(new Set(slots.values()).size, slots.size);
    assert([...slots.values()].every((slot) => slot < table.slots));
    table.clear();
    assert(ids.every((_, index) => table.find(packed, index * ID_BYTES) === NO_SLOT));
  });
  fc.assert(property, { numRuns: 100 });
});

test('slots of removed ids are given again, so that a table grows with what it holds at once', () => {
  const table = new IdTable(new RandomSource(1));
  const ids = packIds(Array.from({ length: 10_000 }, (_, number) => ({ id: number.toString(16).padStart(40, '0') })));
  const held: number[] = [];
  for (let at = 0; at < ids.length; at += ID_BYTES) {
    held.push(table.add(ids, at));
    if (held.length > 100) table.remove(held.shift() ?? assert.fail());
  }
  assert.equal(table.size, 100);
  assert(table.slots <= 101, `${table.slots} slots`);
});

test('the last ids are remembered, as many as was said at least and twice as many at most', () => {
  const recent = new RecentIds(50, new RandomSource(1));
  const ids = packIds(Array.from({ length: 1000 }, (_, number) => ({ id: makeId(number * 3) })));
  for (let added = 1; added <= 1000; added++) {
    recent.add(ids, (added - 1) * ID_BYTES);
    recent.add(ids, (added - 1) * ID_BYTES);
    const known = Array.from({ length: added }, (_, index) => recent.has(ids, index * ID_BYTES));
    assert(known.slice(-50).every(Boolean));
    assert(known.filter(Boolean).length <= 100);
  }
});

test('ids are packed one behind the other, selected by their index, and the same if all of their bytes are', () => {
  const ids = packIds([0, 1, 2, 3].map((number) => ({ id: makeId(number) })));
  const some = selectIds(ids, (index) => index % 2 === 1);
  assert.deepEqual(Buffer.from(some), Buffer.from(makeId(1) + makeId(3), 'hex'));
  assert(isSameId(some, ID_BYTES, ids, 3 * ID_BYTES));
  for (let at = 0; at < ID_BYTES; at++) {
    const other = Uint8Array.from(ids.subarray(0, ID_BYTES));
    other[at] = (other[at] ?? 0) ^ 1;
    assert(!isSameId(ids, 0, other, 0));
  }
});
