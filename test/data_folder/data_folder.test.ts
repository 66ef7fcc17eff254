import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Fault, type FaultCode } from '../../src/base/fault.ts';
import type { ChainHead } from '../../src/chain/chain_options.ts';
import { tablesRecord } from '../../src/chain/ledger/recorded_tables.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { keepBeforeOpen } from '../../src/data_folder/before_open.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { openFolderCopy } from '../../src/data_folder/folder_copy.ts';
import { promisedHead } from '../../src/data_folder/head_journal.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { HEAD_COLUMN, tablesKey } from '../../src/state/head_record.ts';
import { afterPrefix, WriteBatch, type KeyValueReader } from '../../src/storage/key_value.ts';
import type { TableLayout } from '../../src/storage/table_layout.ts';
import {
  readContents,
  readFiles,
  makeBlocks,
  openFolder,
  parameters,
  stoppedFolder,
} from '../faults/stopped_folder.ts';

const site = mkdtempSync(join(tmpdir(), 'pharos-data-folder-'));
const sound = join(site, 'sound');
let head: ChainHead;
let copies = 0;

before(async () => {
  head = await stoppedFolder(sound);
});

after(() => rmSync(site, { recursive: true, force: true }));

function copied(): string {
  const copy = join(site, `copy ${++copies}`);
  cpSync(sound, copy, { recursive: true });
  return copy;
}

/** Opening is refused so, and changes nothing. */
async function assertRefused(folder: string, code: FaultCode, text: RegExp, acceptHead?: number): Promise<void> {
  const contents = readContents(folder);
  await assert.rejects(openFolder(folder, { acceptHead }), (error) => {
    assert.ok(error instanceof Fault && error.code === code, String(error));
    assert.match(error.message, text);
    return true;
  });
  assert.deepEqual([...readContents(folder)], [...contents]);
}

async function readHead(folder: string, acceptHead?: number): Promise<ChainHead> {
  const { chain, close } = await openFolder(folder, { acceptHead });
  const found = chain.head;
  await close();
  return found;
}

/** Returns the newest log, which has the blocks to damage. */
function readLog(folder: string): string {
  return join(folder, readFiles(folder).findLast(({ name }) => name.endsWith('.log'))?.name ?? '');
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

test('a folder that was closed has the head that it had, as often as it is opened', async () => {
  const folder = copied();
  for (let time = 0; time < 3; time++) assert.deepEqual(await readHead(folder), head);
  assert.equal(promisedHead(folder).number, head.number);
});

test('a bit in the log costs no block in silence: it is said which are missing, and the log stays, so that the bit can be put right', async () => {
  const folder = copied();
  const log = readLog(folder);
  const middle = Math.trunc(readFileSync(log).length / 2);
  flip(log, middle);
  await assertRefused(
    folder,
    'damaged_data',
    new RegExp(
      `ends at block \\d+ and lacks blocks? (?:\\d+ to )?${head.number}, which this node had.*--accept-head \\d+`,
    ),
  );
  flip(log, middle);
  assert.deepEqual(await readHead(folder), head);
});

test('whoever accepts the head that is there goes on from it, and only from that one', async () => {
  const folder = copied();
  truncateSync(readLog(folder), 0);
  const { loss, close } = await openFolderCopy(folder, 'verify');
  await close();
  const last = Number(/--accept-head (\d+)/.exec(loss?.message ?? '')?.[1]);
  assert.ok(last < head.number);
  await assertRefused(folder, 'damaged_data', /lacks blocks/, last + 1);
  assert.equal((await readHead(folder, last)).number, last);
  const { chain, close: stop } = await openFolder(folder);
  makeBlocks(chain, 1);
  await stop();
  assert.equal((await readHead(folder, last)).number, last + 1, 'the flag may stay where it is');
});

test('without CURRENT, a manifest or a table, a folder with a chain is refused as often as it is opened', async () => {
  for (const kind of [/^CURRENT$/, /^MANIFEST/, /\.sst$/]) {
    const folder = copied();
    const { name } = readFiles(folder).find((file) => kind.test(file.name)) ?? { name: '' };
    renameSync(join(folder, name), join(site, 'away'));
    for (let time = 0; time < 2; time++)
      await assertRefused(folder, 'damaged_data', new RegExp(`${name} is missing|${name}: No such file`));
    renameSync(join(site, 'away'), join(folder, name));
    assert.deepEqual(await readHead(folder), head);
  }
});

test('without its identity or its journal a folder is refused, unless its head is accepted', async () => {
  for (const name of ['pharos-identity.json', 'pharos-head.journal']) {
    const folder = copied();
    rmSync(join(folder, name));
    await assertRefused(folder, 'damaged_data', new RegExp(`${name} is missing`));
    await assertRefused(folder, 'damaged_data', new RegExp(`${name} is missing`), head.number - 1);
    assert.deepEqual(await readHead(folder, head.number), head);
    assert.deepEqual(await readHead(folder), head);
  }
});

test('a folder of another chain is refused before it is changed', async () => {
  const folder = copied();
  const contents = readContents(folder);
  const other = await DataFolder.lock(folder, 'test');
  await assert.rejects(
    other.open({ chainId: 'ab'.repeat(32) }),
    /the data is of chain [0-9a-f]{64}, the genesis of chain (?:ab){32}/,
  );
  other.release();
  assert.deepEqual([...readContents(folder)], [...contents]);
});

test('a chain is begun in an empty folder only: files of somebody else stay, and so does a database without an identity', async () => {
  const folder = join(site, 'strange');
  mkdirSync(folder);
  writeFileSync(join(folder, 'thesis.tex'), 'the only copy');
  await assertRefused(folder, 'configuration', /holds no chain but other files \(thesis\.tex\)/);
  rmSync(join(folder, 'thesis.tex'));
  // Operators keep such files beside the data.
  for (const name of ['genesis.json', 'node.ini', 'lost+found']) writeFileSync(join(folder, name), '');
  const { close } = await openFolder(folder);
  await close();
  assert.ok(existsSync(join(folder, 'genesis.json')));
});

test('a chain that was being begun when the process was killed is begun again', async () => {
  const folder = join(site, 'begun');
  const locked = await DataFolder.lock(folder, 'test');
  const store = await locked.open({ chainId: 'cd'.repeat(32) });
  await store.close();
  locked.release();
  const { chain, close } = await openFolder(folder);
  makeBlocks(chain, 2);
  await close();
  assert.equal((await readHead(folder)).number, 2);
});

test('killed while it opened a folder whose log is damaged, the next start finds the log as it was', async () => {
  const folder = copied();
  const log = readLog(folder);
  const bytes = readFileSync(log);
  flip(log, Math.trunc(bytes.length / 2));
  keepBeforeOpen(folder);
  // As RocksDB does: the log is read as far as it is whole, and gone.
  const names = new Set(readdirSync(folder));
  const opened = await (await import('../../src/storage/rocksdb.ts')).openRocksDb(folder);
  await opened.close();
  assert.ok(!existsSync(log) || readdirSync(folder).some((name) => !names.has(name)));
  await assert.rejects(openFolder(folder), /lacks blocks?/);
  assert.equal(existsSync(log), true);
  flip(log, Math.trunc(bytes.length / 2));
  assert.deepEqual(await readHead(folder), head);
});

test('what was half written when a process was killed is removed', async () => {
  const folder = copied();
  for (const name of ['OPTIONS-000099.dbtmp', '000098.dbtmp', 'pharos-identity.json.pharos-tmp'])
    writeFileSync(join(folder, name), 'half');
  assert.deepEqual(await readHead(folder), head);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('tmp')),
    [],
  );
});

test('looking at a folder changes nothing, and finds the head', async () => {
  const folder = copied();
  const contents = readContents(folder);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  const { store, loss, close } = await openFolderCopy(folder, 'verify');
  assert.equal(loss, undefined);
  assert.ok(store.version() > 0);
  await assert.rejects(openFolderCopy(folder, 'verify'), /in use/);
  await close();
  assert.deepEqual([...readContents(folder)], [...contents]);
  await assert.rejects(openFolderCopy(join(site, 'nowhere'), 'verify'), /there is no folder/);
  assert.equal(existsSync(join(site, 'nowhere')), false);
});

test('an older copy of the database beside a newer journal is not taken for the chain', async () => {
  const older = copied();
  const newer = copied();
  const { chain, close } = await openFolder(newer);
  makeBlocks(chain, 3);
  await close();
  copyFileSync(join(newer, 'pharos-head.journal'), join(older, 'pharos-head.journal'));
  await assertRefused(
    older,
    'damaged_data',
    new RegExp(`ends at block ${head.number} and lacks blocks ${head.number + 1} to ${head.number + 3}`),
  );
});

test('a chain that does not wait for the disk promises nothing that a power failure may take', async () => {
  const folder = join(site, 'hasty');
  const { chain, close } = await openFolder(folder, { durable: false });
  makeBlocks(chain, 3);
  await close();
  assert.equal(promisedHead(folder).number, 3, 'the machine has run all the time');
  const journal = join(folder, 'pharos-head.journal');
  assert.match(readFileSync(journal, 'utf8'), /"durable":\{"number":0,/);
  const again = await openFolder(folder, { durable: false });
  again.chain.sync();
  await again.close();
  assert.match(readFileSync(journal, 'utf8'), /"durable":\{"number":3,/);
});

test('indexes that another version declared differently are rebuilt when the folder opens, and a folder with other rows stays as it is', async () => {
  const folder = copied();
  const { store, close } = await openFolder(folder);
  const record = (of: KeyValueReader, change: (layout: TableLayout) => TableLayout): WriteBatch => {
    const out = new ByteWriter();
    tablesRecord.write(
      out,
      tablesRecord.read(new ByteReader(present(of.get(HEAD_COLUMN, tablesKey()), 'its tables'))).map(change),
    );
    const batch = new WriteBatch();
    batch.put(HEAD_COLUMN, tablesKey(), out.finish());
    return batch;
  };
  const byId = [7, 0];
  const stale = record(store, (layout) =>
    layout.name === 'account' ? { ...layout, indexes: layout.indexes.slice(1) } : layout,
  );
  const lower = Uint8Array.from(byId);
  for (const { key } of store.range('order', { lower, upper: afterPrefix(lower), limit: 1000 }))
    stale.delete('order', key);
  store.write(stale, true);
  await close();
  await assert.rejects(
    openFolderCopy(folder, 'verify'),
    /the indexes of account are those of another version; pharos run rebuilds them/,
  );
  assert.deepEqual(await readHead(folder), head);
  const copy = await openFolderCopy(folder, 'verify');
  assert.deepEqual(verifyStore(copy.store, parameters, () => {}).problems, []);
  await copy.close();

  const again = await openFolder(folder);
  again.store.write(
    record(again.store, (layout) => (layout.name === 'escrow' ? { ...layout, rows: '0'.repeat(64) } : layout)),
    true,
  );
  await again.close();
  await assertRefused(folder, 'configuration', /whose rows of escrow are not those of this one: nothing was changed/);
});
