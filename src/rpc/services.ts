import type { ChainRequest } from '../notices/stream.ts';
import type { SubscriptionRequest } from '../notices/subscriptions.ts';
import type { CommittedState } from '../queries/committed_state.ts';
import type { FinalitySource } from '../queries/finality/finality_source.ts';
import type { Clock } from '../base/clock.ts';
import type { SignedBlock } from '../blocks/block.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { TransactionCheck } from '../blocks/transaction_check.ts';
import type { ChainSymbols, EncodingOptions } from '../codec/encoding_options.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';
import type { Position } from '../queries/notices/position.ts';
import type { RefusalRecord } from '../queries/notices/chain_notices.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { AccountRows } from '../queries/records/account.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, Digest, Signature, TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { WaitFor } from './wait_for.ts';
import type { Mining } from './mining.ts';

/** A program's report about itself: plain data, made when it starts. */
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
  /** The caller's encoding of values; `dialect` also determines whether params are by name or by position. */
  readonly encoding: EncodingOptions;
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
  /** The name of the called method; undefined outside of a call. */
  readonly method?: string;
  /** The signed form, as contained in blocks. */
  readonly packed: Uint8Array;
  readonly waitFor: WaitFor;
}

/** The outcome of a broadcast: accepted, in a block, in a final one, or expired without one. */
export interface BroadcastOutcome {
  readonly transactionId: string;
  /** 0 until it is in a block; when `expired`, the block at which it expired, or −1 when it had expired on arrival. */
  readonly blockNumber: number;
  /** Position in the block; −1 when not in a block. */
  readonly transactionNumber: number;
  readonly expired: boolean;
  /** JSON text of the transaction as read by the chain; empty where its method does not show it. */
  readonly transaction: string;
}

/** An accepted transaction that this node has dropped. */
export interface DroppedRecord {
  readonly expiration: Seconds;
  readonly reason: RefusalRecord;
}

/** A transaction that the caller found in no block. */
export interface UnplacedTransaction {
  /** `block`: a block has it by now. */
  readonly where: 'pending' | 'block' | 'nowhere';
  /** The last reason for which this node dropped it; a restart forgets it. */
  readonly dropped: DroppedRecord | undefined;
}

/** Commands to a development chain. */
export type DebugCommand =
  | { readonly kind: 'produce_blocks'; readonly count: number }
  /** At least one block, the first of them this many seconds after the head or later. */
  | { readonly kind: 'jump_ahead'; readonly seconds: number }
  /** Everything after the block with this id is undone, pending transactions are dropped. */
  | { readonly kind: 'revert'; readonly id: BlockId }
  /** At least one block, `count` slots after the next one. */
  | { readonly kind: 'miss_slots'; readonly count: number }
  /** As many of the newest blocks are undone, and one more made. */
  | { readonly kind: 'fork'; readonly blocks: number; readonly keepsTransactions: boolean }
  | { readonly kind: 'set_mining'; readonly mode: Mining };

/** Faults that the front of a development chain makes on command. */
export interface FaultOrders {
  /** Of the methods that are served. */
  readonly methodNames: readonly string[];
  delayAnswers(order: DelayOrder): void;
  refuseBroadcasts(order: RefusalOrder): void;
}

/**
 * Delays the next `count` answers to bodies that call one of the methods, or to all bodies where none is named. 0 ms
 * ends it.
 */
export interface DelayOrder {
  readonly delayMs: number;
  readonly count: number;
  readonly methods: readonly string[];
}

/** Refuses one of each `every` broadcasts by one of the methods, or by any where none is named. 0 ends it. */
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

/** A node's identity to others, and its state beside them. */
export interface NetworkDescription {
  readonly id: string;
  /** 0 where nobody is let in. */
  readonly listensOn: number;
  readonly peers: number;
  readonly sync: string;
  readonly behindBy: number;
}

/** An operator's orders to the network; texts that name nobody are refused. */
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

/** The witnesses that this node stands by for. */
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

/** This node's work for its witnesses. */
export interface ProductionDescription {
  readonly isPaused: boolean;
  readonly witnesses: readonly ProducerDescription[];
  readonly standby: StandbyDescription | undefined;
  readonly offers: readonly OfferDescription[];
}

/** The votes of a key of this node. */
export interface OwnVoterDescription {
  readonly key: PublicKey;
  /** The slots of its last prepare and of its lock, counted from 1970 on; 0 before the first. */
  readonly lastView: number;
  readonly lockView: number;
  /** The number of the lock's block; 0 before the first. */
  readonly lockBlock: number;
  /** True if its journal holds all votes that it can have cast in the epoch. */
  readonly isWhole: boolean;
  /** True if another machine votes with it, so that this one stopped. */
  readonly isStopped: boolean;
  /** True if no witness of this node signs blocks with it any more: it votes until the epoch ends. */
  readonly isReplaced: boolean;
}

/** A voter of the epoch, and its votes since the node has started or the voter came. */
export interface VoterDescription {
  readonly key: PublicKey;
  /** '' where the node has not seen who has the key. */
  readonly witness: AccountName;
  /** Slots in which it has voted. */
  readonly cast: number;
  /** Slots in which it had to vote, and no vote came within two slots. */
  readonly missed: number;
  /** True if no vote has come for ten slots. */
  readonly isMissing: boolean;
}

/** The certificate that made a block final last. */
export interface CertificateDescription {
  readonly blockNumber: number;
  /** The start of the slot in which it was voted for. */
  readonly time: Seconds;
  readonly votes: number;
}

/** A journal of votes. */
export interface JournalDescription {
  readonly key: PublicKey;
  /** It holds all votes of its key in the epochs that begin after this moment. */
  readonly wholeFrom: Seconds;
}

/** The state of finality where votes make blocks final. */
export interface VotingDescription {
  readonly epoch: number;
  readonly final: number;
  readonly voters: number;
  readonly quorum: number;
  readonly votes: readonly VoterDescription[];
  /** Undefined where no certificate proves the last final block here. */
  readonly certificate: CertificateDescription | undefined;
  /** Since when no block has become final; undefined unless that is too long. */
  readonly stalledSince: Seconds | undefined;
  readonly stalledSeconds: number;
  /** The number of stalls since the node has started. */
  readonly stalls: number;
  /** The keys of this node that vote in the epoch. */
  readonly own: readonly OwnVoterDescription[];
  /** All keys with which this node could vote, and whether it may lack votes of theirs. */
  readonly journals: readonly JournalDescription[];
  /** Keys with which this machine has voted, that vote in the epoch, and whose secrets it has no longer. */
  readonly lacking: readonly PublicKey[];
  /** Evidence that voters have lied, as sentences. */
  readonly evidence: readonly string[];
}

/** A witness operator's orders to the production of blocks. */
export interface ProductionOperations {
  describe(): Promise<ProductionDescription>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The block from which on participation is required again. */
  restartChain(): Promise<number>;
  /** Undefined where confirmations make blocks final. */
  voting(): Promise<VotingDescription | undefined>;
  /** Declares that the journals of this node's keys lack no vote of the epoch; answers these keys. */
  resetFinality(): Promise<readonly PublicKey[]>;
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

/** An operator's orders about snapshots. */
export interface SnapshotOperations {
  /** Writes one. Refusal when another one is being written. */
  create(): Promise<SnapshotDescription>;
}

/** Work for the queue of the verifiers. */
export interface VerifierServices {
  /** The keys of signatures of a digest, each of 130 hex digits; undefined where no key can have made one. */
  recover(digest: Digest, signatures: readonly Signature[]): Promise<(PublicKey | undefined)[]>;
  /** Tries a transaction that is not larger than the chain takes on the pending state; nothing of it is kept. */
  checkTransaction(transaction: SignedTransaction): Promise<TransactionCheck>;
  /** Applies a block with every check. Rejects with the chain's Refusal. */
  pushBlock(block: SignedBlock): Promise<void>;
}

/** Takes transactions into the chain, and knows the pending ones. */
export interface IntakeServices {
  /** Verifies and applies; rejects with the chain's Refusal. */
  broadcast(raw: RawBroadcast): Promise<BroadcastOutcome>;
  /** Asks for the place of a transaction that no committed block holds, as far as this node remembers. */
  unplaced(id: TransactionId): Promise<UnplacedTransaction>;
  /** A transaction that waits for a block, packed; undefined for any other. */
  pendingTransaction(id: TransactionId): Promise<Uint8Array | undefined>;
  /** Takes a transaction into the pending state without broadcasting it. Rejects with the chain's Refusal. */
  pushTransaction(transaction: SignedTransaction): Promise<void>;
  /**
   * The rows of accounts with all accepted transactions applied, in the order of the names; undefined where there is no
   * account.
   */
  pendingAccounts(names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
}

/** Subscriptions of connections. */
export interface NoticeServices {
  /** From now on the connection receives documents. Throws the refusal when there are too many subscriptions. */
  subscribe(request: SubscriptionRequest): void;
  /** The same for blocks, operations and balances; returns the position that this begins with. */
  followChain(request: ChainRequest): Position;
  /**
   * Ends what the connection has subscribed to under that id, which is JSON; returns how many subscriptions that were.
   */
  unsubscribe(subscriber: Subscriber, returnId: string): number;
}

/** The parts that the operator of a node steers. */
export interface OperatorServices {
  /** Undefined for a node without a network. */
  readonly network?: NetworkOperations | undefined;
  /** Undefined for a node without witnesses. */
  readonly production?: ProductionOperations | undefined;
  /** Undefined for a node that writes no snapshots on command. */
  readonly snapshots?: SnapshotOperations | undefined;
}

/** The parts that users of a development chain steer; empty on any other chain. */
export interface DevelopmentServices {
  /** Executes a command. Rejects with a Refusal when it is not possible. */
  debug?(command: DebugCommand): Promise<DebugHead>;
  readonly faults?: FaultOrders | undefined;
  /**
   * The transaction with the only signature that it needs, where the chain has an impersonator whose key the node has.
   */
  impersonate?(transaction: SignedTransaction): SignedTransaction;
}

/** The services that node/ provides to methods, as a plain object; methods use nothing else. */
export interface Services {
  readonly rows: CommittedState;
  /** The records for proofs; undefined on a chain without finality. */
  readonly finality?: FinalitySource | undefined;
  readonly parameters: ChainParameters;
  readonly symbols: ChainSymbols;
  readonly about: About;
  readonly clock: Clock;
  /** Unpredictable bytes. */
  randomBytes(count: number): Uint8Array;
  readonly verifiers: VerifierServices;
  readonly intake: IntakeServices;
  readonly notices: NoticeServices;
  readonly operator: OperatorServices;
  readonly development: DevelopmentServices;
  /** Reports an internal error to the operator, once and with all details; the caller learns nothing of it. */
  report(error: unknown, method: string): void;
}

/** A call of a method with a place in the queue of the verifiers. */
export type VerifierCall = Call & Pick<Services, 'verifiers'>;

/** One call: the services, and how this caller wants values written. Few methods get the verifiers. */
export interface Call extends Omit<Services, 'verifiers'> {
  readonly encoding: EncodingOptions;
  /** The connection of the caller, if it can be sent notices. */
  readonly subscriber: Subscriber | undefined;
}
