import type { Operation } from '../transaction.ts';

/** The newest block that is proven to be final, and how old it is by this machine's clock. */
export interface FinalHead {
  readonly number: number;
  readonly id: string;
  readonly timestamp: string;
  /** A node that withholds news can't hide it: this grows. */
  readonly ageSeconds: number;
  /** The epoch whose voters are trusted by now. */
  readonly epoch: number;
}

/** A transaction that is proven to be in a final block. */
export interface VerifiedTransaction {
  readonly id: string;
  readonly block_num: number;
  readonly block_id: string;
  /** The time of the block. */
  readonly timestamp: string;
  readonly expiration: string;
  readonly operations: readonly Operation[];
  /** The signed transaction as the block holds it, in hexadecimal digits. */
  readonly packed: string;
  /** As of then the newest final block; not that of the transaction. */
  readonly head: FinalHead;
}

/** The header of a block that is proven to be final. */
export interface VerifiedBlock {
  readonly number: number;
  readonly id: string;
  readonly previous: string;
  readonly timestamp: string;
  readonly witness: string;
  /** The root that proves the block's transactions. */
  readonly transaction_merkle_root: string;
  /** The signed header, in hexadecimal digits. */
  readonly packed: string;
  readonly head: FinalHead;
}
