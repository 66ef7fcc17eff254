import type { NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import type { Target } from '../../src/wire/addresses.ts';
import type { KeptStandby } from '../../src/witness/standby.ts';
import type { MemoryJournal } from '../builders/memory_journal.ts';
import type { MemoryVotingJournal } from '../builders/memory_voting_journal.ts';
import type { Skew } from './version_skew.ts';
import type { VotingLies } from './voting_lies.ts';
import type { StandbySettings } from '../../src/settings/standby_settings.ts';

export interface SimNodeOptions {
  readonly name: string;
  readonly host: string;
  readonly seeds: readonly Target[];
  /** The witnesses of this node. */
  readonly witnesses: readonly string[];
  readonly clockOffsetMs: number;
  /** The name of its key; that of each witness by default. */
  readonly keyName?: string;
  /** Further keys with which it signs where its witness has one of them. */
  readonly furtherKeyNames?: readonly string[];
  /** Its standbys, and the witness to stand by for. */
  readonly standby?: SimStandby;
  readonly settings?: Partial<NetworkSettings>;
  readonly requiredParticipation?: number;
  /** True, the default, when it makes blocks however old its head is. */
  readonly allowStale?: boolean;
  /** The milliseconds that a block takes this machine. */
  readonly blockMs?: number;
  readonly signatureMs?: number;
  readonly appliedMs?: number;
  /** It finds out who has signed a transaction. */
  readonly proves?: (packed: Uint8Array) => void;
  /** The machine's signing journal: with one, its key is guarded as in a node. */
  readonly journal?: MemoryJournal;
  /** The machine's voting journal; undefined for one that doesn't vote. */
  readonly votes?: MemoryVotingJournal;
  /** Its treatment of votes in place of the rule. */
  readonly lies?: VotingLies;
  /** Differences of its version from ours. */
  readonly skew?: Skew;
}

/** A node's settings about standbys, and the disk on which one keeps its switch. */
export interface SimStandby extends Omit<StandbySettings, 'file'> {
  readonly kept: { readonly damage: undefined; read(): KeptStandby | undefined; write(state: KeptStandby): void };
}
