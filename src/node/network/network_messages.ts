import type { LogSettings } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { SignedHeartbeat } from '../../blocks/alive.ts';
import type { JudgedHeader } from '../../chain/forks/branches.ts';
import type { BlockOutcome, HeaderJudgement, SubmissionPlace } from '../../p2p/environment/chain_access.ts';
import type { Lane } from '../../wire/lanes.ts';
import type { BlockDelay, BundleFate } from '../../p2p/peers/network_counts.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Offence } from '../../p2p/peers/score.ts';
import type { ContestReport, InboundContest } from '../../p2p/sync/contest.ts';
import type { SyncState, UnprovedClaims } from '../../p2p/sync/standing.ts';
import type { PeerDescription } from '../../rpc/services.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { AcceptedMessage } from '../../feed/transaction_feed.ts';
import type { Answered, Asked } from '../../system/questions.ts';
import type { ThreadFailure } from '../../system/thread_failure.ts';
import type { Target } from '../../wire/addresses.ts';
import type { FinalityUpdate } from '../../p2p/finality/finality_relay.ts';
import type { HeardVotes } from '../threads/messages.ts';
import type { ChainSettings } from '../../settings/chain_settings.ts';
import type { P2pSettings } from '../../settings/p2p_settings.ts';
import type { NamedBlock } from '../../settings/writer_settings.ts';
import type { ThreadKind } from '../../system/thread_settings.ts';

/** The settings that the network thread is started with. */
export interface NetworkThreadSettings {
  readonly p2p: P2pSettings;
  readonly chain: ChainSettings;
  /** Attaches to the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The data folder, where identity, bans and addresses are kept. */
  readonly folder: string;
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** The end of an epoch that the operator has given. */
  readonly finalityCheckpoint?: NamedBlock | undefined;
  /** The chain moves its own time: a development chain, which tells everybody its genesis. */
  readonly ownsTime: boolean;
  readonly log: LogSettings;
  /** The witnesses that this node produces for. */
  readonly witnesses: readonly AccountName[];
}

/** The node's standing among others, told each second. */
export interface NetworkState {
  readonly sync: SyncState;
  readonly behindBy: number;
  /** Nothing is known to be missing, and nobody that counts contradicts this node's chain. */
  readonly isSynced: boolean;
  /** The report of voices about a block that is irreversible here; undefined while none contradicts. */
  readonly contest: ContestReport | undefined;
  /** The report of inbound strangers about such blocks; undefined while none contradicts. */
  readonly contestedByInbound: InboundContest | undefined;
  /** Claims of blocks of which nothing has come. */
  readonly unproved: UnprovedClaims;
  /** Address groups that this node has dialled, and nodes that its operator has named. */
  readonly voices: number;
  readonly inbound: number;
  readonly outbound: number;
  /** Too few slots of the last round have a block. */
  readonly isParted: boolean;
  /**
   * It has seeds, and since it started it has met nobody that it has chosen and its chain has stood still: whatever it
   * has may be old.
   */
  readonly isSearching: boolean;
  /**
   * The block of somebody else's snapshot that the chain begins with, and how many peers have it; undefined once that
   * is enough.
   */
  readonly unconfirmed: { readonly number: number; readonly confirmedBy: number } | undefined;
  /** By how much the clocks of voices are ahead, however few there are; undefined without any. */
  readonly medianClockAheadMs: number | undefined;
  /** Ids of peers whose head is ours, or near it. */
  readonly inStep: readonly string[];
  /** The same of one peer for each voice. */
  readonly sources: readonly string[];
  readonly figures: NetworkFigures;
}

type ByLane = Readonly<Record<Lane, number>>;

/**
 * The counts of the network, since the start but for `delays`, `rebuiltMs` and `threadDelaySeconds`, which are of the
 * last second.
 */
export interface NetworkFigures {
  readonly received: ByLane;
  readonly sent: ByLane;
  readonly queuedBytes: number;
  readonly aheadBytes: number;
  readonly bundles: Readonly<Record<BundleFate, number>>;
  /** Bundles that were announced and have not come. */
  readonly awaitedBundles: number;
  /** Witnesses that have signed lately that they are there. */
  readonly aliveWitnesses: number;
  readonly offences: Readonly<Record<Offence, number>>;
  readonly bans: number;
  readonly refusedHandshakes: number;
  /** Of transactions that blocks named: known, asked for; and blocks that were fetched whole after all. */
  readonly shortIds: Readonly<Record<'hit' | 'miss' | 'fallback', number>>;
  /** Transactions that blocks may name: how many, and the bytes of those that are in a block and that are in none. */
  readonly pool: { readonly transactions: number; readonly waitingBytes: number; readonly includedBytes: number };
  readonly delays: readonly BlockDelay[];
  /** The times that blocks took from their short ids to all their transactions. */
  readonly rebuiltMs: readonly number[];
  /** Milliseconds that the thread has worked since the start, by kind of message or task. */
  readonly work: Readonly<Record<string, number>>;
  /** Milliseconds that peers whom nobody has named have cost, by account. */
  readonly strangers: Readonly<Record<'receiving' | 'answering' | 'spare', number>>;
  /** By how much the clocks of peers are ahead; undefined when too few are known. */
  readonly clockAheadMs: number | undefined;
  /** The longest delay of the thread's event loop. */
  readonly threadDelaySeconds: number;
}

/** A banned node or address, and the time of the ban. */
export interface ShownBan {
  readonly who: string;
  readonly seconds: number;
}

/** An order of the operator to the network. */
export type NetworkOrder =
  | { readonly kind: 'show' }
  | { readonly kind: 'add'; readonly target: Target }
  | { readonly kind: 'ban'; readonly who: string }
  | { readonly kind: 'unban'; readonly who: string };

/** The network after an order has been carried out; `isDone` is false when there was nothing to do. */
export interface NetworkView {
  readonly isDone: boolean;
  readonly peers: readonly PeerDescription[];
  readonly bans: readonly ShownBan[];
}

/** The questions of the front that the network answers. */
export interface NetworkOrders {
  readonly order: { readonly question: { readonly order: NetworkOrder }; readonly answer: NetworkView };
}

/** The questions of the network that the front answers. */
export interface NetworkQuestions {
  /** Blocks that follow each other, as `encodePackedItems` makes them. */
  readonly blocks: {
    readonly question: { readonly blocks: Uint8Array; readonly place: SubmissionPlace };
    readonly answer: readonly BlockOutcome[];
  };
  readonly header: { readonly question: { readonly block: JudgedHeader }; readonly answer: HeaderJudgement };
  /** Packed transactions whose signers nobody knows, each behind its length. */
  readonly verify_transactions: {
    readonly question: { readonly transactions: Uint8Array };
    readonly answer: SentVerification;
  };
  /** A block with all its signers, encoded by `verified_blocks.ts`. */
  readonly verified_block: {
    readonly question: { readonly verified: Uint8Array; readonly from: NodeId };
    readonly answer: readonly BlockOutcome[];
  };
  /** Bundles of peers, answered together: of each the outcomes of its transactions (verifiers/bundle_outcomes.ts). */
  readonly transactions: {
    readonly question: { readonly sent: readonly SentBundle[] };
    readonly answer: readonly Uint8Array<ArrayBuffer>[];
  };
  /** A signed `alive`; answered by whether it is of a witness. */
  readonly alive: { readonly question: { readonly alive: SignedHeartbeat }; readonly answer: boolean };
}

/** Transactions with their signers, in batches as `decodeVerifiedBatch` reads them; or why one of them is malformed. */
export interface SentVerification {
  readonly verified?: readonly Uint8Array[];
  readonly refusal?: string | undefined;
}

/** Front to network. */
export type ToNetwork =
  | { readonly kind: 'chain'; readonly port: Port<ChainMessage, unknown> }
  | { readonly kind: 'accepted'; readonly port: Port<AcceptedMessage, unknown> }
  | Answered<NetworkQuestions>
  | Asked<NetworkOrders>
  /** A witness of this node is there. */
  | { readonly kind: 'own_alive'; readonly alive: SignedHeartbeat }
  /** Votes and certificates for peers. */
  | { readonly kind: 'finality'; readonly updates: readonly FinalityUpdate[] }
  /** A switch for the standby with that id. */
  | { readonly kind: 'standby_switch'; readonly node: NodeId; readonly packed: Uint8Array }
  | { readonly kind: 'stop' };

/** An encoded message of kind `bundle`, whose it is and how many transactions it has. */
export interface SentBundle {
  readonly from: NodeId;
  readonly bundle: Uint8Array;
  readonly count: number;
}

/** Network to front. */
export type FromNetwork =
  /** `port` listens; it is undefined where nobody is let in. */
  | { readonly kind: 'ready'; readonly id: string; readonly listensOn: number | undefined }
  | Asked<NetworkQuestions>
  | Answered<NetworkOrders>
  | { readonly kind: 'state'; readonly state: NetworkState }
  | HeardVotes
  | { readonly kind: 'standby_switch'; readonly from: NodeId; readonly packed: Uint8Array }
  | { readonly kind: 'stopped' }
  | ThreadFailure;

export const networkThread: ThreadKind<NetworkThreadSettings> = { name: 'network' };
