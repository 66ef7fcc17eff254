import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChainState } from '../../src/state/chain_state.ts';
import { Consequences } from '../../src/state/consequences.ts';
import { receivedList } from '../../src/queries/document_lists.ts';
import { storeDocuments } from '../../src/state/documents.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { tables } from '../../src/state/tables/index.ts';
import { columns, type Column, type KeyValueReader } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { SealedBlock } from '../../src/storage/seal.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { compareNames } from '../../src/values/account_name.ts';
import { RandomSource } from '../builders/random_source.ts';
import { Ledger, START } from '../builders/ledger.ts';
import { sha256 } from '../storage/sha256.ts';

/** As many recipients as the largest transaction can name. */
const LETTERS = 'BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const names = [...LETTERS]
  .flatMap((last) => ['', 'A', ...LETTERS].map((first) => first + last))
  .slice(0, 2600)
  .toSorted(compareNames);

/** Messages in blocks of their own, on a disk that forgets. */
class Post {
  readonly store = new MemoryStore();
  readonly rows = new UndoSessions({ committed: this.store, register: tables, sha256, cachedBytes: 100_000 });
  readonly #parameters = new Ledger().parameters;

  constructor() {
    const head = new Ledger().rows.only(dynamicGlobalProperties);
    this.block(({ rows }) => rows.put(dynamicGlobalProperties, head));
  }

  send(recipients: readonly string[], payload = '', seconds = 0): SealedBlock {
    return this.block((state) => {
      const head = state.rows.only(dynamicGlobalProperties);
      state.rows.put(dynamicGlobalProperties, { ...head, time: START + seconds });
      storeDocuments(state, { app_id: 1n, sender: 'alice', recipients, binary: false, payload });
    });
  }

  block(change: (state: ChainState) => void): SealedBlock {
    this.rows.beginBlock();
    change({
      rows: this.rows,
      parameters: this.#parameters,
      consequences: new Consequences(),
      isAccepting: false,
      emit() {},
      remark() {},
    });
    return this.commit(this.rows.seal());
  }

  commit(sealed: SealedBlock): SealedBlock {
    this.store.write(sealed.batch);
    this.rows.markCommitted();
    return sealed;
  }

  /** Everything on the disk. */
  contents(): string[] {
    const all = { lower: new Uint8Array(), upper: new Uint8Array(64).fill(0xff), limit: 1_000_000 };
    return columns.flatMap((column) =>
      this.store.range(column, all).map(({ key, value }) => `${column} ${hex(key)} ${hex(value)}`),
    );
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('a message to many is stored once, and each recipient costs one small row', () => {
  const post = new Post();
  const payload = 'x'.repeat(4000);
  for (let round = 0; round < 5; round++) {
    const { changes } = post.send(names, payload).batch;
    assert(changes.length < names.length + 10, `${changes.length} rows`);
    const bytes = changes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
    assert(bytes < payload.length + 100 * names.length, `${bytes} bytes`);
  }
});

test('taking a block back leaves every row as it was, of inboxes too', () => {
  const post = new Post();
  const randomSource = new RandomSource(7);
  for (let round = 0; round < 60; round++) {
    const before = post.contents();
    const recipients = randomSource.shuffle(names.slice(0, 9)).slice(0, 1 + randomSource.roll(9));
    const { undo } = post.send(recipients.toSorted());
    const after = post.contents();
    assert.notDeepEqual(after, before);
    post.commit(post.rows.undoBlock(undo));
    assert.deepEqual(post.contents(), before);
    post.send(recipients.toSorted());
    assert.deepEqual(post.contents(), after);
  }
});

/** Counts the rows that are asked for. */
class CountingReader implements KeyValueReader {
  rows = 0;
  readonly #store: MemoryStore;

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    return this.getMany(column, [key])[0];
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    this.rows += keys.length;
    return this.#store.getMany(column, keys);
  }

  range(...range: Parameters<MemoryStore['range']>): ReturnType<MemoryStore['range']> {
    const found = this.#store.range(...range);
    this.rows += found.length;
    return found;
  }

  version(): number {
    return this.#store.version();
  }
}

test('a page of an inbox of thousands costs its own documents and a few steps to them', () => {
  const post = new Post();
  const sent = 3000;
  for (let number = 1; number <= sent; number++) post.send(['bob'], String(number), 3 * number);
  const reader = new CountingReader(post.store);
  const randomSource = new RandomSource(8);
  for (let round = 0; round < 200; round++) {
    const lowest = 1 + randomSource.roll(sent - 20);
    reader.rows = 0;
    const list = receivedList(new View(reader, 1), 1n, 'bob');
    assert.deepEqual(
      list.between(BigInt(lowest), BigInt(lowest + 9)).map(({ number, message }) => [number, message.payload]),
      Array.from({ length: 10 }, (_, index) => [BigInt(lowest + index), String(lowest + index)]),
    );
    assert(reader.rows < 10 + 40, `${reader.rows} rows`);
    reader.rows = 0;
    assert.equal(list.findFirst(START + 3 * lowest - 1), BigInt(lowest));
    assert(reader.rows < 40, `${reader.rows} rows`);
  }
});
