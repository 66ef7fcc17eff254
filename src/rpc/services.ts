import type { Clock } from '../base/clock.ts';
import type { SignedBlock } from '../blocks/block.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Subscriber } from '../jsonrpc/subscriber.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { AccountRows } from '../queries/records/account.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';

/** The committed state as a method sees it: it can be read and nothing else. `View` of storage/ is one. */
export interface CommittedState extends CommittedRows {
  /** Grows with every commit: answers made at one version can be given again at the same version. */
  version(): number;
  /** Everything that `read` reads is of one block; it may run again. */
  consistentRead<T>(read: () => T): T;
}

/** What a program says of itself: plain data, made when it starts. */
export interface About {
  /** Of this software, such as `0.1.0`. */
  readonly clientVersion: string;
  /** The commit it was built from, and when that was made, in seconds since 1970. */
  readonly revision: string;
  readonly revisionTime: number;
  /** When it was compiled, in seconds since 1970. */
  readonly compileTime: number;
  /** Version of the TLS library of the runtime. */
  readonly opensslVersion: string;
  /** Such as `linux 64-bit`. */
  readonly build: string;
}

/** A broadcast on its way to a verifier: as it was called for, or as this node has read it. */
export type RawBroadcast = (CalledBroadcast | PackedBroadcast) & {
  /** How the asker writes values; `dialect` also says whether params stand by name or by position. */
  readonly notation: Notation;
  /** Who sent it, by the number that its connection or address has at the server (http/sender_ids.ts); 0 is this node. */
  readonly senderId: number;
};

/** Its params not yet looked at; `method` says how they are read and what is waited for. */
export interface CalledBroadcast {
  readonly method: string;
  /** JSON senderId of the params, empty when there were none; a part of the body, so copy it before returning. */
  readonly params: Uint8Array;
}

/** A transaction that this node has read already, or made. */
export interface PackedBroadcast {
  /** Its signed form, as it travels in blocks. */
  readonly packed: Uint8Array;
  readonly waitFor: 'accepted' | 'block';
}

/** What became of a broadcast transaction: accepted, or in a block, or expired without one. */
export interface BroadcastOutcome {
  readonly transactionId: string;
  /** 0 until it is in a block; the block that expired it when `expired`, −1 when it had expired before it came. */
  readonly blockNumber: number;
  /** Position in the block; −1 when in none. */
  readonly transactionNumber: number;
  readonly expired: boolean;
  /** JSON text of the transaction as the chain reads it; empty where its method doesn't wait for a block. */
  readonly transaction: string;
}

/** Whose documents, in which application. */
export interface StreamKey {
  readonly side: 'sender' | 'recipient';
  readonly account_name: AccountName;
  readonly app_id: bigint;
}

/** Who wants to be told of which documents, from which number on. */
export interface SubscriptionRequest {
  readonly subscriber: Subscriber;
  /** Chosen by the client; stands in each notice, as JSON. */
  readonly returnId: string;
  readonly key: StreamKey;
  /** The first number that is wanted, from 1; null for what comes from now on. */
  readonly start: bigint | null;
}

/** What a development chain does because it is told to. */
export type DebugCommand =
  | { readonly kind: 'produce_blocks'; readonly count: number }
  /** At least one block, the first of them so many seconds behind the head or later. */
  | { readonly kind: 'jump_ahead'; readonly seconds: number }
  /** Everything behind the block with this id is taken back, what is pending dropped. */
  | { readonly kind: 'revert'; readonly id: BlockId };

/** Where the chain stands after an order. */
export interface DebugHead {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
}

/** What node/ hands to this floor, a plain object; a method asks for nothing that is not here. */
export interface Services {
  readonly rows: CommittedState;
  readonly parameters: ChainParameters;
  readonly words: ChainWords;
  readonly about: About;
  readonly clock: Clock;
  /** Bytes that nobody can foresee. */
  randomBytes(count: number): Uint8Array;
  /** True on a loopback bind or when the operator said so. */
  readonly privateKeysAllowed: boolean;
  /** The keys behind signatures of a digest, each of 130 hex digits; undefined where no key can have made one. Not on this thread. */
  recover(digest: Digest, signatures: readonly Signature[]): Promise<(PublicKey | undefined)[]>;
  /** Verifies and applies; rejects with the chain's Refusal. */
  broadcast(raw: RawBroadcast): Promise<BroadcastOutcome>;
  /** Applies a block with every check. Rejects with the chain's Refusal. */
  pushBlock(block: SignedBlock): Promise<void>;
  /** Takes a transaction into the pending state without sending it to anybody. Rejects with the chain's Refusal. */
  pushTransaction(transaction: SignedTransaction): Promise<void>;
  /** The rows of accounts with all accepted transactions applied, in the order of the names; undefined where there is no account. */
  pendingAccounts(names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
  /** Carries out an order, on development chains only. Rejects with the Refusal of what was impossible. */
  debug?(command: DebugCommand): Promise<DebugHead>;
  /** From now on a connection is told of documents. Throws the refusal when there are too many subscriptions. */
  subscribe(request: SubscriptionRequest): void;
  /** Takes a mistake of ours that an asker ran into: the asker learns nothing of it, the operator what there is to know, once. */
  report(error: unknown, method: string): void;
}

/** One call: the services, and how this asker wants values written. */
export interface Call extends Services {
  readonly notation: Notation;
  /** The connection of the asker, where it is one that can be sent notices. */
  readonly subscriber: Subscriber | undefined;
}
