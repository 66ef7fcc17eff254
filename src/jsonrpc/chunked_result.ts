/**
 * A list that is read and written a few items at a time, because all of them would take longer than other calls should wait. It is the only
 * member of its result.
 */
export class ChunkedResult {
  readonly member: string;
  readonly #nextItems: () => string | undefined;

  /** `nextItems` returns the JSON of the next items, separated by commas, empty where there is none among them; undefined at the end. */
  constructor(member: string, nextItems: () => string | undefined) {
    this.member = member;
    this.#nextItems = nextItems;
  }

  nextItems(): string | undefined {
    return this.#nextItems();
  }
}
