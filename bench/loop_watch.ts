// Loaded into every thread of a node that is watched (--import): once a second it writes how long the event loop of its thread has
// been held up at most, and at the usual shares of the time, in milliseconds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, threadId, workerData } from 'node:worker_threads';

const RESOLUTION_MS = 1;
const WRITE_MS = 1000;

const folder = process.env['PHAROS_BENCH_WATCH'];
if (folder !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const ms = (nanos: number): number => Math.max(0, nanos / 1e6 - RESOLUTION_MS);
  const timer = setInterval(() => {
    const [p50, p99, p999] = [50, 99, 99.9].map((share) => ms(delay.percentile(share)));
    writeFileSync(join(folder, `${threadName()}.json`), JSON.stringify({ p50, p99, p999, longest: ms(delay.max) }));
  }, WRITE_MS);
  timer.unref();
  // What happens before everything is open counts for nothing: the bench says when.
  setTimeout(() => delay.reset(), Number(process.env['PHAROS_BENCH_WATCH_AFTER_MS'] ?? 0)).unref();
}

function threadName(): string {
  if (isMainThread) return 'front';
  const settings: unknown = workerData;
  return typeof settings === 'object' && settings !== null && 'production' in settings ? 'writer' : `verifier ${threadId}`;
}
