import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APART, Standing, TRUSTED, UNKNOWN } from '../../src/crypto/standing.ts';

function noteMany(standing: Standing, source: number, count: number): void {
  for (let i = 0; i < count; i++) standing.note(source, true);
}

test('a source is a newcomer until 1024 right items, then trusted', () => {
  const standing = new Standing();
  assert.equal(standing.groupOf(1), UNKNOWN);
  noteMany(standing, 1, 1023);
  assert.equal(standing.groupOf(1), UNKNOWN);
  noteMany(standing, 1, 1);
  assert.equal(standing.groupOf(1), TRUSTED);
  assert.equal(standing.groupOf(2), UNKNOWN);
});

test('one wrong item sets a source apart, whatever it was, until 256 right ones make it a newcomer', () => {
  const standing = new Standing();
  noteMany(standing, 1, 2000);
  standing.note(1, false);
  assert.equal(standing.groupOf(1), APART);
  noteMany(standing, 1, 255);
  assert.equal(standing.groupOf(1), APART);
  noteMany(standing, 1, 1);
  assert.equal(standing.groupOf(1), UNKNOWN);
});

test('the source not heard of for the longest time is forgotten first', () => {
  const standing = new Standing(2);
  standing.note(1, false);
  standing.note(2, false);
  standing.note(1, false);
  standing.note(3, false);
  assert.deepEqual(
    [1, 2, 3].map((source) => standing.groupOf(source)),
    [APART, UNKNOWN, APART],
  );
});
