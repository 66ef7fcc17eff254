import type { Clock } from '../base/clock.ts';

/** A terminal line that shows that work is in progress. */
export interface ProgressLine {
  write(text: string): unknown;
}

/** Shorter waits aren't noticed. */
const QUIET_MS = 700;
const STEP_MS = 1000;

/** The outcome of `work`; if it takes long, the line counts the seconds, and is cleared afterwards. */
export async function withProgress<T>(work: Promise<T>, what: string, line: ProgressLine | undefined, clock: Clock): Promise<T> {
  if (line === undefined) return await work;
  const startedMs = clock.nowMs();
  const state = { shown: false };
  const show = (): void => {
    state.shown = true;
    line.write(`\r\u001B[K${what}: waiting, ${Math.trunc((clock.nowMs() - startedMs) / 1000)} s`);
    cancel = clock.after(STEP_MS, show);
  };
  let cancel = clock.after(QUIET_MS, show);
  try {
    return await work;
  } finally {
    cancel();
    if (state.shown) line.write('\r\u001B[K');
  }
}
