import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasBlock } from '../../src/data_folder/head_journal.ts';
import { oldestBlock } from '../../src/state/stored_blocks.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { openChain, produce, testParameters } from '../builders/chain.ts';

test('a block that a folder has promised is known by its id, also where it is no longer kept', async () => {
  const store = new MemoryStore();
  const chain = openChain(testParameters({ max_witnesses: 3, max_voted_witnesses: 1 }), store, new Map(), 5);
  const ids = Array.from({ length: 30 }, () => produce(chain).id);
  assert.equal(oldestBlock(chain.committed), 26);
  const mark = (number: number, id: string): Parameters<typeof hasBlock>[1] => ({ number, id, stateHash: '' });
  const other = 'ab'.repeat(20);
  for (const number of [1, 10, 25, 26, 29]) {
    assert.equal(await hasBlock(store, mark(number, ids[number - 1] ?? ''), 30), true, `block ${number}`);
    assert.equal(await hasBlock(store, mark(number, other), 30), false, `another block ${number}`);
  }
  // Ids are kept for 65 536 blocks; nothing can be said of a pruned block before them.
  assert.equal(await hasBlock(store, mark(10, other), 10 + 65_536), undefined);
});
