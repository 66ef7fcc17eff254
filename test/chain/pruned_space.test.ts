import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Chain } from '../../src/chain/chain.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { openRocksDb, type RocksDbStore } from '../../src/storage/rocksdb.ts';
import { produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-space-'));

after(() => rmSync(folder, { recursive: true, force: true }));

const parameters = testParameters({
  max_witnesses: 3,
  max_voted_witnesses: 1,
  max_allowed_ops: 30,
  max_transaction_size: 65_536,
  max_block_size: 400,
});
const MEMO_BYTES = 2000;

let memos = 0;

/** Bytes that can hardly be compressed: six bits in each. */
function noise(): string {
  return createHash('shake256', { outputLength: (MEMO_BYTES * 3) / 4 })
    .update(String(memos++))
    .digest('base64');
}

/** Some 110 KB in a block, of two transactions. */
function grow(store: RocksDbStore, blocksKept: number | undefined, count: number): Chain {
  const chain = new Chain({ store, parameters, durable: false, blocksKept });
  for (let made = 0; made < count; made++) {
    for (const from of ['alice', 'bob'])
      chain.accept(
        makeTransaction(
          chain,
          parameters,
          Array.from({ length: 27 }, () => transferJson(from, 'carol', 1, noise())),
          [from],
        ),
      );
    produce(chain);
  }
  return chain;
}

/** The bytes of the tables on the disk. */
function tableBytes(): number {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sst'))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

test('what is pruned makes room on the disk while the chain goes on', inLongForm, async () => {
  const store = await openRocksDb(folder);
  try {
    grow(store, undefined, 500);
    const before = tableBytes();
    assert(before > 25_000_000, `${before} bytes`);
    // Each part is larger than a memtable, so that the database flushes and compacts.
    await waitUntil('room on the disk', () => {
      const { head } = grow(store, 20, 40);
      return (head.number > 600 && tableBytes() < before / 2) || undefined;
    });
    assert.deepEqual(verifyStore(store, parameters, () => {}).problems, []);
  } finally {
    await store.close();
  }
});
