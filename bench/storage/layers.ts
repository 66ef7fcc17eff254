import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { i64Key, textKey, u32Key } from '../../src/codec/key.ts';
import { fixedHex, i64, text, u16, u32 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { register } from '../../src/storage/register.ts';
import { table } from '../../src/storage/table.ts';
import { Layers } from '../../src/storage/undo.ts';
import { View } from '../../src/storage/view.ts';

/**
 * What the state costs without a chain: rows of the size of an account, transfers of two such rows and the global one.
 * CPU time of the whole process, the threads of RocksDB included.
 */
const account = struct({
  name: text,
  memo_key: fixedHex(33),
  json_metadata: text,
  proxy: text,
  created: u32,
  balance: i64,
  vesting: i64,
  due: u32,
  withdrawn: i64,
  voted: u16,
});
const accounts = table({
  name: 'account',
  value: account,
  key: { name: textKey },
  orders: {
    by_proxy: { parts: [textKey, textKey], of: (row) => [row.proxy, row.name], unique: true },
    by_balance: { parts: [i64Key], of: (row) => [row.balance + row.vesting] },
    by_due: {
      parts: [u32Key, textKey],
      of: (row) => (row.due === 0xffff_ffff ? undefined : [row.due, row.name]),
      live: true,
      unique: true,
    },
  },
});
const globals = table({ name: 'globals', value: struct({ head: u32, supply: i64 }), key: {} });
const records = table({
  name: 'history',
  value: struct({ name: text, sequence: u32, place: u32 }),
  key: { name: textKey, sequence: u32Key },
  column: 'history',
});
const tables = register({ 1: accounts, 2: globals, 3: records });

const results = new Map<string, number>(); // the best round, in CPU-µs a unit
const COUNT = Number(process.argv[2] ?? 20_000); // accounts
const ROUNDS = Number(process.argv[3] ?? 10);
const TRANSFERS = 10_000; // in a block

const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
const store = await openRocksDb(folder);
const layers = new Layers({
  committed: store,
  register: tables,
  sha256: (bytes) => hash('sha256', bytes, 'binary'),
  cachedRows: COUNT + 1000,
});
const names = Array.from({ length: COUNT }, (_, index) => `account-${index}`);

createAccounts();
for (let round = 0; round < ROUNDS; round++) {
  layers.beginBlock();
  measure('transfer: 3 gets, 3 puts, in a transaction', TRANSFERS, () => transfers(round));
  measure('transfer that is discarded', TRANSFERS, () => discardedTransfers(round));
  const sealed = measure('seal, a changed account', countChanged(round), () => layers.seal());
  measure('write without sync, a change', sealed.batch.changes.length, () => store.write(sealed.batch, false));
  measure('mark committed, a changed account', countChanged(round), () => layers.markCommitted());
  measure('empty block: 6 first, 1 put, seal, write', 1000, emptyBlocks);
  measure('empty block without the write', 1000, emptySeals);
}
const view = new View(store, COUNT * 2);
const uncached = new View(store, 1);
measure('view get, from RocksDB', COUNT, () => names.forEach((name) => uncached.get(accounts, name)));
measure('view get, into the cache', COUNT, () => names.forEach((name) => view.get(accounts, name)));
measure('view get, from the cache', COUNT, () => names.forEach((name) => view.get(accounts, name)));
measure('view getMany of 100, a row from RocksDB', COUNT, () => inHundreds((some) => uncached.getMany(accounts, some)));
measure('view range of 100 by proxy, a row', COUNT, () => inHundreds(() => uncached.range(accounts.by_proxy, { limit: 100 })));
await store.close();
const reopened = performance.now();
const again = await openRocksDb(folder);
console.log(`reopened in ${(performance.now() - reopened).toFixed(0)} ms`);
await again.close();
rmSync(folder, { recursive: true });
report();

function createAccounts(): void {
  layers.beginBlock();
  layers.put(globals, { head: 0, supply: 0n });
  for (const name of names)
    layers.append(accounts, {
      name,
      memo_key: '02'.repeat(33),
      json_metadata: '',
      proxy: '',
      created: 1,
      balance: 1_000_000n,
      vesting: 5n,
      due: 0xffff_ffff,
      withdrawn: 0n,
      voted: 0,
    });
  store.write(layers.seal().batch, false);
  layers.markCommitted();
}

function transfers(round: number): void {
  for (let n = 0; n < TRANSFERS; n++) {
    layers.beginTransaction();
    transfer(n, round);
    layers.mergeTransaction();
  }
}

function discardedTransfers(round: number): void {
  for (let n = 0; n < TRANSFERS; n++) {
    layers.beginTransaction();
    transfer(n, round);
    layers.discardTransaction();
  }
}

function transfer(n: number, round: number): void {
  const from = layers.get(accounts, names[(n * 7 + round) % COUNT] ?? '');
  const to = layers.get(accounts, names[(n * 13 + round * 3 + 1) % COUNT] ?? '');
  const global = layers.only(globals);
  if (from === undefined || to === undefined || from === to) return;
  layers.put(accounts, { ...from, balance: from.balance - 1n });
  layers.put(accounts, { ...to, balance: to.balance + 1n });
  layers.put(globals, { head: global.head, supply: global.supply + 1n });
}

function countChanged(round: number): number {
  const changed = new Set<number>();
  for (let n = 0; n < TRANSFERS; n++) changed.add((n * 7 + round) % COUNT).add((n * 13 + round * 3 + 1) % COUNT);
  return changed.size;
}

function emptyBlocks(): void {
  for (let n = 0; n < 1000; n++) {
    emptyBlock(n);
    store.write(layers.seal().batch, false);
    layers.markCommitted();
  }
}

function emptySeals(): void {
  for (let n = 0; n < 1000; n++) {
    emptyBlock(n);
    layers.seal();
    layers.discardBlock();
  }
}

function emptyBlock(n: number): void {
  layers.beginBlock();
  for (let look = 0; look < 6; look++) layers.first(accounts.by_due);
  layers.put(globals, { head: n, supply: 0n });
}

function inHundreds(read: (names: string[]) => void): void {
  for (let n = 0; n < COUNT; n += 100) read(names.slice(n, n + 100));
}

function measure<T>(what: string, units: number, run: () => T): T {
  const before = process.cpuUsage();
  const result = run();
  const used = process.cpuUsage(before);
  const best = results.get(what) ?? Infinity;
  results.set(what, Math.min(best, (used.user + used.system) / units));
  return result;
}

function report(): void {
  for (const [what, us] of results) console.log(`${us.toFixed(2).padStart(8)} µs  ${what}`);
}
