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
  /** Who this node signs for. */
  readonly witnesses: readonly string[];
  readonly clockOffsetMs: number;
  /** Whose key it signs with; that of each witness's own name by default. */
  readonly keyName?: string;
  /** Further keys with which it signs where its witness has one of them. */
  readonly furtherKeyNames?: readonly string[];
  /** Who takes over from whom. */
  readonly standby?: SimStandby;
  readonly settings?: Partial<NetworkSettings>;
  readonly requiredParticipation?: number;
  /** Whether it makes blocks however old its head is; true unless said. */
  readonly allowStale?: boolean;
  /** What a block costs this machine. */
  readonly blockMs?: number;
  readonly signatureMs?: number;
  readonly appliedMs?: number;
  /** It finds out who has signed a transaction. */
  readonly proves?: (packed: Uint8Array) => void;
  /** What the machine has signed: with one, its key is guarded as in a node. */
  readonly journal?: MemoryJournal;
  /** What the machine has voted; undefined for one that doesn't vote. */
  readonly votes?: MemoryVotingJournal;
  /** What it does with votes instead of what the rule says. */
  readonly lies?: VotingLies;
  /** How its version differs from ours. */
  readonly skew?: Skew;
}

/** What a node is told of standbys, and the disk on which one keeps its switch. */
export interface SimStandby extends Omit<StandbySettings, 'file'> {
  readonly kept: { readonly damage: undefined; read(): KeptStandby | undefined; write(state: KeptStandby): void };
}
