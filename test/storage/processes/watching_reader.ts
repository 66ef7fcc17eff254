import { workerData } from 'node:worker_threads';

import { assert, present } from '../../../src/base/assert.ts';
import { attachReader } from '../../../src/storage/rocksdb.ts';
import { View } from '../../../src/storage/view.ts';
import { accounts, globals } from '../tables.ts';

/** Reads until it has seen the block that the writer stops at; every read must be of one block. */
const { handle, lastBlock }: { handle: bigint; lastBlock: number } = workerData;
const view = new View(attachReader(handle), 100);
for (let head = 0; head < lastBlock;) {
  const seen = view.consistentRead(() => {
    const ordered = view.range(accounts.by_due, { from: [view.only(globals).head], limit: 100 });
    return { head: view.only(globals).head, ordered, one: present(view.get(accounts, 'account7'), 'account7') };
  });
  assert(seen.head >= head, 'the head never goes back');
  head = seen.head;
  const balances = new Set([...seen.ordered, seen.one].map((row) => row.balance));
  assert(
    seen.ordered.length === 50 && balances.size === 1 && balances.has(BigInt(head)),
    `block ${head} is seen as a whole`,
  );
}
