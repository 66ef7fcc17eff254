import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Site } from './site.ts';

// A wake of a thread costs more than most that it does then. A node that nobody asks is counted here by the system.

const SECONDS = 6;
/** Looks at the event loop and blocks; a timer that comes each ten milliseconds is a hundred. */
const MOST_A_SECOND = 40;

const site = new Site();

after(() => site.clear());

/** Counts for each thread of a process how often it has slept so far. */
function sleeps(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((task) => {
      const status = readFileSync(`${folder}/${task}/status`, 'utf8');
      return [task, Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1])];
    }),
  );
}

test('a node that nobody asks lets its threads sleep', { skip: process.platform !== 'linux' }, async () => {
  const chain = await site.dev('--metrics-port', '0', '--p2p-endpoint', '127.0.0.1:0', '--block-interval-ms', '3000');
  // Until then parts are still being started.
  await pause(2000);
  const first = sleeps(chain.pid);
  await pause(SECONDS * 1000);
  const often = [...sleeps(chain.pid)]
    .map(([task, count]) => (count - (first.get(task) ?? count)) / SECONDS)
    .filter((each) => each > MOST_A_SECOND);
  assert.deepEqual(often, []);
});
