import type { LogLevel } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { SignedAlive } from '../../blocks/alive.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import type { BlockOutcome, HeaderJudgement, SubmissionPlace } from '../../p2p/chain_access.ts';
import type { Lane } from '../../p2p/lanes.ts';
import type { BlockDelay, BundleFate } from '../../p2p/network_counts.ts';
import type { PeerLimits } from '../../p2p/network_settings.ts';
import type { NodeId } from '../../p2p/wire_values.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Offence } from '../../p2p/score.ts';
import type { ContestReport } from '../../p2p/contest.ts';
import type { SyncState, UnprovedClaims } from '../../p2p/standing.ts';
import type { PeerDescription } from '../../rpc/services.ts';
import type { Endpoint } from '../config/options.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage } from '../feed/transaction_feed.ts';
import type { ChainSettings } from '../threads/messages.ts';
import type { ThreadFailure } from '../threads/thread_failure.ts';
import type { Target } from '../../p2p/addresses.ts';
import type { SentVerdicts } from './sent_verdicts.ts';

/** What an operator says of the network. */
export interface P2pSettings {
  /** Where others are let in; nobody is when undefined. */
  readonly endpoint: Endpoint | undefined;
  /** Where others can reach this node, as it tells them. */
  readonly publicEndpoints: readonly string[];
  readonly seeds: readonly Target[];
  /** Ids of nodes among the seeds whose word is taken for who signed transactions. */
  readonly trusted: readonly string[];
  /** Ids of nodes; everybody may be a peer when there is none. */
  readonly allowed: readonly string[];
  readonly maxConnections: number;
  readonly targetPeers: number;
  readonly exchangesPeers: boolean;
  readonly takesTransactions: boolean;
  /** Bytes of blocks a second that those who are behind get together. */
  readonly syncRate: number;
  readonly limits: PeerLimits;
  readonly poolBytes: number;
  /** Whether it takes switches of a witness that it stands by for. */
  readonly takesSwitches?: boolean | undefined;
  /** The file of the secret that says who the node is; one in the data folder when undefined. */
  readonly keyFile?: string | undefined;
}

/** What the thread of the network is started with. */
export interface NetworkThreadSettings {
  readonly p2p: P2pSettings;
  readonly chain: ChainSettings;
  /** Attaches to the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The data folder, where identity, bans and addresses are kept. */
  readonly folder: string;
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** The chain moves its own time: a development chain, which tells everybody its genesis. */
  readonly ownsTime: boolean;
  readonly logLevel: LogLevel;
  /** Who this node produces for. */
  readonly witnesses: readonly AccountName[];
}

/** How a node stands to the others, told each second. */
export interface NetworkState {
  readonly sync: SyncState;
  readonly behindBy: number;
  /** Nothing is known to be missing, and nobody that counts contradicts this node's chain. */
  readonly isSynced: boolean;
  /** What voices say of a block that is irreversible here; undefined while none contradicts. */
  readonly contest: ContestReport | undefined;
  /** Claims of blocks of which nothing has come. */
  readonly unproved: UnprovedClaims;
  /** Address groups that this node has dialled, and nodes that its operator has named. */
  readonly voices: number;
  readonly inbound: number;
  readonly outbound: number;
  /** Too few slots of the last round have a block. */
  readonly isParted: boolean;
  /** It has seeds, and since it started it has met nobody that it has chosen and its chain has stood still: whatever it has may be old. */
  readonly isSearching: boolean;
  /** The block of somebody else's snapshot that the chain begins with, and how many peers have it; undefined once that is enough. */
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

/** What the network has counted, since the start but for `delays`, `rebuiltMs` and `threadDelaySeconds`, which are of the last second. */
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
  /** How long blocks took from their short ids to all their transactions. */
  readonly rebuiltMs: readonly number[];
  /** Milliseconds that the thread has worked since the start, by kind of message or task. */
  readonly work: Readonly<Record<string, number>>;
  /** By how much the clocks of peers are ahead; undefined when too few are known. */
  readonly clockAheadMs: number | undefined;
  /** How late the event loop of the thread was at most. */
  readonly threadDelaySeconds: number;
}

/** Whom the node wants nothing of: a node or an address, and for how long. */
export interface ShownBan {
  readonly who: string;
  readonly seconds: number;
}

/** What an operator asks of the network. */
export type NetworkOrder =
  | { readonly kind: 'show' }
  | { readonly kind: 'add'; readonly target: Target }
  | { readonly kind: 'ban'; readonly who: string }
  | { readonly kind: 'unban'; readonly who: string };

/** What there is once an order has been carried out; `isDone` is false when there was nothing to do. */
export interface NetworkView {
  readonly isDone: boolean;
  readonly peers: readonly PeerDescription[];
  readonly bans: readonly ShownBan[];
}

/** Front to network. */
export type ToNetwork =
  | { readonly kind: 'chain'; readonly port: Port<ChainMessage, unknown> }
  | { readonly kind: 'accepted'; readonly port: Port<AcceptedMessage, unknown> }
  | { readonly kind: 'block_outcomes'; readonly number: number; readonly outcomes: readonly BlockOutcome[] }
  /** What is wrong with a header; undefined when it is new and right. */
  | { readonly kind: 'header_judgement'; readonly number: number; readonly judgement: HeaderJudgement }
  /** Transactions with their signers, in batches as `decodeVerifiedBatch` reads them; or why one of them is none. */
  | { readonly kind: 'proven'; readonly number: number; readonly verified?: readonly Uint8Array[]; readonly refusal?: string | undefined }
  | { readonly kind: 'transaction_verdicts'; readonly number: number; readonly verdicts: SentVerdicts }
  | { readonly kind: 'alive_verdict'; readonly number: number; readonly isOfWitness: boolean }
  /** A witness of this node is there. */
  | { readonly kind: 'own_alive'; readonly alive: SignedAlive }
  | { readonly kind: 'order'; readonly number: number; readonly order: NetworkOrder }
  /** A switch for the standby with that id. */
  | { readonly kind: 'standby_switch'; readonly node: NodeId; readonly packed: Uint8Array }
  | { readonly kind: 'stop' };

/** An encoded message of kind `bundle`, and whose it is. */
export interface SentBundle {
  readonly from: NodeId;
  readonly bundle: Uint8Array;
}

/** Network to front. */
export type FromNetwork =
  /** `port` listens; it is undefined where nobody is let in. */
  | { readonly kind: 'ready'; readonly id: string; readonly listensOn: number | undefined }
  /** Blocks that follow each other, as `encodePackedItems` makes them. */
  | { readonly kind: 'blocks'; readonly number: number; readonly blocks: Uint8Array; readonly place: SubmissionPlace }
  | { readonly kind: 'header'; readonly number: number; readonly block: JudgedHeader }
  /** Packed transactions whose signers nobody knows, each behind its length. */
  | { readonly kind: 'prove'; readonly number: number; readonly transactions: Uint8Array }
  /** A block with all its signers, encoded by `verified_blocks.ts`; answered by `block_outcomes`. */
  | { readonly kind: 'proved_block'; readonly number: number; readonly verified: Uint8Array; readonly from: NodeId }
  /** What peers have sent, answered together. */
  | { readonly kind: 'transactions'; readonly number: number; readonly sent: readonly SentBundle[] }
  /** One that is signed; answered by `alive_verdict`. */
  | { readonly kind: 'alive'; readonly number: number; readonly alive: SignedAlive }
  | { readonly kind: 'state'; readonly state: NetworkState }
  | { readonly kind: 'standby_switch'; readonly from: NodeId; readonly packed: Uint8Array }
  | { readonly kind: 'shown'; readonly number: number; readonly view: NetworkView }
  | { readonly kind: 'stopped' }
  | ThreadFailure;
