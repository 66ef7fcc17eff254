import { hash } from 'node:crypto';

import { openRocksDb } from '../../../src/storage/rocksdb.ts';
import { UndoSessions } from '../../../src/storage/undo_session.ts';
import { accounts, globals, testTables } from '../tables.ts';

/**
 * Commits block after block into the folder of the first argument until somebody kills it, and says on standard output
 * which block is committed. In every block, all accounts have the block's number as their balance.
 */
const store = await openRocksDb(process.argv[2] ?? '');
const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'binary');
const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 1_000_000 });

for (let block = 1; ; block++) {
  sessions.beginBlock();
  sessions.put(globals, { head: block });
  for (let n = 0; n < 50; n++)
    sessions.put(accounts, { name: `account${n}`, balance: BigInt(block), proxy: '', due: block });
  const sealed = sessions.seal();
  sealed.batch.put('block', Buffer.from('hash'), Buffer.from(sealed.stateHash));
  store.write(sealed.batch, true);
  sessions.markCommitted();
  process.stdout.write(`${block}\n`);
}
