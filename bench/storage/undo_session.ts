import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { i64Key, textKey, u32Key } from '../../src/codec/key.ts';
import { fixedHex, i64, text, u16, u32 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { openRocksDb, type RocksDbStore } from '../../src/storage/rocksdb.ts';
import { register } from '../../src/storage/register.ts';
import { table } from '../../src/storage/table.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';

/**
 * Measures the state without a chain: rows of the size of an account, transfers of two such rows and the global one.
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
  indexes: {
    by_proxy: { parts: [textKey, textKey], of: ({ proxy, name }) => [proxy, name], unique: true },
    by_balance: { parts: [i64Key], of: ({ balance, vesting }) => [balance + vesting] },
    by_due: {
      parts: [u32Key, textKey],
      of: ({ due, name }) => (due === 0xffff_ffff ? undefined : [due, name]),
      writable: true,
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

/** Transfers in a block. */
const TRANSFERS = 10_000;

/** Measures the sessions, the store and a reader, each alone. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const store = await openRocksDb(folder);
  const bench = new UndoSessionBench(store, quick ? 2000 : 20_000);
  for (let round = 0; round < (quick ? 1 : 6); round++) bench.block(round);
  bench.reads();
  await store.close();
  rmSync(folder, { recursive: true });
  return bench.rows();
}

class UndoSessionBench {
  readonly #store: RocksDbStore;
  readonly #count: number;
  readonly #sessions: UndoSessions;
  readonly #names: readonly string[];
  /** The cheapest round of each, in CPU-µs a unit. */
  readonly #results = new Map<string, number>();

  constructor(store: RocksDbStore, count: number) {
    this.#store = store;
    this.#count = count;
    this.#sessions = new UndoSessions({
      committed: store,
      register: tables,
      sha256: (bytes) => hash('sha256', bytes, 'binary'),
      cachedBytes: 1000 * (count + 1000),
    });
    this.#names = Array.from({ length: count }, (_, index) => `account-${index}`);
    this.#createAccounts();
  }

  block(round: number): void {
    const sessions = this.#sessions;
    sessions.beginBlock();
    this.#measure('transfer: 3 gets, 3 puts, in a transaction', TRANSFERS, () => this.#transfers(round));
    this.#measure('transfer that is discarded', TRANSFERS, () => this.#discardedTransfers(round));
    const sealed = this.#measure('seal, a changed account', this.#countChanged(round), () => sessions.seal());
    this.#measure('write without sync, a change', sealed.batch.changes.length, () =>
      this.#store.write(sealed.batch, false),
    );
    this.#measure('mark committed, a changed account', this.#countChanged(round), () => sessions.markCommitted());
    this.#measure('empty block: 6 first, 1 put, seal, write', 1000, () => this.#emptyBlocks());
    this.#measure('empty block without the write', 1000, () => this.#emptySeals());
  }

  reads(): void {
    const view = new View(this.#store, this.#count * 2);
    const uncached = new View(this.#store, 1);
    const names = this.#names;
    this.#measure('view get, from RocksDB', this.#count, () => names.forEach((name) => uncached.get(accounts, name)));
    this.#measure('view get, into the cache', this.#count, () => names.forEach((name) => view.get(accounts, name)));
    this.#measure('view get, from the cache', this.#count, () => names.forEach((name) => view.get(accounts, name)));
    this.#measure('view getMany of 100, a row from RocksDB', this.#count, () =>
      this.#inHundreds((some) => uncached.getMany(accounts, some)),
    );
    this.#measure('view range of 100 by proxy, a row', this.#count, () =>
      this.#inHundreds(() => uncached.range(accounts.by_proxy, { limit: 100 })),
    );
  }

  rows(): Row[] {
    const note = `${this.#count} accounts, ${TRANSFERS} transfers a block`;
    return [...this.#results].map(([name, cpuMicros]) => row(name, 'unit', { work: 1, cpuMicros }, { note }));
  }

  #createAccounts(): void {
    this.#sessions.beginBlock();
    this.#sessions.put(globals, { head: 0, supply: 0n });
    for (const name of this.#names)
      this.#sessions.append(accounts, {
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
    this.#store.write(this.#sessions.seal().batch, false);
    this.#sessions.markCommitted();
  }

  #transfers(round: number): void {
    for (let n = 0; n < TRANSFERS; n++) {
      this.#sessions.beginTransaction();
      this.#transfer(n, round);
      this.#sessions.mergeTransaction();
    }
  }

  #discardedTransfers(round: number): void {
    for (let n = 0; n < TRANSFERS; n++) {
      this.#sessions.beginTransaction();
      this.#transfer(n, round);
      this.#sessions.discardTransaction();
    }
  }

  #transfer(n: number, round: number): void {
    const from = this.#sessions.get(accounts, this.#names[(n * 7 + round) % this.#count] ?? '');
    const to = this.#sessions.get(accounts, this.#names[(n * 13 + round * 3 + 1) % this.#count] ?? '');
    const global = this.#sessions.only(globals);
    if (from === undefined || to === undefined || from === to) return;
    this.#sessions.put(accounts, { ...from, balance: from.balance - 1n });
    this.#sessions.put(accounts, { ...to, balance: to.balance + 1n });
    this.#sessions.put(globals, { head: global.head, supply: global.supply + 1n });
  }

  #countChanged(round: number): number {
    const changed = new Set<number>();
    for (let n = 0; n < TRANSFERS; n++)
      changed.add((n * 7 + round) % this.#count).add((n * 13 + round * 3 + 1) % this.#count);
    return changed.size;
  }

  #emptyBlocks(): void {
    for (let n = 0; n < 1000; n++) {
      this.#emptyBlock(n);
      this.#store.write(this.#sessions.seal().batch, false);
      this.#sessions.markCommitted();
    }
  }

  #emptySeals(): void {
    for (let n = 0; n < 1000; n++) {
      this.#emptyBlock(n);
      this.#sessions.seal();
      this.#sessions.discardBlock();
    }
  }

  #emptyBlock(n: number): void {
    this.#sessions.beginBlock();
    for (let look = 0; look < 6; look++) this.#sessions.first(accounts.by_due);
    this.#sessions.put(globals, { head: n, supply: 0n });
  }

  #inHundreds(read: (names: string[]) => void): void {
    for (let n = 0; n < this.#count; n += 100) read(this.#names.slice(n, n + 100));
  }

  #measure<T>(what: string, units: number, work: () => T): T {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    this.#results.set(what, Math.min(this.#results.get(what) ?? Infinity, (user + system) / units));
    return result;
  }
}
