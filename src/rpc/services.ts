import type { Clock } from '../base/clock.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { KeyValueReader } from '../storage/key_value.ts';

/** The committed state as a method sees it: it can be read and nothing else. */
export type View = KeyValueReader;

/** A broadcast as it leaves the front, its params not yet looked at. */
export interface RawBroadcast {
  readonly method: string;
  /** JSON source of the params, empty when there were none; a part of the body, so copy it before returning. */
  readonly params: Uint8Array;
  /** How the asker writes values; `dialect` also says whether params stand by name or by position. */
  readonly notation: Notation;
}

/** What became of a broadcast transaction: accepted, or in a block, or expired without one. */
export interface BroadcastOutcome {
  readonly transactionId: string;
  /** 0 until it is in a block; the block that expired it when `expired`. */
  readonly blockNumber: number;
  /** Position in the block; −1 when in none. */
  readonly transactionNumber: number;
  readonly expired: boolean;
  /** JSON text of the transaction as the chain reads it. */
  readonly transaction: string;
}

/** A connection that can be sent notices. */
export interface Subscriber {
  /** Queues one frame of text; false when the connection is closed or too far behind, which closes it. */
  push(text: string): boolean;
  /** Runs once, when the connection is gone. */
  onClose(run: () => void): void;
}

/** What node/ hands to this floor, a plain object; a method asks for nothing that is not here. */
export interface Services {
  readonly view: View;
  readonly words: ChainWords;
  readonly clock: Clock;
  /** True on a loopback bind or when the operator said so. */
  readonly privateKeysAllowed: boolean;
  /** Verifies and applies; rejects with the chain's Refusal. The declaration of `method` says what is waited for. */
  broadcast(raw: RawBroadcast): Promise<BroadcastOutcome>;
  /** Takes a mistake of ours that an asker ran into: the asker learns nothing of it, the operator everything. */
  report(error: unknown, method: string): void;
}

/** One call: the services, and how this asker wants values written. */
export interface Call extends Services {
  readonly notation: Notation;
  /** The connection of the asker, where it is one that can be sent notices. */
  readonly subscriber: Subscriber | undefined;
}
