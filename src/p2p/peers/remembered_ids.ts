/**
 * Remembers the last ids of a kind: the given number at least, twice as many at most. Older ones are forgotten
 * together, because the first entry of a Set is found ever more slowly after deletions.
 */
export class RememberedIds {
  readonly #least: number;
  #newer = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  constructor(least: number) {
    this.#least = least;
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  add(id: string): void {
    this.#newer.add(id);
    if (this.#newer.size < this.#least) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
