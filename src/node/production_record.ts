/** What the writer has told of the production of blocks. */
export class ProductionRecord {
  #problems: readonly string[] = [];

  /** What an operator has to look at, each as a sentence. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  take(problems: readonly string[]): void {
    this.#problems = problems;
  }
}
