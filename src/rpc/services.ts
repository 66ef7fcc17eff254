import type { Clock } from '../base/clock.ts';
import type { SignedBlock } from '../blocks/block.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { TransactionCheck } from '../blocks/transaction_check.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Subscriber } from '../jsonrpc/subscriber.ts';
import type { Position } from './notices/position.ts';
import type { Subject } from './notices/stream.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { AccountRows } from '../queries/records/account.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';

/** The committed state as seen by a method: read-only. `View` of storage/ is one. */
export interface CommittedState extends CommittedRows {
  /** Grows with every commit: results found at one version can be repeated at the same version. */
  version(): number;
  /** Everything that `read` reads is from one block; it may be run again. */
  consistentRead<T>(read: () => T): T;
}

/** What a program reports about itself: plain data, made when it starts. */
export interface About {
  /** The version of this software, such as `0.1.0`. */
  readonly clientVersion: string;
  /** The commit that it was built from, and the time of that commit, in seconds since 1970. */
  readonly revision: string;
  readonly revisionTime: number;
  /** When it was compiled, in seconds since 1970. */
  readonly compileTime: number;
  /** The version of the runtime's TLS library. */
  readonly opensslVersion: string;
  /** For example, `linux 64-bit`. */
  readonly build: string;
}

/** A broadcast on its way to a verifier: as called, or as this node has read it. */
export type RawBroadcast = (CalledBroadcast | PackedBroadcast) & {
  /** How the caller writes values; `dialect` also determines whether params are by name or by position. */
  readonly notation: Notation;
  /** The sender, by the number of its connection or address at the server (http/sender_ids.ts); 0 is this node. */
  readonly senderId: number;
};

/** A call with unread params; `method` determines how they are read and what is waited for. */
export interface CalledBroadcast {
  readonly method: string;
  /** JSON source of the params, empty when there were none; a part of the body, so copy it before returning. */
  readonly params: Uint8Array;
}

/** A transaction that this node has already read, or made. */
export interface PackedBroadcast {
  /** What was called; undefined where nobody called. */
  readonly method?: string;
  /** The signed form, as contained in blocks. */
  readonly packed: Uint8Array;
  readonly waitFor: 'accepted' | 'block';
  /** The key that has probably signed it: makes the proof cheaper and decides nothing. */
  readonly hint?: PublicKey | undefined;
}

/** The outcome of a broadcast: accepted, in a block, or expired without one. */
export interface BroadcastOutcome {
  readonly transactionId: string;
  /** 0 until it is in a block; when `expired`, the block at which it expired, or −1 when it had expired on arrival. */
  readonly blockNumber: number;
  /** Position in the block; −1 when not in a block. */
  readonly transactionNumber: number;
  readonly expired: boolean;
  /** JSON text of the transaction as read by the chain; empty where its method doesn't wait for a block. */
  readonly transaction: string;
}

/** Whose documents, and in which application. */
export interface StreamKey {
  readonly side: 'sender' | 'recipient';
  readonly account_name: AccountName;
  readonly app_id: bigint;
}

/** A request of a connection to receive documents, from a given number on. */
export interface SubscriptionRequest {
  readonly subscriber: Subscriber;
  /** Chosen by the client; included in each notice, as JSON. */
  readonly returnId: string;
  readonly key: StreamKey;
  /** The first number wanted, from 1; null for documents from now on. */
  readonly start: bigint | null;
}

/** When a development chain makes blocks: in its slots, as soon as there is a transaction, or only when they are ordered. */
export type Mining = 'interval' | 'automine' | 'none';

/** A request of a connection to be told of blocks, operations or a balance. */
export interface ChainRequest {
  readonly subscriber: Subscriber;
  /** Chosen by the client; included in each notice, as JSON. */
  readonly returnId: string;
  readonly subject: Subject;
  /** What was told up to there is not told again. */
  readonly resume: Position | undefined;
  /** The first block that is wanted, where there is no position; from now on when undefined. */
  readonly start: number | undefined;
}

/** What a development chain does on command. */
export type DebugCommand =
  | { readonly kind: 'produce_blocks'; readonly count: number }
  /** At least one block, the first of them this many seconds after the head or later. */
  | { readonly kind: 'jump_ahead'; readonly seconds: number }
  /** Everything after the block with this id is undone, pending transactions are dropped. */
  | { readonly kind: 'revert'; readonly id: BlockId }
  /** At least one block, so many slots after the next one. */
  | { readonly kind: 'miss_slots'; readonly count: number }
  /** As many of the newest blocks are undone, and one more made. */
  | { readonly kind: 'fork'; readonly blocks: number; readonly keepsTransactions: boolean }
  | { readonly kind: 'set_mining'; readonly mode: Mining };

/** What the front of a development chain does wrong on command. */
export interface FaultOrders {
  /** Of the methods that are served. */
  readonly methodNames: readonly string[];
  delayAnswers(order: DelayOrder): void;
  refuseBroadcasts(order: RefusalOrder): void;
}

/** So many answers come so late, none with 0 ms: to bodies that call one of the methods, or any where none is named. */
export interface DelayOrder {
  readonly delayMs: number;
  readonly count: number;
  readonly methods: readonly string[];
}

/** Each so many broadcasts one is refused, none with 0: of those by one of the methods, or any where none is named. */
export interface RefusalOrder {
  readonly every: number;
  readonly methods: readonly string[];
}

/** The head of the chain after a command. */
export interface DebugHead {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
}

/** A node that this one is connected with. */
export interface PeerDescription {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly isInbound: boolean;
  readonly agent: string;
  readonly headNumber: number;
  readonly irreversibleNumber: number;
  readonly irreversibleId: BlockId;
  /** −1 until it is known. */
  readonly pingMs: number;
  readonly score: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly queuedBytes: number;
  readonly connectedSeconds: number;
  readonly blocksDelivered: number;
}

/** Who a node is to others, and how it stands to them. */
export interface NetworkDescription {
  readonly id: string;
  /** 0 where nobody is let in. */
  readonly listensOn: number;
  readonly peers: number;
  readonly sync: string;
  readonly behindBy: number;
}

/** What an operator does with the network; texts that name nobody are refused. */
export interface NetworkOperations {
  describe(): Promise<NetworkDescription>;
  peers(): Promise<readonly PeerDescription[]>;
  bans(): Promise<readonly { readonly who: string; readonly seconds: number }[]>;
  add(endpoint: string): Promise<void>;
  ban(who: string): Promise<void>;
  unban(who: string): Promise<void>;
}

/** One of this node's witnesses, as its operator sees it. */
export interface ProducerDescription {
  readonly witness: AccountName;
  readonly obstacle: string;
  readonly advice: string;
  readonly missedSlots: number;
  readonly nextSlot: Seconds;
  readonly slots: readonly { readonly timestamp: Seconds; readonly reason?: string | undefined }[];
}

/** Whom this node stands by for, as its operator sees it. */
export interface StandbyDescription {
  readonly witness: AccountName;
  readonly since: Seconds;
  readonly hasTakenOver: boolean;
  readonly obstacle: string;
  readonly advice: string;
  readonly signed: Seconds;
  readonly expires: Seconds;
}

/** A standby of this node's witness. */
export interface OfferDescription {
  readonly node: string;
  readonly isInStep: boolean;
  readonly signed: Seconds;
  readonly expires: Seconds;
}

/** What this node does for its witnesses. */
export interface ProductionDescription {
  readonly isPaused: boolean;
  readonly witnesses: readonly ProducerDescription[];
  readonly standby: StandbyDescription | undefined;
  readonly offers: readonly OfferDescription[];
}

/** What the operator of a witness does with the production of blocks. */
export interface ProductionOperations {
  describe(): Promise<ProductionDescription>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The block from which on participation is required again. */
  restartChain(): Promise<number>;
}

/** A snapshot that lies on the disk of the node, in the words of the answer. */
export interface SnapshotDescription {
  readonly path: string;
  readonly block_number: number;
  readonly block_id: BlockId;
  readonly state_hash: Digest;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: Digest;
}

/** What an operator does with snapshots. */
export interface SnapshotOperations {
  /** Writes one. Refusal when another one is being written. */
  create(): Promise<SnapshotDescription>;
}

/** What node/ provides to methods, as a plain object; methods use nothing that is not here. */
export interface Services {
  readonly rows: CommittedState;
  readonly parameters: ChainParameters;
  readonly words: ChainWords;
  readonly about: About;
  readonly clock: Clock;
  /** Unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  /** True on a loopback bind or when the operator enables it. */
  /** The keys of signatures of a digest, each of 130 hex digits; undefined where no key can have made one. Runs on another thread. */
  recover(digest: Digest, signatures: readonly Signature[]): Promise<(PublicKey | undefined)[]>;
  /** Verifies and applies; rejects with the chain's Refusal. */
  broadcast(raw: RawBroadcast): Promise<BroadcastOutcome>;
  /** What a transaction that is not larger than the chain takes would do if it were sent now; nothing of it is kept. */
  checkTransaction(transaction: SignedTransaction): Promise<TransactionCheck>;
  /** Applies a block with every check. Rejects with the chain's Refusal. */
  pushBlock(block: SignedBlock): Promise<void>;
  /** Takes a transaction into the pending state without broadcasting it. Rejects with the chain's Refusal. */
  pushTransaction(transaction: SignedTransaction): Promise<void>;
  /** The rows of accounts with all accepted transactions applied, in the order of the names; undefined where there is no account. */
  pendingAccounts(names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
  /** Executes a command, on development chains only. Rejects with a Refusal when it is not possible. */
  debug?(command: DebugCommand): Promise<DebugHead>;
  /** On development chains only, as `debug`. */
  readonly faults?: FaultOrders | undefined;
  /** The transaction with the only signature that it needs, on development chains with an impersonator whose key the node has. */
  impersonate?(transaction: SignedTransaction): SignedTransaction;
  /** Where the node speaks to others. */
  readonly network?: NetworkOperations | undefined;
  /** Where the node has witnesses. */
  readonly production?: ProductionOperations | undefined;
  /** Where the node writes snapshots when it is told to. */
  readonly snapshots?: SnapshotOperations | undefined;
  /** From now on the connection receives documents. Throws the refusal when there are too many subscriptions. */
  subscribe(request: SubscriptionRequest): void;
  /** The same for blocks, operations and balances; returns the position that this begins with. */
  followChain(request: ChainRequest): Position;
  /** Ends what the connection has subscribed to under that id, which is JSON; returns how many subscriptions that were. */
  unsubscribe(subscriber: Subscriber, returnId: string): number;
  /** Reports an internal error to the operator, once and with all details; the caller learns nothing of it. */
  report(error: unknown, method: string): void;
}

/** One call: the services, and how this caller wants values written. */
export interface Call extends Services {
  readonly notation: Notation;
  /** The connection of the caller, if it can be sent notices. */
  readonly subscriber: Subscriber | undefined;
}
