import type { BlockId, TransactionId } from '../../values/hash.ts';
import type { Operation } from '../transaction.ts';

/** The newest block that is proven to be final, and how old it is by this machine's clock. */
export interface FinalHead {
  readonly number: number;
  readonly id: BlockId;
  readonly timestamp: string;
  /** A node that withholds news can't hide it: this grows. */
  readonly ageSeconds: number;
  /** The epoch whose voters are trusted by now. */
  readonly epoch: number;
}

/** A transaction that is proven to be in a final block. */
export interface VerifiedTransaction {
  readonly id: TransactionId;
  readonly block_num: number;
  readonly block_id: BlockId;
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
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly timestamp: string;
  readonly witness: string;
  /** What the block's transactions are proven by. */
  readonly transaction_merkle_root: string;
  /** The signed header, in hexadecimal digits. */
  readonly packed: string;
  readonly head: FinalHead;
}
