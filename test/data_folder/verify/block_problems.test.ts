import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import { accountHistories } from '../../../src/state/tables/account_history.ts';
import { blocks } from '../../../src/state/tables/block.ts';
import { transactionLocations } from '../../../src/state/tables/transaction_location.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { encodeRow } from '../../../src/storage/row_bytes.ts';
import type { Table } from '../../../src/storage/table.ts';
import { View } from '../../../src/storage/view.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';

for (const rules of ['interface', 'lineage'] as const) {
  const parameters = testParameters({}, rules);

  /** Blocks of one, several and no transactions; some of them large. */
  function storeWithChain(): MemoryStore {
    const store = new MemoryStore();
    const chain = openChain(parameters, store);
    for (let block = 0; block < 6; block++) {
      for (let some = 0; some < block * block; some++) {
        const memo = `${block}/${some}`.padEnd(1500, '.');
        chain.accept(
          makeTransaction(
            chain,
            parameters,
            [transferJson('alice', some % 2 === 0 ? 'bob' : 'alice', 1, memo)],
            ['alice'],
          ),
        );
      }
      produce(chain);
    }
    return store;
  }

  function put<Key, Row>(store: MemoryStore, table: Table<Key, Row>, row: Row): void {
    const batch = new WriteBatch();
    const { key, value } = encodeRow(table, table.keyOf(row), row);
    batch.put(table.column, key, value);
    store.write(batch);
  }

  const listProblems = (store: MemoryStore): readonly string[] => verifyStore(store, parameters, () => {}).problems;

  test(`${rules}: blocks in several parts and histories of many entries are as the chain wrote them`, () => {
    const store = storeWithChain();
    assert.ok(present(new View(store, 10).get(blocks, 6), 'block 6').further_parts.length > 1);
    assert.deepEqual(listProblems(store), []);
  });

  test(`${rules}: an entry of a history that points elsewhere is named with its block`, () => {
    const store = storeWithChain();
    const [row] = new View(store, 10).rows(accountHistories, { from: { account: 'bob' }, limit: 1 });
    const entries = [{ trx_in_block: 0, op_in_trx: 1, virtual_op: 0 }];
    put(store, accountHistories, { ...present(row, 'a history of bob'), entries });
    assert.match(
      listProblems(store).join('\n'),
      /^block 2: row [0-9a-f]+ of table account_history does not say what the block says$/,
    );
  });

  test(`${rules}: entries and locations that no block asks for are counted`, () => {
    const store = storeWithChain();
    put(store, accountHistories, {
      account: 'dave',
      first_sequence: 7,
      block: 3,
      entries: [{ trx_in_block: 0, op_in_trx: 0, virtual_op: 0 }],
    });
    put(store, transactionLocations, { id: 'ab'.repeat(20), block: 3, index: 9 });
    assert.deepEqual(listProblems(store), [
      'table transaction_location has 56 rows, the blocks ask for 55',
      `table account_history has ${historyRows(store)} rows, the blocks ask for ${historyRows(store) - 1}`,
    ]);
  });

  test(`${rules}: a transaction that is said to stand elsewhere is named with its block`, () => {
    const store = storeWithChain();
    const [location] = new View(store, 10).rows(transactionLocations, { limit: 1 });
    const { id, block, index } = present(location, 'a location');
    put(store, transactionLocations, { id, block, index: index + 1 });
    assert.deepEqual(listProblems(store).length, 1);
    assert.match(
      String(listProblems(store)[0]),
      new RegExp(`^block ${block}: row [0-9a-f]+${id} of table transaction_location does not`),
    );
  });

  test(`${rules}: a block whose sizes are wrong in its row is named`, () => {
    const store = storeWithChain();
    const row = present(new View(store, 10).get(blocks, 4), 'block 4');
    put(store, blocks, { ...row, bytes_before: row.bytes_before + 1n });
    // What the row of the next block says follows from it.
    assert.deepEqual(
      listProblems(store).map((problem) => problem.slice(0, 'block 4'.length)),
      ['block 4', 'block 5'],
    );
  });
}

function historyRows(store: MemoryStore): number {
  return new View(store, 10).rows(accountHistories, { limit: 1_000_000 }).length;
}
