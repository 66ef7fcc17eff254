import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../src/load_test/run_load.ts';

/** Threads whose event loop turns all the time; a verifier's stands while it waits for a batch. */
export type WatchedThread = 'front' | 'writer';

/** Measures the delays of the event loops of a node's threads, second by second. */
export class Stalls {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));

  /** The flags for the node. */
  get flags(): string[] {
    return ['--import', new URL('./loop_watch.js', import.meta.url).href];
  }

  get environment(): Record<string, string> {
    return { PHAROS_BENCH_WATCH: this.#folder };
  }

  /** The worst of each second between two times (milliseconds since 1970), ascending, in milliseconds. */
  between(thread: WatchedThread, fromMs: number, untilMs: number): number[] {
    const lines = readFileSync(join(this.#folder, thread), 'utf8').trim().split('\n');
    const seconds = lines
      .map((line) => line.split(' ').map(Number))
      .map(([atMs = 0, worstMs = 0]) => ({ atMs, worstMs }));
    const within = seconds.filter(({ atMs }) => atMs > fromMs && atMs <= untilMs).map(({ worstMs }) => worstMs);
    return within.sort((a, b) => a - b);
  }

  /** The longest, and below what 99 % of the seconds stay. */
  text(thread: WatchedThread, fromMs: number, untilMs: number): string {
    const worst = this.between(thread, fromMs, untilMs);
    return `${thread} ${(worst.at(-1) ?? 0).toFixed(0)} ms (99 % of the seconds below ${percentile(worst, 0.99).toFixed(0)})`;
  }

  forget(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
