import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { requireOwnRecords } from '../../src/data_folder/log_records.ts';
import { WriteBatch } from '../../src/storage/key_value.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';

const site = mkdtempSync(join(tmpdir(), 'pharos-logs-'));
const sound = join(site, 'sound');
/** Small records, one over several blocks, and small ones again. */
const SIZES = [10, 200, 30, 150_000, 40, 500, 60];
const BLOCK_BYTES = 32_768;

before(async () => {
  const store = await openRocksDb(sound);
  for (const [index, size] of SIZES.entries()) {
    const batch = new WriteBatch();
    batch.put('state', Uint8Array.of(1, index), new Uint8Array(size).fill(index + 1));
    store.write(batch, true);
  }
  await store.close();
});

after(() => rmSync(site, { recursive: true, force: true }));

/** The logs with where their records begin. */
function logs(): { readonly name: string; readonly bytes: Buffer; readonly records: readonly number[] }[] {
  const names = readdirSync(sound).filter((name) => /\.log$|^MANIFEST/.test(name));
  return names.map((name) => {
    const bytes = readFileSync(join(sound, name));
    const records: number[] = [];
    for (let at = 0; at + 7 <= bytes.length;) {
      const left = BLOCK_BYTES - (at % BLOCK_BYTES);
      if (left >= 7) records.push(at);
      at += left < 7 ? left : 7 + bytes.readUInt16LE(at + 4);
    }
    return { name, bytes, records };
  });
}

/** The code with which that file's folder is refused before RocksDB opens it. */
function refusalOf(name: string, bytes: Uint8Array): string {
  const folder = mkdtempSync(join(site, 'changed-'));
  cpSync(sound, folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  try {
    requireOwnRecords(folder);
    return '';
  } catch (error) {
    assert.ok(error instanceof Fault && error.message.includes(join(folder, name)), String(error));
    return error.code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
  return changed;
}

test('the log has records of each kind, and as it is nothing is refused', () => {
  const kinds = logs().flatMap(({ bytes, records }) => records.map((at) => bytes.readUInt8(at + 6)));
  assert.deepEqual(new Set(kinds), new Set([1, 2, 3, 4]));
  requireOwnRecords(sound);
});

test('each bit of a record’s kind either is refused with the name of the file, or RocksDB comes back with an answer', async () => {
  let refused = 0;
  for (const { name, bytes, records } of logs())
    for (const at of records)
      for (let bit = 0; bit < 8; bit++) {
        const changed = flipped(bytes, at + 6, bit);
        if (refusalOf(name, changed) === 'damaged_data') {
          refused++;
          continue;
        }
        const folder = mkdtempSync(join(site, 'opened-'));
        cpSync(sound, folder, { recursive: true });
        writeFileSync(join(folder, name), changed);
        await openRocksDb(folder, { create: false }).then(
          async (store) => await store.close(),
          (error: unknown) => assert.ok(error instanceof Fault),
        );
        rmSync(folder, { recursive: true });
      }
  assert.ok(refused > SIZES.length);
});

test('a changed length, a log that ends early or in zeroes is left to RocksDB, which tells how much of the chain is there', () => {
  for (const { name, bytes, records } of logs())
    for (const at of records) {
      for (let bit = 0; bit < 16; bit++)
        assert.equal(refusalOf(name, flipped(bytes, at + 4 + (bit >> 3), bit & 7)), '');
      assert.equal(refusalOf(name, bytes.subarray(0, at + 9)), '');
      assert.equal(refusalOf(name, Buffer.concat([bytes.subarray(0, at + 3), Buffer.alloc(9000)])), '');
    }
});
