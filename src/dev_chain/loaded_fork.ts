import { MemoryStore } from '../storage/memory.ts';
import { chainOfSnapshot, forkParameters } from '../snapshot/chain_of_snapshot.ts';
import { SnapshotLoading } from '../snapshot/load_snapshot.ts';
import { openSnapshot } from '../snapshot/read_snapshot.ts';
import type { PlannedHardfork } from '../state/hardfork_plan.ts';
import { forkGenesisText } from './fork_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';

/** A fork of a snapshot in memory. Faults as those of `openSnapshot`. */
export function loadFork(
  path: string,
  seed: string,
  hardforks: readonly PlannedHardfork[],
): JoinedChain & { readonly store: MemoryStore } {
  const { header, chunks } = openSnapshot(path);
  chainOfSnapshot(path, header);
  const genesisText = forkGenesisText(header, seed, hardforks);
  const store = new MemoryStore();
  const loading = new SnapshotLoading(store, forkParameters(path, header, genesisText));
  for (const chunk of chunks) loading.add(chunk);
  loading.finish(header);
  return { profileName: header.profile, genesisText, store };
}
