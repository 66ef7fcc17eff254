import { SnapshotLoading } from '../../src/snapshot/load_snapshot.ts';
import { openSnapshot } from '../../src/snapshot/read_snapshot.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';

/** The chain that begins with a snapshot, in memory. */
export function loadedState(path: string, parameters: ChainParameters): MemoryStore {
  const { header, chunks } = openSnapshot(path);
  const store = new MemoryStore();
  const loading = new SnapshotLoading(store, parameters);
  for (const chunk of chunks) loading.add(chunk);
  loading.finish(header);
  return store;
}
