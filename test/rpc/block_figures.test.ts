import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockFiguresPage } from '../../src/rpc/block_figures.ts';
import { openChain, produce, testParameters } from '../builders/chain.ts';

interface Figures {
  readonly blocks: readonly { readonly number: number; readonly id: string; readonly bytes: number }[];
}

function read(figures: ReturnType<typeof blockFiguresPage>, range: string): Figures {
  const [first = '', last = ''] = range.split('-');
  const page = figures(first, last);
  assert.equal(page.status, 200);
  return JSON.parse(String(page.body));
}

test('ids and sizes of blocks are told for a bounded range, and for none that there is not', () => {
  const chain = openChain(testParameters());
  const figures = blockFiguresPage(chain.committed);
  for (let block = 0; block < 60; block++) produce(chain);
  const { blocks } = read(figures, '3-5');
  assert.deepEqual(
    blocks.map(({ number }) => number),
    [3, 4, 5],
  );
  for (const { number, id, bytes } of blocks) {
    assert.equal(Number.parseInt(id.slice(0, 8), 16), number);
    assert.ok(bytes > 20 && bytes < 1000, String(bytes));
  }
  assert.equal(read(figures, '1-60').blocks.length, 50);
  assert.equal(read(figures, '0-1').blocks.length, 1);
  for (const none of ['5-3', '61-70', '9999999999-9999999999', '4294967295-9999999999'])
    assert.deepEqual(read(figures, none).blocks, [], none);
});
