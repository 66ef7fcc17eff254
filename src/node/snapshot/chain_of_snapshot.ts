import { Fault } from '../../base/fault.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { parametersOf } from '../chain_settings.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';

/** The chain that a snapshot is of, from the genesis in it. Fault `damaged_data` when that is another one, `configuration` when it isn't `wanted`. */
export function chainOfSnapshot(path: string, { profile, genesis, chain_id }: SnapshotHeader, wanted?: string): ChainParameters {
  const parameters = parametersOf({ profileName: profile, genesisText: genesis, initialSigningKey: undefined });
  if (parameters.chainId !== chain_id) throw new Fault('damaged_data', `${path} is damaged: its genesis is not that of chain ${chain_id}`);
  if (wanted !== undefined && wanted !== chain_id)
    throw new Fault('configuration', `${path} is of chain ${chain_id}, and chain ${wanted} is wanted`);
  return parameters;
}
