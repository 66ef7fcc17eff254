import { genesisFile } from '../../state/genesis_file.ts';
import { genesisNotation } from '../../state/read_genesis.ts';
import { parametersOf, profileNamed } from '../chain_settings.ts';
import type { SnapshotHeader } from '../snapshot/snapshot_schema.ts';
import { devPublicKey, IMPERSONATOR } from './dev_genesis.ts';

/**
 * The genesis text of a development chain that begins with the state of a snapshot: that of its chain, but for who signs blocks and who acts
 * for every account. The same snapshot and seed give the same chain, whose id is another than that of the snapshot's.
 */
export function forkGenesisText(header: SnapshotHeader, seed: string): string {
  const { profile: profileName, chain_id, block_number, block_id, state_hash } = header;
  const profile = profileNamed(profileName);
  const { genesis } = parametersOf({ profileName, genesisText: header.genesis, initialSigningKey: undefined });
  const own = {
    initial_signing_key: devPublicKey('initminer', profile, seed),
    impersonator: devPublicKey(IMPERSONATOR, profile, seed),
    fork: { chain_id, block_number, block_id, state_hash },
  };
  return JSON.stringify({ ...Object(genesisFile.toJson(genesis, genesisNotation(profile))), ...own }, null, 1);
}
