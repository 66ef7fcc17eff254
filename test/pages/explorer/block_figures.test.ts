import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullnessText, readBlockFigures } from '../../../src/pages/explorer/block_figures.ts';

test('figures of blocks are read, and what is none is left out', () => {
  const figure = { number: 5, id: '00000005aa', bytes: 120, transactions: 2 };
  assert.deepEqual(
    readBlockFigures({
      blocks: [figure, { number: 6, id: 7, bytes: 1, transactions: 0 }, { number: 6, id: '06', bytes: 1 }, null, {}],
    }),
    [figure],
  );
  for (const none of [undefined, null, 'text', {}, { blocks: {} }]) assert.equal(readBlockFigures(none), undefined);
});

test('fullness has a digit after the point while it is small', () => {
  assert.equal(fullnessText(41, 1000), '4.1 %');
  assert.equal(fullnessText(999, 1000), '100 %');
  assert.equal(fullnessText(1, 1_000_000), '0.0 %');
  assert.equal(fullnessText(5, 0), '0.0 %');
});
