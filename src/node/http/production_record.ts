import type { VotingNews } from '../../voting/voting_news.ts';

/** What the writer has told of the production of blocks and of finality. */
export class ProductionRecord {
  #problems: readonly string[] = [];
  #voting: VotingNews | undefined;

  /** Problems for the operator, each as a sentence. */
  get problems(): readonly string[] {
    return [...this.#problems, ...(this.#voting?.problems ?? [])];
  }

  /** What is worth a look, too. */
  get warnings(): readonly string[] {
    return this.#voting?.warnings ?? [];
  }

  /** How finality stands; undefined before the first slot, and where confirmations make blocks final. */
  get voting(): VotingNews | undefined {
    return this.#voting;
  }

  take(problems: readonly string[]): void {
    this.#problems = problems;
  }

  /** What it tells of finality. */
  takeVoting(news: VotingNews): void {
    this.#voting = news;
  }
}
