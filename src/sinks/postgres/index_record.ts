import type { Clock } from '../../base/clock.ts';

/** The state of an index; counts are those since its start. */
export interface IndexFigures {
  /** The last indexed block, 0 before the first one, and the last that is irreversible. */
  readonly block: number;
  readonly irreversible: number;
  /** The last block of the source, as far as it is known. */
  readonly sourceBlock: number;
  readonly lagBlocks: number;
  /** The age of the last indexed block; undefined before the first one. */
  readonly lagSeconds: number | undefined;
  readonly blocks: number;
  readonly operations: number;
  readonly rows: number;
  /** In the last minute. */
  readonly rowsPerSecond: number;
  /** Blocks that were taken back. */
  readonly undone: number;
  /** The number of retries. */
  readonly retries: number;
  /** The number of records that can't be indexed; each attempt counts. */
  readonly unreadableRecords: number;
  /** The reason why nothing is indexed now; undefined while it is. */
  readonly problem: string | undefined;
  readonly lastError: IndexError | undefined;
}

/** The last thing that went wrong, and when. */
export interface IndexError {
  readonly text: string;
  readonly atMs: number;
}

/** The rows that a batch has brought into the database. */
export interface Written {
  readonly blocks: number;
  readonly operations: number;
  readonly rows: number;
  readonly undone: number;
}

interface Place {
  readonly block: number;
  readonly irreversible: number;
  /** Of the last block. */
  readonly timestamp: string;
}

const RATE_MS = 60_000;
const AGAIN_MS = 600_000;

/** Notes how an index stands, for metrics, health and the log. */
export class IndexRecord {
  readonly #clock: Clock;
  readonly #counts = { blocks: 0, operations: 0, rows: 0, undone: 0, retries: 0, unreadableRecords: 0 };
  /** Rows so far at moments of the last minute, oldest first. */
  #marks: { readonly atMs: number; readonly rows: number }[] = [];
  #place: Place | undefined;
  #problem: string | undefined;
  #isUnreadable = false;
  #said: IndexError = { text: '', atMs: 0 };
  #lastError: IndexError | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#mark();
  }

  stands(place: Place): void {
    this.#place = place;
  }

  wrote({ blocks, operations, rows, undone }: Written): void {
    this.#counts.blocks += blocks;
    this.#counts.operations += operations;
    this.#counts.rows += rows;
    this.#counts.undone += undone;
    this.#mark();
    [this.#problem, this.#isUnreadable] = [undefined, false];
  }

  /** Its servers are there again. A record that could not be indexed may be the next one. */
  begins(): void {
    if (!this.#isUnreadable) this.#problem = undefined;
  }

  /** True when this is news: the same error is reported once in ten minutes. */
  failed(text: string, isUnreadable: boolean): boolean {
    const nowMs = this.#clock.elapsedMs();
    const isNews = this.#said.text !== text || nowMs - this.#said.atMs >= AGAIN_MS;
    if (isNews) this.#said = { text, atMs: nowMs };
    this.#problem = text;
    this.#isUnreadable = isUnreadable;
    this.#lastError = { text, atMs: this.#clock.nowMs() };
    this.#counts.retries++;
    if (isUnreadable) this.#counts.unreadableRecords++;
    return isNews;
  }

  /** `source` is how the source stands. */
  figures(source: { readonly head: number; readonly problem: string | undefined }): IndexFigures {
    const { block, irreversible, timestamp } = this.#place ?? { block: 0, irreversible: 0, timestamp: '' };
    const sourceBlock = Math.max(source.head, block);
    const lagSeconds =
      block === 0 ? undefined : Math.max(0, Math.round((this.#clock.nowMs() - Date.parse(`${timestamp}Z`)) / 1000));
    return {
      ...this.#counts,
      ...{ block, irreversible, sourceBlock, lagBlocks: sourceBlock - block, lagSeconds, rowsPerSecond: this.#rate() },
      problem: this.#problem ?? source.problem,
      lastError: this.#lastError,
    };
  }

  #mark(): void {
    const atMs = this.#clock.elapsedMs();
    // One before the last minute is what its rows are counted from.
    const begins = this.#marks.findLastIndex((mark) => mark.atMs <= atMs - RATE_MS);
    this.#marks = [...this.#marks.slice(Math.max(0, begins)), { atMs, rows: this.#counts.rows }];
  }

  #rate(): number {
    const nowMs = this.#clock.elapsedMs();
    const base = this.#marks.findLast((mark) => mark.atMs <= nowMs - RATE_MS) ?? this.#marks[0];
    if (base === undefined || nowMs <= base.atMs) return 0;
    return Math.round(((this.#counts.rows - base.rows) * 1000) / (nowMs - base.atMs));
  }
}
