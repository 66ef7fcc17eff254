import { binaryText, binaryTextBytes } from './binary_text.ts';
import {
  type Column,
  columns,
  type KeyRange,
  type KeyValueEntry,
  type KeyValueStore,
  type WriteBatch,
} from './key_value.ts';
import { allChanges, PreparedList } from './prepared_list.ts';
import { SortedMap } from './sorted_map.ts';

/** A store in memory: for tests, simulations and chains that last only as long as their process. */
export class MemoryStore implements KeyValueStore {
  readonly #columns = new Map<Column, SortedMap<Uint8Array>>(columns.map((column) => [column, new SortedMap()]));
  #version = 0;

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    return this.#columns.get(column)?.get(binaryText(key));
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(column, key));
  }

  range(column: Column, { lower, upper, reverse = false, limit }: KeyRange): KeyValueEntry[] {
    const found = this.#columns.get(column)?.slice(binaryText(lower), binaryText(upper), reverse, limit) ?? [];
    return found.map(({ key, value }) => ({ key: binaryTextBytes(key), value }));
  }

  version(): number {
    return this.#version;
  }

  prepare(): PreparedList {
    return new PreparedList();
  }

  write(batch: WriteBatch): void {
    for (const { column, key, value } of allChanges(batch)) {
      if (value === undefined) this.#columns.get(column)?.delete(binaryText(key));
      else this.#columns.get(column)?.set(binaryText(key), value);
    }
    this.#version++;
  }

  /** Nothing needs it. */
  tidy(): void {}
}
