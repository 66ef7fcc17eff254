import type { ValueOf } from '../codec/codec.ts';
import { struct } from '../codec/struct.ts';
import { memberCodecs, genesisMembers, packedMembers, type forkPoint } from './genesis_members.ts';

/**
 * Genesis as packed by the lineage: the chain id of a private net that is started by keys is the sha256 of these bytes.
 */
export const packedGenesis = struct(memberCodecs(packedMembers));

/** All members of a genesis file; the last ones are specific to Pharos. */
export const genesisFile = struct(memberCodecs(genesisMembers));

export type Genesis = ValueOf<typeof genesisFile>;
export type ForkPoint = ValueOf<typeof forkPoint>;

/** The block at which a chain parted from another one; undefined for one that begins with its genesis. */
export function genesisForkPoint({ fork }: Pick<Genesis, 'fork'>): ForkPoint | undefined {
  return /^0+$/.test(fork.chain_id) ? undefined : fork;
}
