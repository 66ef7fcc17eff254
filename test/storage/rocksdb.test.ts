import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';

import { Fault } from '../../src/base/fault.ts';
import { columns, WriteBatch } from '../../src/storage/key_value.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { recomputeStateHash } from '../../src/storage/state_hash.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { inLongForm } from '../builders/forms.ts';
import { sha256 } from './sha256.ts';
import { accounts, documents, entries, globals, testTables } from './tables.ts';

const MEBIBYTE = 1024 * 1024;

test('values, absences and ranges come back from every column after reopening', async (t) => {
  const folder = await temporaryFolder(t);
  const first = await openRocksDb(folder);
  const batch = new WriteBatch();
  for (let n = 0; n < 10; n++) batch.put('history', Buffer.of(n), Buffer.from(`value ${n}`));
  batch.put('state', Buffer.of(3), Buffer.alloc(0));
  batch.delete('history', Buffer.of(5));
  const before = first.version();
  first.write(batch, true);
  assert.ok(first.version() > before);
  await first.close();

  const second = await openRocksDb(folder);
  assert.deepEqual(second.getMany('history', [Buffer.of(4), Buffer.of(5)]), [Buffer.from('value 4'), undefined]);
  assert.equal(second.get('state', Buffer.of(3))?.length, 0);
  assert.equal(second.get('order', Buffer.of(3)), undefined);
  const range = second.range('history', { lower: Buffer.of(3), upper: Buffer.of(7), reverse: true, limit: 2 });
  assert.deepEqual(
    range.map(({ key }) => key[0]),
    [6, 4],
  );
  await second.close();
  assert.throws(() => second.get('state', Buffer.of(3)), /the database is open/);
});

test('two threads read whole blocks while the writer commits', inLongForm, async (t) => {
  const store = await openRocksDb(await temporaryFolder(t));
  const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 1_000_000 });
  const lastBlock = 400;
  commitBlock(sessions, 1);
  const readers = [1, 2].map(
    () =>
      new Worker(new URL('./processes/watching_reader.js', import.meta.url), {
        workerData: { handle: store.handle, lastBlock },
      }),
  );
  const ends = readers.map((reader) => once(reader, 'exit'));
  await Promise.all(readers.map((reader) => once(reader, 'online')));
  for (let block = 2; block <= lastBlock; block++) {
    commitBlock(sessions, block);
  }
  for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
  await store.close();

  function commitBlock(state: UndoSessions, block: number): void {
    state.beginBlock();
    state.put(globals, { head: block });
    for (let n = 0; n < 50; n++)
      state.put(accounts, { name: `account${n}`, balance: BigInt(block), proxy: '', due: block });
    store.write(state.seal().batch, false);
    state.markCommitted();
  }
});

test('a block whose write was prepared leaves the bytes of one that was not', async (t) => {
  const contents = await Promise.all(
    [true, false].map(async (prepares) => {
      const store = await openRocksDb(await temporaryFolder(t));
      const prepared = store.prepare();
      const sessions = new UndoSessions({
        ...{ committed: store, register: testTables, sha256, cachedBytes: 1_000_000 },
        prepare: () => prepared,
      });
      for (let block = 1; block <= 3; block++) {
        // The rows of a block that is given up are not written with the next one.
        for (const end of ['give up', 'commit']) {
          sessions.beginBlock({ prepares });
          for (let position = 0; position < 2 * prepared.changesAtOnce; position++) {
            sessions.beginTransaction();
            sessions.append(entries, { block, position, note: end });
            if (position % 3 === 0)
              sessions.append(documents, { id: block * 10_000 + position, author: end, body: 'b' });
            sessions.mergeTransaction();
          }
          sessions.put(entries, { block, position: 1, note: 'another' });
          assert.ok(sessions.remove(entries, { block, position: 2 }));
          if (end === 'give up') sessions.discardBlock();
        }
        const { batch } = sessions.seal();
        assert.equal(batch.changes.length < batch.size, prepares);
        store.write(batch, false);
        sessions.markCommitted();
      }
      assert.equal(sessions.stateHash(), recomputeStateHash(store, testTables, sha256));
      const left = columns.map((column) =>
        store.range(column, { lower: Buffer.of(0), upper: Buffer.of(9), limit: 10_000 }),
      );
      await store.close();
      return left;
    }),
  );
  assert.deepEqual(contents[0], contents[1]);
  assert.deepEqual(
    contents[0]?.map(({ length }) => length),
    [0, 1026, 3 * (1024 - 1) + 1026, 0],
  );
});

for (const stopAt of [1, 5, 40]) {
  test(
    `a writer that is killed at block ${stopAt} leaves the last block it reported, whole`,
    stopAt === 40 ? inLongForm : {},
    async (t) => {
      const folder = await temporaryFolder(t);
      const reported = await killAtBlock(startWriter(folder), stopAt);
      const store = await openRocksDb(folder);
      const view = new View(store, 10);
      const { head } = view.only(globals);
      assert.ok(head === reported || head === reported + 1, `block ${reported} was reported, ${head} is there`);
      const rows = view.range(accounts.by_due, { from: [head], to: [head], limit: 100 });
      assert.deepEqual(new Set(rows.map((row) => row.balance)), new Set([BigInt(head)]));
      assert.equal(view.range(accounts.by_due, { limit: 100 }).length, 50);
      assert.equal(
        Buffer.from(store.get('block', Buffer.from('hash')) ?? []).toString(),
        recomputeStateHash(store, testTables, sha256),
      );
      await store.close();
    },
  );
}

test('a folder that another process has open is refused by name', async (t) => {
  const folder = await temporaryFolder(t);
  const writer = startWriter(folder);
  await untilBlock(writer, 1);
  await assert.rejects(
    openRocksDb(folder),
    (error) =>
      error instanceof Fault &&
      error.code === 'configuration' &&
      error.message === `${folder} is in use by another process`,
  );
  await killed(writer);
});

test('damaged files are a fault, not an answer', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openRocksDb(folder);
  store.write(new WriteBatch(), true);
  await store.close();
  const manifest = (await readdir(folder)).find((name) => name.startsWith('MANIFEST')) ?? '';
  const file = await open(join(folder, manifest), 'r+');
  await file.write(Buffer.alloc(64, 0xaa), 0, 64, 0);
  await file.close();
  await assert.rejects(openRocksDb(folder), (error) => error instanceof Fault && error.code === 'damaged_data');
});

for (const share of [0.25, 0.5, 0.9]) {
  test(`damage at ${share} of the newest log ends the chain at the last whole block before it`, async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openRocksDb(folder);
    const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 1_000_000 });
    const lastBlock = 40;
    const hashes = new Map<number, string>();
    for (let block = 1; block <= lastBlock; block++) {
      sessions.beginBlock();
      sessions.put(globals, { head: block });
      for (let n = 0; n < 50; n++)
        sessions.put(accounts, { name: `account${n}`, balance: BigInt(block), proxy: '', due: block });
      const { batch, stateHash } = sessions.seal();
      batch.put('block', Buffer.from('hash'), Buffer.from(stateHash));
      store.write(batch, true);
      sessions.markCommitted();
      hashes.set(block, stateHash);
    }
    await store.close();
    await flipBytes(join(folder, (await listLogs(folder)).at(-1) ?? ''), share);

    const opened = await openRocksDb(folder);
    const view = new View(opened, 10);
    const { head } = view.only(globals);
    assert.ok(head >= 1 && head < lastBlock, `block ${head} of ${lastBlock} is the last whole one`);
    assert.equal(Buffer.from(opened.get('block', Buffer.from('hash')) ?? []).toString(), hashes.get(head));
    assert.equal(recomputeStateHash(opened, testTables, sha256), hashes.get(head));
    assert.equal(view.range(accounts.by_due, { from: [head], to: [head], limit: 100 }).length, 50);
    assert.equal(view.range(accounts.by_due, { limit: 100 }).length, 50);
    await opened.close();
  });
}

test('a log that is damaged before what the files already hold is a fault: no block in the middle is dropped', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openRocksDb(folder);
  // So much in one column that it is in files, and so little in another one that the log of it all is kept.
  for (let block = 0; block < 64; block++) {
    const batch = new WriteBatch();
    batch.put('state', Buffer.of(1, block), randomBytes(MEBIBYTE));
    batch.put('block', Buffer.of(1, block), Buffer.of(block));
    store.write(batch, true);
  }
  await store.close();
  const [oldest = ''] = await listLogs(folder);
  await flipBytes(join(folder, oldest), 0.5);
  await assert.rejects(
    openRocksDb(folder),
    (error) => error instanceof Fault && error.code === 'damaged_data' && /is damaged/.test(error.message),
  );
});

for (const [when, tidies] of [
  ['after each write', true],
  ['never', false],
] as const)
  test(`the log that a start reads stays bounded while columns are seldom written, tidied ${when}`, async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openRocksDb(folder);
    const first = new WriteBatch();
    for (const column of columns) first.put(column, Buffer.of(1), Buffer.of(2));
    store.write(first, false);
    const written = 384;
    for (let block = 0; block < written; block++) {
      const batch = new WriteBatch();
      batch.put('block', Buffer.of(3, block % 8), Buffer.alloc(MEBIBYTE, block % 256));
      store.write(batch, false);
      if (tidies) store.tidy();
    }
    await store.close();
    const sizes = await Promise.all(
      (await listLogs(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    const kept = sizes.reduce((sum, size) => sum + size, 0) / MEBIBYTE;
    assert.ok(kept < written / 2, `${kept} of ${written} MiB are in the log`);

    const reopened = await openRocksDb(folder);
    for (const column of columns) assert.deepEqual(reopened.get(column, Buffer.of(1)), Buffer.of(2));
    const left = columns.flatMap((column) =>
      reopened.range(column, { lower: Buffer.of(0), upper: Buffer.alloc(3, 0xff), limit: 100 }),
    );
    assert.equal(left.length, columns.length + 8, 'nothing that was written for the log stays');
    assert.equal(reopened.get('block', Buffer.of(3, 7))?.[5], (written - 1) % 256);
    await reopened.close();
  });

test('a row that is not what its table says is a fault', async (t) => {
  const store = await openRocksDb(await temporaryFolder(t));
  const batch = new WriteBatch();
  batch.put('state', Buffer.of(globals.number), Buffer.of(1, 2));
  store.write(batch, false);
  assert.throws(
    () => new View(store, 10).only(globals),
    (error) => error instanceof Fault && error.code === 'damaged_data',
  );
  await store.close();
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-rocksdb-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function listLogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.log')).toSorted();
}

async function flipBytes(path: string, share: number): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  const bytes = Buffer.alloc(16);
  const place = Math.trunc(size * share);
  await file.read(bytes, 0, bytes.length, place);
  await file.write(
    bytes.map((byte) => byte ^ 0xff),
    0,
    bytes.length,
    place,
  );
  await file.close();
}

function startWriter(folder: string): ChildProcess {
  const program = new URL('./processes/endless_writer.js', import.meta.url).pathname;
  return spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The last block that the writer reported before it was gone. */
async function killAtBlock(writer: ChildProcess, block: number): Promise<number> {
  let reported = 0;
  assert.ok(writer.stdout !== null);
  for await (const line of createInterface(writer.stdout)) {
    reported = Number(line);
    if (reported === block) writer.kill('SIGKILL');
  }
  return reported;
}

async function untilBlock(writer: ChildProcess, block: number): Promise<void> {
  assert.ok(writer.stdout !== null);
  const lines = createInterface(writer.stdout);
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (Number(line) >= block) resolve();
    });
  });
}

async function killed(writer: ChildProcess): Promise<void> {
  const gone = once(writer, 'exit');
  writer.kill('SIGKILL');
  await gone;
}
