import { assert } from './assert.ts';

/** First in, first out, with a capacity: `push` answers false when full, and the caller refuses its asker. */
export class BoundedQueue<T> {
  readonly capacity: number;
  #items: T[] = [];
  #head = 0;

  constructor(capacity: number) {
    assert(Number.isSafeInteger(capacity) && capacity > 0, 'a queue has a positive capacity');
    this.capacity = capacity;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): boolean {
    if (this.length >= this.capacity) return false;
    this.#items.push(item);
    return true;
  }

  /** The oldest items, `most` at the most, removed. */
  take(most: number): T[] {
    const taken = this.#items.slice(this.#head, this.#head + most);
    this.#head += taken.length;
    // Compacting only when half is dead keeps each item's cost constant.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
