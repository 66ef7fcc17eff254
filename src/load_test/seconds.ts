import type { Backlog } from './backlog.ts';
import type { NodeFigures } from './node_figures.ts';
import type { NodePages } from './node_pages.ts';
import type { Tally } from './tally.ts';
import type { Moment } from './timeline.ts';

const SECOND_MS = 1000;

/** The sources of a second's figures. */
interface Counted {
  readonly tally: Tally;
  readonly backlog: Backlog;
  readonly figures: NodeFigures;
  readonly pages: NodePages;
}

/** Counts at one moment. */
interface Counts {
  readonly atMs: number;
  readonly sent: number;
  readonly answered: number;
  readonly refused: number;
  readonly included: number;
  readonly nodeMicros: number | undefined;
  readonly own: NodeJS.CpuUsage;
}

/** Tells what each second of a run has brought. */
export class Seconds {
  readonly #counted: Counted;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #told: (moment: Moment) => void;
  #isFirst = true;
  #before: Counts;

  constructor(counted: Counted, told: (moment: Moment) => void) {
    this.#counted = counted;
    this.#before = this.#counts();
    this.#told = told;
    this.#timer = setInterval(() => this.#tell(), SECOND_MS);
  }

  /** A run that was shorter than a second is told as one. */
  stop(): void {
    clearInterval(this.#timer);
    if (this.#isFirst) this.#tell();
  }

  #tell(): void {
    this.#isFirst = false;
    this.#told(this.#moment());
  }

  #moment(): Moment {
    const { tally, backlog, figures, pages } = this.#counted;
    const [before, now] = [this.#before, this.#counts()];
    this.#before = now;
    void pages.look();
    const micros = ({ user, system }: NodeJS.CpuUsage): number => user + system;
    const usedShare = (used: number): number => used / 1000 / (now.atMs - before.atMs);
    const ofNode =
      now.nodeMicros === undefined || before.nodeMicros === undefined ? undefined : now.nodeMicros - before.nodeMicros;
    return {
      second: (now.atMs - this.#startedMs) / 1000,
      sent: now.sent - before.sent,
      answered: now.answered - before.answered,
      refused: now.refused - before.refused,
      includedInBlocks: now.included - before.included,
      backlog: backlog.waiting,
      pending: pages.sample()?.pending,
      ...tally.takeSecond(),
      nodeCpu: ofNode === undefined ? undefined : Math.max(0, usedShare(ofNode)),
      ownCpu: usedShare(micros(now.own) - micros(before.own)),
      nodeBytes: (figures.sample() ?? pages.sample())?.bytes,
      ownBytes: process.memoryUsage.rss(),
    };
  }

  #counts(): Counts {
    const { tally, backlog, figures, pages } = this.#counted;
    return {
      atMs: performance.now(),
      sent: tally.sentCalls,
      answered: tally.answeredCalls,
      refused: tally.refusedCalls,
      included: backlog.included,
      nodeMicros: (figures.sample() ?? pages.sample())?.cpuMicros,
      own: process.cpuUsage(),
    };
  }
}
