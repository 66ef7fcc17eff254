/** The last ids of a kind, so many at most; the oldest are forgotten first. */
export class RememberedIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    // Deleted first, so that it is the newest.
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= this.#most) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }
}
