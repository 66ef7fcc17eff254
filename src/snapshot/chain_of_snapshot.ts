import { Fault } from '../base/fault.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { blamingDamage, OTHER_COPY } from './read_snapshot.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';

/**
 * The chain that a snapshot is of, from the genesis in it. Fault `damaged_data` when that is another one,
 * `configuration` when it isn't `wanted`.
 */
export function chainOfSnapshot(path: string, header: SnapshotHeader, wanted?: string): ChainParameters {
  return blamingDamage(path, () => wantedChain(path, header, wanted));
}

function wantedChain(
  path: string,
  { profile, genesis, chain_id }: SnapshotHeader,
  wanted: string | undefined,
): ChainParameters {
  const parameters = readParameters({ profileName: profile, genesisText: genesis, initialSigningKey: undefined });
  if (parameters.chainId !== chain_id)
    throw new Fault('damaged_data', `${path} is damaged: its genesis is not that of chain ${chain_id}; ${OTHER_COPY}`);
  if (wanted !== undefined && wanted !== chain_id)
    throw new Fault('configuration', `${path} is of chain ${chain_id}, and chain ${wanted} is wanted`);
  return parameters;
}

/**
 * The parameters of a fork with this genesis. Fault `configuration` when it is one of another state than that of the
 * snapshot.
 */
export function forkParameters(
  path: string,
  { profile, chain_id, block_number, block_id, state_hash }: SnapshotHeader,
  genesis: string,
): ChainParameters {
  const parameters = readParameters({ profileName: profile, genesisText: genesis, initialSigningKey: undefined });
  const { fork } = parameters;
  const isPoint = fork?.chain_id === chain_id && fork.block_id === block_id && fork.state_hash === state_hash;
  if (isPoint) return parameters;
  const wanted =
    fork === undefined
      ? 'begins with its genesis'
      : `parted from chain ${fork.chain_id} at block ${fork.block_number} (${fork.block_id})`;
  throw new Fault(
    'configuration',
    `${path} is a snapshot of chain ${chain_id} at block ${block_number}, and the chain that is to follow it ${wanted}`,
  );
}
