import type { SinkFigures } from '../../sinks/sink_figures.ts';

/** What the front knows of a sink. */
export class SinkRecord {
  /** As in logs and metrics. */
  readonly name: string;
  #figures: SinkFigures | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** A second ago; undefined until the sink has begun. */
  get figures(): SinkFigures | undefined {
    return this.#figures;
  }

  /** What an operator has to look at, each as a sentence. */
  get problems(): readonly string[] {
    const { problem, lagBlocks } = this.#figures ?? {};
    return problem === undefined ? [] : [`the event stream (${this.name}) is ${lagBlocks} blocks behind: ${problem}`];
  }

  take(figures: SinkFigures): void {
    this.#figures = figures;
  }
}
