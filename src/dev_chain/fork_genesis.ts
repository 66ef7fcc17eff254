import { genesisFile } from '../state/genesis_file.ts';
import { genesisEncoding } from '../state/read_genesis.ts';
import { readParameters, profileNamed } from '../settings/chain_settings.ts';
import type { SnapshotHeader } from '../snapshot/snapshot_schema.ts';
import { requirePlan, type PlannedHardfork } from '../state/hardfork_plan.ts';
import { devPublicKey, IMPERSONATOR, planMember } from './dev_genesis.ts';

/**
 * The genesis text of a development chain that begins with the state of a snapshot: that of its chain, but for who
 * signs blocks and who acts for every account. The same snapshot and seed give the same chain, whose id is another than
 * that of the snapshot's. `hardforks` are those that its blocks apply without votes, besides those that the other chain
 * was to apply still.
 */
export function forkGenesisText(
  header: SnapshotHeader,
  seed: string,
  hardforks: readonly PlannedHardfork[] = [],
): string {
  const { profile: profileName, chain_id, block_number, block_id, state_hash } = header;
  const profile = profileNamed(profileName);
  const { genesis } = readParameters({ profileName, genesisText: header.genesis, initialSigningKey: undefined });
  requirePlan(hardforks, { block: block_number + 1, time: undefined });
  const own = {
    initial_signing_key: devPublicKey('initminer', profile, seed),
    impersonator: devPublicKey(IMPERSONATOR, profile, seed),
    fork: { chain_id, block_number, block_id, state_hash },
    hardfork_blocks: undefined,
    ...planMember([...stillPlanned(genesis.hardfork_blocks, block_number, hardforks), ...hardforks]),
    // Left out, because a fork has none, whatever its chain has.
    finality: undefined,
  };
  return JSON.stringify({ ...Object(genesisFile.toJson(genesis, genesisEncoding(profile))), ...own }, null, 1);
}

/**
 * Hardforks that a development chain had planned behind the block at which the fork begins, unless they are planned
 * anew.
 */
function stillPlanned(
  plan: readonly PlannedHardfork[],
  head: number,
  anew: readonly PlannedHardfork[],
): readonly PlannedHardfork[] {
  const names = new Set(anew.map(({ name }) => name));
  return plan.filter(({ name, block }) => block > head && !names.has(name));
}
