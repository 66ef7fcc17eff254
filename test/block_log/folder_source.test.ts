import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkedBlocks } from '../../src/block_log/block_source.ts';
import { FolderSource } from '../../src/block_log/folder_source.ts';
import { present } from '../../src/base/assert.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { blocks } from '../../src/state/tables/block.ts';
import { WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { encodeKey, encodeRow } from '../../src/storage/row_bytes.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';

const parameters = testParameters({ max_witnesses: 3, max_voted_witnesses: 1 });

function grown(count: number, blocksKept?: number): { readonly chain: Chain; readonly store: MemoryStore } {
  const store = new MemoryStore();
  const chain = openChain(parameters, store, new Map(), blocksKept);
  for (let number = 0; number < count; number++) {
    chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1, String(number))], ['alice']));
    produce(chain);
  }
  return { chain, store };
}

async function readNumbers(store: MemoryStore, first: number, last: number): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of checkedBlocks(new FolderSource('the folder', store), first, last))
    numbers.push(number);
  return numbers;
}

test('of a folder the blocks up to the last irreversible one are exported', async () => {
  const { chain, store } = grown(20);
  const source = new FolderSource('the folder', store);
  assert.equal(source.final, chain.head.lastIrreversible);
  assert(source.final > 10 && source.final < 20);
  for await (const block of checkedBlocks(source, 3, 9))
    assert.equal(Buffer.compare(block.packed, present(chain.block(block.number), 'a block').packed), 0);
  assert.deepEqual(await readNumbers(store, 3, 9), [3, 4, 5, 6, 7, 8, 9]);
});

test('of a folder that keeps few blocks those are exported that it has, and no others', async () => {
  const { store } = grown(20, 8);
  assert.deepEqual(await readNumbers(store, 13, 17), [13, 14, 15, 16, 17]);
  await assert.rejects(readNumbers(store, 12, 17), {
    code: 'configuration',
    message: /keeps no block below 13 .*--from 13/,
  });
});

test('a damaged block ends the export: one that is missing, another one, one of another place', async () => {
  const { chain, store } = grown(20);
  const row = present(chain.committed.get(blocks, 9), 'a row');
  const other = present(chain.committed.get(blocks, 8), 'a row');
  const readDamaged = async (change: (batch: WriteBatch) => void): Promise<void> => {
    const batch = new WriteBatch();
    change(batch);
    store.write(batch);
    await assert.rejects(readNumbers(store, 5, 15), { code: 'damaged_data', message: /the folder.*block (?:9|10)\b/ });
    // The blocks before it can be had.
    assert.deepEqual(await readNumbers(store, 5, 8), [5, 6, 7, 8]);
    const healed = encodeRow(blocks, 9, row);
    const back = new WriteBatch();
    back.put('block', healed.key, healed.value);
    store.write(back);
  };
  const putting = (changed: typeof row) => (batch: WriteBatch) => {
    const { key, value } = encodeRow(blocks, 9, changed);
    batch.put('block', key, value);
  };
  const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
    bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
  await readDamaged((batch) => batch.delete('block', encodeKey(blocks, 9)));
  await readDamaged(putting({ ...row, id: other.id }));
  await readDamaged(putting({ ...row, packed: flipped(row.packed, 20) }));
  await readDamaged(putting({ ...row, head: flipped(row.head, 22) }));
  await readDamaged(putting({ ...other, number: 9 }));
});
