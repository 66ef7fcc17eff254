import type { ThreadKind } from '../system/thread_settings.ts';
import { ID_DIGITS } from '../values/hash.ts';

/** An account that can sign. */
export interface Sender {
  readonly name: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** A signing thread's order: transfers between the senders, all different. */
export interface SigningRequest {
  readonly profileName: string;
  readonly chainId: string;
  readonly referenceBlockId: string;
  /** Seconds since 1970. */
  readonly expiration: number;
  readonly fee: bigint;
  readonly senders: readonly Sender[];
  /**
   * Amount of the very first transfer, in millionths; each transfer moves one more than the previous one, so no two are
   * equal.
   */
  readonly firstAmount: bigint;
  /** The memo of every transfer; `{number}` is replaced by the transfer's unique number. Empty when left out. */
  readonly memo?: string;
  /** Numbers of the transfers that this thread makes: `first`, … `first + count − 1`. */
  readonly first: number;
  readonly count: number;
  /** Transfers in one body. */
  readonly batch: number;
}

/** The kind of thread that signs for such a request. */
export const signingThread: ThreadKind<SigningRequest> = { name: 'signing' };

/** Signed transfers, ready to be posted as one batch. */
export interface SignedBody {
  readonly count: number;
  /** JSON text of a batch of calls with ids from 0. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Ids of the transactions, hex digits, concatenated. */
  readonly ids: string;
}

/** The id of the transaction at that index in the body. */
export function bodyId({ ids }: SignedBody, index: number): string {
  return ids.slice(index * ID_DIGITS, (index + 1) * ID_DIGITS);
}
