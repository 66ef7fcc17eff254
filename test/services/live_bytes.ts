// Preloaded into a node, in each of its threads: notes each second what lives on the thread's heap and beside it, after a full collection.
// What the process holds besides is mostly room for values that are dead already.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';

const EACH_MS = 1000;
const folder = process.env['LIVE_BYTES_FOLDER'];

if (folder !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setInterval(() => {
    if (typeof collect === 'function') collect();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(join(folder, String(threadId)), `${heapUsed + external}\n`);
  }, EACH_MS).unref();
}
