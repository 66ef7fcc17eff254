import { SingleBar } from 'cli-progress';

/** Shows the progress of long work; silent when the output isn't a terminal. */
export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** A progress bar with rate and time left, on a terminal. */
export function makeProgress(what: string, done: number, total: number): Progress {
  const bar = new SingleBar({
    format: `${what} {bar} {value}/{total} · {rate}/s · {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    etaBuffer: 100,
    noTTYOutput: false,
  });
  const startMs = performance.now();
  bar.start(total, done, { rate: 0 });
  return {
    update: (now) =>
      bar.update(now, { rate: Math.round(((now - done) * 1000) / Math.max(1, performance.now() - startMs)) }),
    stop: () => bar.stop(),
  };
}
