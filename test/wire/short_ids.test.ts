import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';

import { sha256Hex } from '../../src/crypto/hashes.ts';
import { AMBIGUOUS, shortIdKey, computeShortIds, ShortIdTable, UNMATCHED } from '../../src/wire/short_ids.ts';
import { leafWords } from '../builders/leaf_words.ts';

const PAGE = new URL('../../../src/pages/reference/peer_protocol.md', import.meta.url);
const ID = '0000002a' + '11'.repeat(16);
const makeLeaf = (number: number): string => sha256Hex(Buffer.from(`leaf ${number}`));
const never = (below: number): number => below - 1;

test('the short id of the page of the protocol is the one that is computed', () => {
  const page = readFileSync(PAGE, 'utf8');
  const shortId = Buffer.from(computeShortIds(shortIdKey(ID), leafWords(['22'.repeat(32)]))).toString('hex');
  assert.match(page, new RegExp(`the short id \`${shortId}\``));
});

test('each leaf that is known is found at its place, whatever else is known, and no other', () => {
  const property = fc.property(
    fc.uniqueArray(fc.nat(500), { maxLength: 60 }),
    fc.uniqueArray(fc.nat(500), { maxLength: 60 }),
    fc.nat(2 ** 31 - 1),
    (inBlock, known, salt) => {
      const key = shortIdKey(ID);
      const table = new ShortIdTable(
        key,
        computeShortIds(key, leafWords(inBlock.map(makeLeaf))),
        (below) => salt % below,
      );
      table.look(leafWords(known.map(makeLeaf)), known.length, () => true);
      assert.deepEqual(
        [...table.matches],
        inBlock.map((number) => known.indexOf(number)),
      );
    },
  );
  fc.assert(property);
});

test('two candidates for a short id, and two places with one, count as missing', () => {
  const key = shortIdKey(ID);
  const leaves = leafWords([makeLeaf(1), makeLeaf(2), makeLeaf(1), makeLeaf(3)]);
  const table = new ShortIdTable(key, computeShortIds(key, leaves), never);
  table.look(leafWords([makeLeaf(2), makeLeaf(2), makeLeaf(3), makeLeaf(4)]), 4, () => true);
  assert.deepEqual([...table.matches], [AMBIGUOUS, AMBIGUOUS, AMBIGUOUS, 2]);
  const empty = new ShortIdTable(key, computeShortIds(key, leaves), never);
  empty.look(leafWords([makeLeaf(2), makeLeaf(3)]), 2, () => false);
  assert.deepEqual([...empty.matches], [AMBIGUOUS, UNMATCHED, AMBIGUOUS, UNMATCHED]);
});

test('another block gives the same transactions other short ids', () => {
  const words = leafWords(Array.from({ length: 100 }, (_, number) => makeLeaf(number)));
  const [one, other] = [ID, '0000002b' + '11'.repeat(16)].map((id) =>
    Buffer.from(computeShortIds(shortIdKey(id), words)).toString('hex'),
  );
  assert(one !== undefined && other !== undefined);
  const pairs = Array.from({ length: 100 }, (_, k) => [
    one.slice(k * 12, k * 12 + 12),
    other.slice(k * 12, k * 12 + 12),
  ]);
  assert(pairs.every(([a, b]) => a !== b));
});
