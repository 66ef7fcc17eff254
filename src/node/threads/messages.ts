import type { LogLevel } from '../../base/log.ts';
import type { FaultCode } from '../../base/fault.ts';
import type { Port } from '../../base/port.ts';
import type { DebugCommand } from '../../rpc/services.ts';
import type { RefusalDetails } from '../../base/refusal.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import type { WitnessFigures } from '../../witness/production_watch.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage } from '../feed/transaction_feed.ts';

/** What every thread of a node is started with: enough to know the chain, nothing that is open. */
export interface ChainSettings {
  readonly profileName: string;
  /** The exact text of the genesis file; its sha256 is the chain id. Undefined for the private net of a key, whose genesis is built in. */
  readonly genesisText: string | undefined;
  /** Overrides the key that first signs blocks, 66 hex digits. */
  readonly initialSigningKey: string | undefined;
  /** Makes the chain a private net; without a genesis file the first account has this key, 66 hex digits. */
  readonly privateNetKey?: string;
}

/** A witness that this node produces blocks for. */
export interface ProductionSettings {
  readonly witnesses: readonly string[];
  /** Secrets, 32 bytes each. They go to the writer and nowhere else. */
  readonly secrets: readonly Uint8Array[];
  readonly allowStale: boolean;
  /** Hundredths of a percent of slots that must be filled. */
  readonly requiredParticipation: number;
  /** For development: time goes on from the head block and can be moved by orders. */
  readonly ownTime: boolean;
  /** For development: a block every so many milliseconds, whatever the chain's interval says. */
  readonly everyMs: number | undefined;
}

/** How the writer is started. */
export interface WriterSettings {
  readonly chain: ChainSettings;
  /** Opens the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The data folder, where the journal of heads lies. */
  readonly folder: string;
  readonly durable: boolean;
  readonly checkpoints: readonly (readonly [number, string])[];
  readonly production: ProductionSettings | undefined;
  readonly logLevel: LogLevel;
}

/** How a verifier is started. */
export interface VerifierSettings {
  readonly chain: ChainSettings;
  /** Opens the store that the front has opened; undefined for one that only proves blocks. */
  readonly storeHandle: bigint | undefined;
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

/** Front to writer. */
export type ToWriter =
  | { readonly kind: 'verifier'; readonly port: Port<Uint8Array, never> }
  | Following
  /** A message of the feed has been taken. */
  | { readonly kind: 'taken' }
  /** What there is of a block before its transactions' signers; answered by whether it is new, refused when it can follow nothing. */
  | { readonly kind: 'header'; readonly ticket: number; readonly block: JudgedHeader }
  /** Proved blocks from a client or a peer, encoded by `proved_blocks.ts`; answered when they are applied or refused. */
  | { readonly kind: 'blocks'; readonly ticket: number; readonly proved: Uint8Array }
  | { readonly kind: 'pending_accounts'; readonly ticket: number; readonly names: readonly string[] }
  /** Answered by `WriterFigures`. */
  | { readonly kind: 'figures'; readonly ticket: number }
  /** From a development chain's user; answered by `DebugHead`. */
  | { readonly kind: 'debug'; readonly ticket: number; readonly command: DebugCommand }
  | { readonly kind: 'stop' };

/** Somebody hears of blocks or of accepted transactions from now on; each message of the other end says that one has been taken. */
export type Following =
  | { readonly kind: 'follow'; readonly feed: 'chain'; readonly port: Port<unknown, ChainMessage> }
  | { readonly kind: 'follow'; readonly feed: 'transactions'; readonly port: Port<unknown, AcceptedMessage> };

/** How the writer is. */
export interface WriterFigures {
  /** Transactions that are accepted and in no block, those that wait for a place in one included. */
  readonly pendingTransactions: number;
  /** How late its event loop was, at most, since it was last asked. */
  readonly delaySeconds: number;
  /** Decoded rows that it holds. */
  readonly rowsInMemory: number;
  /** Of the witnesses that this node produces for. */
  readonly witnesses: readonly WitnessFigures[];
  /** Secrets that none of them signs with. */
  readonly unusedKeys: number;
}

/** Writer to front. */
export type FromWriter =
  | { readonly kind: 'ready'; readonly chainId: string; readonly headBlockNumber: number }
  /** A batch of verdicts on broadcasts, encoded by `verdicts.ts`. */
  | { readonly kind: 'verdicts'; readonly bytes: Uint8Array }
  /** What a write changed; to be answered by `taken`. */
  | { readonly kind: 'chain'; readonly message: ChainMessage }
  /** A block of this node's own for a slot. */
  | { readonly kind: 'produced'; readonly slot: SlotTimes }
  | { readonly kind: 'answer'; readonly ticket: number; readonly refusal: SentRefusal | undefined; readonly value: unknown }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly code: FaultCode | 'assertion'; readonly message: string };

/** How a block stood to its slot, by the clock of this machine. */
export interface SlotTimes {
  /** From the beginning of the slot until the work on the block began. */
  readonly startedLateMs: number;
  /** From the beginning of the slot until the block was on the disk. */
  readonly committedLateMs: number;
  /** When it was on the disk, in milliseconds since 1970. */
  readonly committedMs: number;
}
