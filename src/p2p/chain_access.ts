import type { BlockId, Digest } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import type { BundledTransaction } from './messages/bundle.ts';

/** Where a chain stands. */
export interface ChainPosition {
  readonly number: number;
  readonly id: BlockId;
  readonly time: Seconds;
  /** The last block that can't be taken back any more. */
  readonly irreversible: number;
}

/** What one write changed in the main branch, which is to be seen by then. */
export interface ChainNews {
  /** Blocks that left it, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on it, oldest first. */
  readonly applied: readonly BlockId[];
  readonly head: ChainPosition;
}

/** What the network reads of the chain, at once. */
export interface ChainView {
  readonly chainId: Digest;
  /** The hash of the chain's profile. */
  readonly profile: Digest;
  /** When the first slot began, and how long slots are; undefined for a development chain, which moves its own time. */
  readonly slots: { readonly genesisTime: Seconds; readonly intervalSeconds: number } | undefined;
  readonly head: ChainPosition;
  /** The oldest block that can be given. */
  readonly oldestBlock: number;
  /** The id of the main branch's block of that number; all zero for 0, what the first block follows. */
  idAt(number: number): BlockId | undefined;
  /** The main branch's block of that number, packed. */
  packedAt(number: number): Uint8Array | undefined;
  /** Whether a block can be followed: it is on the main branch or on a known other one. */
  knows(id: BlockId): boolean;
}

/**
 * What became of a block. `sender` is at fault when it is out of form or not what its header says, or when its witness can't have signed
 * it; `branch` when the same holds as far as can be known off the main branch; nobody when its witness is, or nobody.
 */
export type BlockOutcome =
  | { readonly kind: 'taken' | 'known' }
  | { readonly kind: 'unlinkable' }
  | { readonly kind: 'refused'; readonly fault: 'sender' | 'branch' | 'nobody'; readonly reason: string };

/** What became of a transaction; a `forged` one can't have been relayed by an honest node. */
export type TransactionOutcome = 'accepted' | 'known' | 'refused' | 'forged';

/** What the network hands to the chain. Answers come later, in the order of the questions; never before the call has returned. */
export interface ChainIntake {
  /** Blocks that follow each other, packed. What comes behind the first refused one is not tried: there are that many outcomes. */
  submitBlocks(blocks: readonly Uint8Array[], done: (outcomes: readonly BlockOutcome[]) => void): void;
  /** Transactions of a bundle; the verdicts are in their order. */
  submitTransactions(transactions: readonly BundledTransaction[], done: (outcomes: readonly TransactionOutcome[]) => void): void;
}
