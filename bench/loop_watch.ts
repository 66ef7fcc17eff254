// Loaded into every thread of a node that is watched (--import): once a second it adds a line to the file of its
// thread, the time in milliseconds since 1970 and how long the event loop was held up at most in that second, in
// milliseconds.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, threadId, workerData } from 'node:worker_threads';
import { writerThread } from '../src/node/threads/node_threads.ts';

const RESOLUTION_MS = 1;
const WRITE_MS = 1000;

const folder = process.env['PHAROS_BENCH_WATCH'];
if (folder !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const write = (): void => {
    appendFileSync(join(folder, threadName()), `${Date.now()} ${Math.max(0, delay.max / 1e6 - RESOLUTION_MS)}\n`);
    delay.reset();
  };
  setInterval(write, WRITE_MS).unref();
}

function threadName(): string {
  if (isMainThread) return 'front';
  const data: unknown = workerData;
  return typeof data === 'object' && data !== null && 'thread' in data && data.thread === writerThread.name
    ? 'writer'
    : `verifier ${threadId}`;
}
