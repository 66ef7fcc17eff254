import { columns, WriteBatch, type KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';

/** Everything that is in a store, in memory. */
export function copyStore(store: KeyValueStore): MemoryStore {
  const copy = new MemoryStore();
  const batch = new WriteBatch();
  const everything = { lower: Uint8Array.of(0), upper: new Uint8Array(64).fill(0xff), limit: 10_000_000 };
  for (const column of columns)
    for (const { key, value } of store.range(column, everything)) batch.put(column, key, value);
  copy.write(batch);
  return copy;
}
