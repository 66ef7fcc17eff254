/** Counts values by size: some nanoseconds a value, however many there were. */
export class Histogram {
  /** Upper edges of the classes, ascending; what is larger than the last is counted in the total alone. */
  readonly edges: readonly number[];
  readonly #within: number[];
  #count = 0;
  #sum = 0;

  constructor(edges: readonly number[]) {
    this.edges = edges;
    this.#within = edges.map(() => 0);
  }

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum;
  }

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    const place = this.edges.findIndex((edge) => value <= edge);
    if (place >= 0) this.#within[place] = (this.#within[place] ?? 0) + 1;
  }

  /** How many values were at most as large as each edge. */
  cumulative(): (readonly [edge: number, count: number])[] {
    let sum = 0;
    return this.edges.map((edge, place) => [edge, (sum += this.#within[place] ?? 0)]);
  }
}
