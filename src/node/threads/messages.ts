import type { SeenInStep, StandbyReports, ProductionReport, ProductionUpdate } from '../../production/reports.ts';
import type { Port } from '../../base/port.ts';
import type { Certificate } from '../../blocks/finality/certificate.ts';
import type { Vote } from '../../blocks/finality/vote.ts';
import type { FinalityUpdate } from '../../p2p/finality/finality_relay.ts';
import type { DebugCommand, DebugHead, VotingDescription } from '../../rpc/services.ts';
import type { SentRefusal } from '../../system/sent_refusal.ts';
import type { SignedHeartbeat } from '../../blocks/alive.ts';
import type { TransactionCheck } from '../../blocks/transaction_check.ts';
import type { JudgedHeader } from '../../chain/forks/branches.ts';
import type { HeaderStanding } from '../../chain/forks/push_block.ts';
import type { BlockOutcome, HeaderJudgement } from '../../p2p/environment/chain_access.ts';
import type { AccountRows } from '../../queries/records/account.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { PeersSeen } from '../../witness/key_guard.ts';
import type { WitnessFigures } from '../../witness/production_watch.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { AcceptedMessage, PendingMessage } from '../../feed/transaction_feed.ts';
import type { Answered, Asked } from '../../system/questions.ts';
import type { ThreadFailure } from '../../system/thread_failure.ts';
import type { VerifierReport } from '../../verifiers/verifier_report.ts';
import type { VotingNews } from '../../voting/voting_news.ts';
import type { ChainSettings } from '../../settings/chain_settings.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** The settings that the thread of a snapshot is started with. */
export interface SnapshotThreadSettings {
  /** Attaches to the store that the main thread has opened and will close, when the thread has ended. */
  readonly storeHandle: bigint;
  readonly chain: ChainSettings;
  readonly folder: string;
  /** A 32-bit integer that is not 0 once nobody wants the snapshot any more. */
  readonly stopped: SharedArrayBuffer;
}

/** A check of a transaction on its way between threads. */
export interface SentCheck extends Omit<TransactionCheck, 'refusal' | 'refusalWhenSigned'> {
  readonly refusal: SentRefusal | undefined;
  readonly refusalWhenSigned: SentRefusal | undefined;
}

/** The questions of the front that the writer answers. */
export interface WriterQuestions {
  /** A block before its transactions' signers are known; refused when it links to no known block. */
  readonly header: { readonly question: { readonly block: JudgedHeader }; readonly answer: HeaderStanding };
  /** Verified blocks from a client, encoded by `verified_blocks.ts`; answered once they are applied, or refused. */
  readonly blocks: { readonly question: { readonly verified: Uint8Array }; readonly answer: void };
  /** The header of a peer's block. */
  readonly judge: { readonly question: { readonly block: JudgedHeader }; readonly answer: HeaderJudgement };
  /** An outcome for each block up to the first refused one. The last ones may be answered with the next group. */
  readonly peer_blocks: { readonly question: PeerGroup; readonly answer: readonly BlockOutcome[] };
  /** A signed `alive` of a peer; answered by whether it is of a witness of a branch that is kept. */
  readonly alive: { readonly question: { readonly alive: SignedHeartbeat }; readonly answer: boolean };
  readonly production: { readonly question: object; readonly answer: ProductionReport };
  /** The state of finality; undefined where confirmations make blocks final. */
  readonly voting: { readonly question: object; readonly answer: VotingDescription | undefined };
  /** The operator declares that this node's journals lack no vote of the epoch; answered by its keys. */
  readonly declare_votes_whole: { readonly question: object; readonly answer: readonly PublicKey[] };
  /** Answered by the number of the block from which on participation is required again. */
  readonly restart_chain: { readonly question: object; readonly answer: number };
  readonly pause: { readonly question: { readonly isPaused: boolean }; readonly answer: void };
  /** Accounts as they are behind the pending transactions; undefined for names that no account has. */
  readonly pending_accounts: {
    readonly question: { readonly names: readonly AccountName[] };
    readonly answer: readonly (AccountRows | undefined)[];
  };
  /** Answered by those of these transactions that neither wait for a block nor are in one. */
  readonly lost: { readonly question: { readonly ids: readonly string[] }; readonly answer: readonly string[] };
  /** The place of a transaction: it waits for a block, a block of the main branch has it, or neither. */
  readonly whereabouts: {
    readonly question: { readonly id: string };
    readonly answer: 'pending' | 'block' | 'nowhere';
  };
  /** A transaction that waits for a block, packed; undefined for any other. */
  readonly pending_transaction: {
    readonly question: { readonly id: string };
    readonly answer: Uint8Array | undefined;
  };
  /** A batch of one transaction, encoded by `verified_batch.ts`, that is only tried. */
  readonly check: { readonly question: { readonly verified: Uint8Array }; readonly answer: CheckOutcome };
  readonly figures: { readonly question: object; readonly answer: WriterFigures };
  /** From a user of a development chain. */
  readonly debug: { readonly question: { readonly command: DebugCommand }; readonly answer: DebugHead };
}

/** A group of verified blocks of a peer, one of those of a submission. */
export interface PeerGroup {
  /** Encoded by `verified_blocks.ts`. */
  readonly verified: Uint8Array;
  readonly isCatchingUp: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The peer that brought the last of the submission. */
  readonly from: string;
}

/** A check, or the unexpected error that ended the check and nothing else. */
export interface CheckOutcome {
  readonly value?: SentCheck;
  readonly failure?: SentRefusal;
}

/** Front to writer. */
export type ToWriter =
  | { readonly kind: 'verifier'; readonly port: Port<Uint8Array, never> }
  /** The writer loads what verifies broadcasts in its own thread, and then says `verifier_loaded`. */
  | { readonly kind: 'load_verifier' }
  /** A small batch of broadcasts, encoded by `raw_batch.ts`, that the writer verifies itself. */
  | { readonly kind: 'verify'; readonly batch: Uint8Array }
  | FollowRequest
  /** The front has processed a message of the feed. */
  | { readonly kind: 'taken' }
  /** True if the front is told of transactions that wait for a block. */
  | { readonly kind: 'watch'; readonly isWatched: boolean }
  /** The front has processed a message about them. */
  | { readonly kind: 'pending_taken' }
  /** The node's knowledge of its peers, each second. */
  | ({ readonly kind: 'network' } & PeersSeen & SeenInStep)
  /** Each second where slots are the clock's: while no block comes, branches of equal length are chosen among. */
  | { readonly kind: 'follow_lowest' }
  /** A peer has sent a switch of a signing key. */
  | { readonly kind: 'standby_switch'; readonly from: string; readonly packed: Uint8Array }
  | HeardVotes
  | Asked<WriterQuestions>
  | { readonly kind: 'stop' };

/** Votes and certificates of peers, whose signatures the network has verified. */
export interface HeardVotes {
  readonly kind: 'heard_votes';
  readonly votes: readonly Vote[];
  readonly certificates: readonly Certificate[];
}

/** Subscribes a port to blocks or accepted transactions; each message that it posts acknowledges one that was sent. */
export type FollowRequest =
  | { readonly kind: 'follow'; readonly feed: 'chain'; readonly port: Port<unknown, ChainMessage> }
  | { readonly kind: 'follow'; readonly feed: 'transactions'; readonly port: Port<unknown, AcceptedMessage> };

/** Metrics of the writer. */
export interface WriterFigures extends StandbyReports {
  /** Transactions that are accepted and in no block yet, including those waiting for room in one. */
  readonly pendingTransactions: number;
  /** The longest delay of its event loop since the last request. */
  readonly delaySeconds: number;
  /** Decoded rows that it keeps in memory. */
  readonly rowsInMemory: number;
  /** The estimated bytes of those that outlast a block. */
  readonly rowBytesInMemory: number;
  /** Metrics of the witnesses that this node produces for. */
  readonly witnesses: readonly WitnessFigures[];
  /** Secrets that none of these witnesses signs with. */
  readonly unusedKeys: number;
  /** Slots that were not signed because the signing journal has a block of them, or of later ones. */
  readonly refusedSignatures: number;
  /** The state of finality; undefined where confirmations make blocks final. */
  readonly voting?: VotingDescription | undefined;
}

/** Writer to front. */
export type FromWriter =
  | { readonly kind: 'ready'; readonly chainId: string; readonly headBlockNumber: number }
  /**
   * A batch of verdicts on broadcasts, encoded by `verdicts.ts`, which the writer took up at that time, by `epochMs`.
   * The report comes with them if it has verified the batch itself.
   */
  | {
      readonly kind: 'verdicts';
      readonly bytes: Uint8Array;
      readonly beganMs: number;
      readonly report?: VerifierReport | undefined;
    }
  | { readonly kind: 'verifier_loaded' }
  /** An unexpected error kept the writer from verifying a batch; nothing of it was accepted. */
  | { readonly kind: 'unverified' }
  /**
   * Accepted transactions that wait no longer without being in a block, as refusals encoded by `verdicts.ts`, whose
   * tickets mean nothing.
   */
  | { readonly kind: 'dropped'; readonly bytes: Uint8Array }
  /** A change by a write; must be acknowledged by `taken`. */
  | { readonly kind: 'chain'; readonly message: ChainMessage }
  /**
   * Events of transactions before a block has them, while the front asks for them; must be acknowledged by
   * `pending_taken`.
   */
  | { readonly kind: 'pending'; readonly message: PendingMessage }
  | ProductionUpdate
  /** Votes and certificates for peers. */
  | { readonly kind: 'finality'; readonly updates: readonly FinalityUpdate[] }
  /** A new block has become final so long after its slot began. */
  | { readonly kind: 'finalised'; readonly afterMs: number }
  /** In each slot. */
  | { readonly kind: 'voting'; readonly news: VotingNews }
  | Answered<WriterQuestions>
  | {
      readonly kind: 'refused';
      readonly to: keyof WriterQuestions;
      readonly ticket: number;
      readonly refusal: SentRefusal;
    }
  | { readonly kind: 'stopped' }
  | ThreadFailure;
