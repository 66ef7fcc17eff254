import type { LogLevel } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { DebugCommand, Mining } from '../../rpc/services.ts';
import type { RefusalDetails } from '../../base/refusal.ts';
import type { SignedAlive } from '../../blocks/alive.ts';
import type { TransactionCheck } from '../../blocks/transaction_check.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import type { Seconds } from '../../values/time.ts';
import type { PeersSeen } from '../../witness/key_guard.ts';
import type { WitnessFigures } from '../../witness/production_watch.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage, PendingMessage } from '../feed/transaction_feed.ts';
import type { SeenInStep, StandbyReports, StandbySettings } from './standby_duties.ts';
import type { ThreadFailure } from './thread_failure.ts';

/** The settings that every thread of a node is started with: they identify the chain, and contain no handles. */
export interface ChainSettings {
  readonly profileName: string;
  /** The exact text of the genesis file; its sha256 is the chain id. Undefined for the private net of a key, whose genesis is built in. */
  readonly genesisText: string | undefined;
  /** Overrides the first witness's initial signing key, 66 hex digits. */
  readonly initialSigningKey: string | undefined;
  /** Makes the chain a private net; without a genesis file the first account has this key, 66 hex digits. */
  readonly privateNetKey?: string;
}

/** The witnesses that this node produces blocks for. */
export interface ProductionSettings {
  readonly witnesses: readonly string[];
  /** For development: in place of these, each witness that signs with a key of this node, whenever it comes to be one. */
  readonly everyWitness?: boolean | undefined;
  /** Secrets, 32 bytes each. They are passed only to the writer. */
  readonly secrets: readonly Uint8Array[];
  readonly allowStale: boolean;
  /** The share of slots that must be filled, in hundredths of a percent; what is safe on the chain unless said. */
  readonly requiredParticipation: number | undefined;
  /** The operator knows that so low a share may split the chain. */
  readonly acceptsLowParticipation?: boolean | undefined;
  /** For development: time continues from the head block and can be moved by debug commands. */
  readonly ownTime: boolean;
  /** For development: what was between the head and this start never was, however long. */
  readonly goesOnFromHead?: boolean | undefined;
  /** For development: a block every this many milliseconds, whatever the chain's interval is. */
  readonly everyMs: number | undefined;
  /** For development: when blocks are made; in their slots unless said. */
  readonly mining?: Mining | undefined;
  /** The file that says what was signed; none on a chain that owns its time. */
  readonly signingJournal?: string | undefined;
  /** Where a process signs that holds keys and journal in place of this one. */
  readonly signerSocket?: string | undefined;
  /** Who takes over from whom; nobody when undefined. */
  readonly standby?: StandbySettings | undefined;
  /** Whether the node speaks to others. */
  readonly hasPeers?: boolean | undefined;
  /** Whether it has somebody to connect to. */
  readonly hasSeeds?: boolean | undefined;
}

/** The settings that the writer is started with. */
export interface WriterSettings {
  readonly chain: ChainSettings;
  /** Attaches to the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The data folder, which holds the head journal. */
  readonly folder: string;
  readonly durable: boolean;
  readonly checkpoints: readonly (readonly [number, string])[];
  /** How many of the newest blocks are kept; all when undefined. */
  readonly blocksKept?: number | undefined;
  /** How many of the newest blocks can be undone, final or not; those that are not final when undefined. */
  readonly undoBlocks?: number | undefined;
  readonly production: ProductionSettings | undefined;
  /** A write of many blocks ends with each block whose number is a multiple, so that the state behind it is known. */
  readonly writesEndEach?: number | undefined;
  readonly logLevel: LogLevel;
}

/** The settings that a verifier is started with. */
export interface VerifierSettings {
  readonly chain: ChainSettings;
  /** Attaches to the store that the front has opened; undefined for a verifier that only verifies blocks. */
  readonly storeHandle: bigint | undefined;
  /** Whether memos are looked at for keys of their senders; true unless said. */
  readonly guardsMemos?: boolean | undefined;
}

/** A refusal on its way between threads. */
export interface SentRefusal {
  readonly code: string;
  readonly message: string;
  readonly details: RefusalDetails;
  readonly lineageCode: number;
  /** Absent where the lineage has no text. */
  readonly lineage?: string | undefined;
}

/** A check of a transaction on its way between threads. */
export interface SentCheck extends Omit<TransactionCheck, 'refusal' | 'refusalWhenSigned'> {
  readonly refusal: SentRefusal | undefined;
  readonly refusalWhenSigned: SentRefusal | undefined;
}

/** Front to writer. */
export type ToWriter =
  | { readonly kind: 'verifier'; readonly port: Port<Uint8Array, never> }
  | FollowRequest
  /** The front has processed a message of the feed. */
  | { readonly kind: 'taken' }
  /** Whether the front is told of transactions that wait for a block. */
  | { readonly kind: 'watch'; readonly isWatched: boolean }
  /** The front has processed a message about them. */
  | { readonly kind: 'pending_taken' }
  /** A block before its transactions' signers are known; answered by a `HeaderStanding`, refused when it links to no known block. */
  | { readonly kind: 'header'; readonly ticket: number; readonly block: JudgedHeader }
  /** Verified blocks from a client or a peer, encoded by `verified_blocks.ts`; answered once they are applied or refused. */
  | { readonly kind: 'blocks'; readonly ticket: number; readonly verified: Uint8Array }
  /** The header of a peer's block; answered by a `HeaderJudgement`. */
  | { readonly kind: 'judge'; readonly ticket: number; readonly block: JudgedHeader }
  /**
   * A group of verified blocks of a peer, encoded by `verified_blocks.ts`, one of those of a submission; answered by a `BlockOutcome` for
   * each up to the first refused one. The last ones may be answered with the next group.
   */
  | {
      readonly kind: 'peer_blocks';
      readonly ticket: number;
      readonly verified: Uint8Array;
      readonly isCatchingUp: boolean;
      readonly isFirst: boolean;
      readonly isLast: boolean;
      /** The peer that brought the last of the submission. */
      readonly from: string;
    }
  /** What the node knows of its peers, each second. */
  | ({ readonly kind: 'network' } & PeersSeen & SeenInStep)
  /** Each second where slots are the clock's: while no block comes, branches of equal length are chosen among. */
  | { readonly kind: 'follow_lowest' }
  /** A signed `alive` of a peer; answered by whether it is of a witness of a branch that is kept. */
  | { readonly kind: 'alive'; readonly ticket: number; readonly alive: SignedAlive }
  /** A peer has sent a switch of a signing key. */
  | { readonly kind: 'standby_switch'; readonly from: string; readonly packed: Uint8Array }
  /** Answered by `ProductionReport`. */
  | { readonly kind: 'production'; readonly ticket: number }
  /** Answered by the number of the block from which on participation is required again. */
  | { readonly kind: 'restart_chain'; readonly ticket: number }
  | { readonly kind: 'pause'; readonly ticket: number; readonly isPaused: boolean }
  | { readonly kind: 'pending_accounts'; readonly ticket: number; readonly names: readonly string[] }
  /** Answered by those of these transactions that neither wait for a block nor are in one. */
  | { readonly kind: 'lost'; readonly ticket: number; readonly ids: readonly string[] }
  /** A batch of one transaction, encoded by `proved_batch.ts`, that is only tried; answered by `SentCheck`. */
  | { readonly kind: 'check'; readonly ticket: number; readonly verified: Uint8Array }
  /** Answered by `WriterFigures`. */
  | { readonly kind: 'figures'; readonly ticket: number }
  /** From a user of a development chain; answered by `DebugHead`. */
  | { readonly kind: 'debug'; readonly ticket: number; readonly command: DebugCommand }
  | { readonly kind: 'stop' };

/** Subscribes a port to blocks or accepted transactions; each message that it posts acknowledges one that was sent. */
export type FollowRequest =
  | { readonly kind: 'follow'; readonly feed: 'chain'; readonly port: Port<unknown, ChainMessage> }
  | { readonly kind: 'follow'; readonly feed: 'transactions'; readonly port: Port<unknown, AcceptedMessage> };

/** What this node's witnesses do. */
export interface ProductionReport extends StandbyReports {
  readonly isPaused: boolean;
  readonly witnesses: readonly (WitnessFigures & { readonly nextSlot: Seconds })[];
}

/** Metrics of the writer. */
export interface WriterFigures extends StandbyReports {
  /** Transactions that are accepted and in no block yet, including those waiting for room in one. */
  readonly pendingTransactions: number;
  /** The longest delay of its event loop since the last request. */
  readonly delaySeconds: number;
  /** Decoded rows that it keeps in memory. */
  readonly rowsInMemory: number;
  /** Metrics of the witnesses that this node produces for. */
  readonly witnesses: readonly WitnessFigures[];
  /** Secrets that none of these witnesses signs with. */
  readonly unusedKeys: number;
  /** Slots that were not signed because the signing journal has a block of them, or of later ones. */
  readonly refusedSignatures: number;
}

/** Writer to front. */
export type FromWriter =
  | { readonly kind: 'ready'; readonly chainId: string; readonly headBlockNumber: number }
  /** A batch of verdicts on broadcasts, encoded by `verdicts.ts`. */
  | { readonly kind: 'verdicts'; readonly bytes: Uint8Array }
  /** Accepted transactions that wait no longer without being in a block, as refusals encoded by `verdicts.ts`, whose tickets mean nothing. */
  | { readonly kind: 'dropped'; readonly bytes: Uint8Array }
  /** What a write changed; must be acknowledged by `taken`. */
  | { readonly kind: 'chain'; readonly message: ChainMessage }
  /** What happens to transactions before a block has them, while the front asks for it; must be acknowledged by `pending_taken`. */
  | { readonly kind: 'pending'; readonly message: PendingMessage }
  /** This node has produced a block for a slot. */
  | { readonly kind: 'produced'; readonly slot: SlotTimes }
  /** A witness of this node has signed that it is there. */
  | { readonly kind: 'own_alive'; readonly alive: SignedAlive }
  /** A switch for the standby with that id among peers. */
  | { readonly kind: 'standby_switch'; readonly node: string; readonly packed: Uint8Array }
  /** What an operator has to look at, each as a sentence. */
  | { readonly kind: 'production'; readonly problems: readonly string[] }
  | { readonly kind: 'answer'; readonly ticket: number; readonly refusal: SentRefusal | undefined; readonly value: unknown }
  | { readonly kind: 'stopped' }
  | ThreadFailure;

/** The timing of a block relative to its slot, by this machine's clock. */
export interface SlotTimes {
  /** From the beginning of the slot until the work on the block began. */
  readonly startedLateMs: number;
  /** From the beginning of the slot until the block was on the disk. */
  readonly committedLateMs: number;
  /** When it was on the disk, in milliseconds since 1970. */
  readonly committedMs: number;
}
