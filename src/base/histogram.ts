/** Counts values by size; adding one takes a few nanoseconds, however many were counted before. */
export class Histogram {
  /** Upper edges of the buckets, ascending; values above the last edge are only counted in the total. */
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

  /** For each edge, how many values were less than or equal to it. */
  cumulative(): (readonly [edge: number, count: number])[] {
    let sum = 0;
    return this.edges.map((edge, place) => [edge, (sum += this.#within[place] ?? 0)]);
  }
}
