import { assert } from '../../base/assert.ts';
import { binaryText, binaryTextBytes } from '../../storage/binary_text.ts';
import {
  WriteBatch,
  type Column,
  type KeyRange,
  type KeyValueEntry,
  type KeyValueReader,
  type KeyValueStore,
  type PreparedChanges,
} from '../../storage/key_value.ts';
import { SortedMap } from '../../storage/sorted_map.ts';

interface Held {
  /** Undefined where the entry was deleted. */
  readonly value: Uint8Array | undefined;
}

type HeldColumns = Map<Column, SortedMap<Held>>;

/**
 * A store whose writes can be held back and then written as one: a switch to another branch becomes visible to readers
 * and on disk as a whole or not at all. The writer reads its own held writes.
 */
export class BufferedStore implements KeyValueReader {
  readonly #store: KeyValueStore;
  #prepared: PreparedChanges | undefined;
  #held: HeldColumns | undefined;
  #heldWrites = 0;
  #heldBytes = 0;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** From now on, writes are held back. */
  hold(): void {
    this.#held ??= new Map();
  }

  /** True if writes are held back. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Forgets everything that was held: the store stays as it is. */
  discard(): void {
    // Readers that have seen held writes must look again.
    this.#heldWrites++;
    this.#held = undefined;
    this.#heldBytes = 0;
  }

  /** The bytes held so far, including those that a later write replaced. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Writes everything that was held to the store at once. */
  release(durable: boolean): void {
    const batch = new WriteBatch();
    for (const [column, changes] of this.#held ?? []) {
      for (const { key, value } of changes.slice('', undefined, false, Infinity)) {
        if (value.value === undefined) batch.delete(column, binaryTextBytes(key));
        else batch.put(column, binaryTextBytes(key), value.value);
      }
    }
    this.#held = undefined;
    this.#heldBytes = 0;
    if (batch.changes.length > 0) this.#store.write(batch, durable);
  }

  /** For the next write that is not held; undefined while writes are. */
  prepare(): PreparedChanges | undefined {
    if (this.isHolding) return undefined;
    this.#prepared ??= this.#store.prepare();
    return this.#prepared;
  }

  /** Has the store do what a later write would have to do. */
  tidy(): void {
    this.#store.tidy();
  }

  write(batch: WriteBatch, durable: boolean): void {
    if (this.#held === undefined) {
      this.#store.write(batch, durable);
      return;
    }
    assert(batch.prepared === undefined, 'what is held was not prepared');
    this.#heldWrites++;
    for (const { column, key, value } of batch.changes) {
      const changes = this.#held.get(column) ?? new SortedMap<Held>();
      this.#held.set(column, changes);
      changes.set(binaryText(key), { value });
      this.#heldBytes += key.length + (value?.length ?? 0);
    }
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    const held = this.#held?.get(column)?.get(binaryText(key));
    return held === undefined ? this.#store.get(column, key) : held.value;
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#held === undefined ? this.#store.getMany(column, keys) : keys.map((key) => this.get(column, key));
  }

  range(column: Column, range: KeyRange): KeyValueEntry[] {
    const { lower, upper, reverse = false, limit } = range;
    const held = this.#held?.get(column)?.slice(binaryText(lower), binaryText(upper), reverse, Infinity) ?? [];
    if (held.length === 0) return this.#store.range(column, range);
    const changed = new Set(held.map(({ key }) => key));
    // Each held change can hide one entry of the store.
    const stored = this.#store
      .range(column, { ...range, limit: limit + held.length })
      .filter(({ key }) => !changed.has(binaryText(key)));
    const added = held.flatMap(({ key, value: { value } }) =>
      value === undefined ? [] : [{ key: binaryTextBytes(key), value }],
    );
    const direction = reverse ? -1 : 1;
    return [...stored, ...added].sort((a, b) => direction * Buffer.compare(a.key, b.key)).slice(0, limit);
  }

  version(): number {
    return this.#store.version() + this.#heldWrites;
  }
}
