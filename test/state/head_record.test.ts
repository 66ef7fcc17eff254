import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Fault } from '../../src/base/fault.ts';
import { DISK_FORMAT, ROW_FORMAT, HEAD_COLUMN, headKey } from '../../src/state/head_record.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { WriteBatch } from '../../src/storage/key_value.ts';
import { openRocksDb, type RocksDbStore } from '../../src/storage/rocksdb.ts';
import { openChain, produce, testParameters } from '../builders/chain.ts';

const parameters = testParameters();

function setFormat(store: RocksDbStore, format: number): void {
  const head = Uint8Array.from(present(store.get(HEAD_COLUMN, headKey()), 'a head'));
  head[0] = format;
  const batch = new WriteBatch();
  batch.put(HEAD_COLUMN, headKey(), head);
  store.write(batch, true);
}

test('a folder of another disk format is refused with both formats, by node and verify, and is not touched', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-format-'));
  t.after(() => rm(folder, { recursive: true }));
  const first = await openRocksDb(folder);
  produce(openChain(parameters, first));
  for (const format of [ROW_FORMAT - 1, DISK_FORMAT - 1, DISK_FORMAT + 1]) {
    setFormat(first, format);
    const version = first.version();
    const refused = (error: unknown): boolean =>
      error instanceof Fault &&
      error.code === 'configuration' &&
      /^the format of the data, \d+, is that of an? (?:older|newer) program(?:, whose rules were others)?; this one reads format \d+: nothing was changed; .*in another folder(?:; the guide "Upgrade" says how)?$/.test(
        error.message,
      ) &&
      error.message.includes(`data, ${format}, is that of ${format < DISK_FORMAT ? 'an older' : 'a newer'}`);
    assert.throws(() => openChain(parameters, first), refused);
    assert.throws(() => verifyStore(first, parameters, () => {}), refused);
    assert.equal(first.version(), version);
  }
  setFormat(first, DISK_FORMAT);
  await first.close();

  const again = await openRocksDb(folder);
  assert.equal(openChain(parameters, again).head.number, 1);
  await again.close();
});
