import type { Clock } from '../base/clock.ts';

/** A terminal line that says that something still goes on. */
export interface ProgressLine {
  write(text: string): unknown;
}

/** Before that nobody notices that he waits. */
const QUIET_MS = 700;
const STEP_MS = 1000;

/** The outcome of `work`; while it takes long, the line counts the seconds, and is empty again afterwards. */
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
