import type { BlockId } from '../values/hash.ts';

/** A head of the chain. */
export interface HeadMark {
  readonly number: number;
  readonly id: BlockId;
  readonly stateHash: string;
}

/**
 * Records outside the store which head it has. A store that has lost its newest writes looks like an older one, just like a write-ahead log
 * that ends early; this tells it apart from one that has lost nothing.
 */
export interface HeadJournal {
  /** The store now has this head; `durable` means that it survives a power failure. */
  note(head: HeadMark, durable: boolean): void;
  /** Blocks after this head are about to be undone: the store may have any of them the next time it is opened. */
  rewindTo(head: HeadMark): void;
}
