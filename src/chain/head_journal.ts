import type { BlockId } from '../values/hash.ts';

/** A head of the chain. */
export interface HeadMark {
  readonly number: number;
  readonly id: BlockId;
  readonly stateHash: string;
}

/**
 * Remembers beside the store which head it has. A store that has lost its newest writes looks like an older one, as a log that ends
 * early does; this tells it from one that has lost nothing.
 */
export interface HeadJournal {
  /** The store has this head now; `durable` says that a power failure would not take it away. */
  note(head: HeadMark, durable: boolean): void;
  /** Blocks behind this head are about to be taken back: the store may have any of them when it is opened the next time. */
  goBack(head: HeadMark): void;
}
