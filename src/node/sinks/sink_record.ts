import type { SinkFigures } from '../../sinks/sink_figures.ts';

/**
 * The time for which lost messages are reported: by then the readers of the stream have looked, or have been looked at.
 */
const TOLD_SECONDS = 3600;

/** Keeps the reports of a sink. */
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

  /** Problems for the operator, each as a sentence. */
  get problems(): readonly string[] {
    if (this.#figures === undefined) return [];
    const { problem, lagBlocks, standing, lostMessages, lostSecondsAgo = TOLD_SECONDS } = this.#figures;
    const stream = `the event stream (${this.name})`;
    return [
      ...(problem === undefined ? [] : [`${stream} is ${lagBlocks} blocks behind: ${problem}`]),
      ...(problem !== undefined || standing === undefined ? [] : [`${stream}: ${standing}`]),
      ...(lostSecondsAgo >= TOLD_SECONDS
        ? []
        : [
            `${stream} lacked ${lostMessages} messages that its server had acknowledged, ${lostSecondsAgo} s ago: look for a power loss or an older copy there, and for readers that keep a sequence alone`,
          ]),
    ];
  }

  take(figures: SinkFigures): void {
    this.#figures = figures;
  }
}
