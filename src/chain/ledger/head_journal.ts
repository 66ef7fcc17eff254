import type { BlockId } from '../../values/hash.ts';
import type { BufferedStore } from './buffered_store.ts';

/** A head of the chain. */
export interface HeadMark {
  readonly number: number;
  readonly id: BlockId;
  readonly stateHash: string;
}

/**
 * Records outside the store which head it has. A store that has lost its newest writes looks like an older one, just
 * like a write-ahead log that ends early; this tells it apart from one that has lost nothing.
 */
export interface HeadJournal {
  /** The store now has this head; `durable` means that it survives a power failure. */
  note(head: HeadMark, durable: boolean): void;
  /** Blocks after this head are about to be undone: the store may have any of them the next time it is opened. */
  rewind(head: HeadMark): void;
}

/**
 * Keeps a journal in step with a store whose writes may be held back. The journal hears of an undo before the store
 * does: otherwise a kill in between would look like a loss.
 */
export class JournaledHeads {
  readonly #journal: HeadJournal | undefined;
  readonly #store: BufferedStore;
  readonly #head: () => HeadMark;
  /** The lowest head among the writes that are held back. */
  #lowest: HeadMark | undefined;

  /** `head` is the head of the last write, held back or not. */
  constructor(journal: HeadJournal | undefined, store: BufferedStore, head: () => HeadMark) {
    this.#journal = journal;
    this.#store = store;
    this.#head = head;
  }

  /** The store has the head. */
  note(durable: boolean): void {
    this.#journal?.note(this.#head(), durable);
  }

  /** Blocks after the head are undone by the next write, or by one of those that are held back. */
  rewind(): void {
    const head = this.#head();
    if (!this.#store.isHolding) this.#journal?.rewind(head);
    else if (this.#lowest === undefined || head.number < this.#lowest.number) this.#lowest = head;
  }

  /** Writes everything that is held back. */
  release(durable: boolean): void {
    if (this.#lowest !== undefined) this.#journal?.rewind(this.#lowest);
    this.#lowest = undefined;
    this.#store.release(durable);
    this.note(durable);
  }

  /** Drops the buffered writes; nothing of them gets to the store or the journal. */
  discard(): void {
    this.#store.discard();
    this.#lowest = undefined;
  }
}
