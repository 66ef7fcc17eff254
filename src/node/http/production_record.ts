import type { VotingNews } from '../../voting/voting_news.ts';

/** The writer's news of block production and of finality. */
export class ProductionRecord {
  #problems: readonly string[] = [];
  #voting: VotingNews | undefined;

  /** Problems for the operator, each as a sentence. */
  get problems(): readonly string[] {
    return [...this.#problems, ...(this.#voting?.problems ?? [])];
  }

  /** Findings that are worth a look, too. */
  get warnings(): readonly string[] {
    return this.#voting?.warnings ?? [];
  }

  /** The state of finality; undefined before the first slot, and when confirmations make blocks final. */
  get voting(): VotingNews | undefined {
    return this.#voting;
  }

  take(problems: readonly string[]): void {
    this.#problems = problems;
  }

  /** Takes the writer's news of finality. */
  takeVoting(news: VotingNews): void {
    this.#voting = news;
  }
}
