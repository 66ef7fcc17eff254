import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../../src/base/assert.ts';
import { percentile } from '../../src/load_test/run_load.ts';
import { amountRow, atMostMicros, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { load, signedBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { paced } from '../paced.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

const READ_EVERY_MS = 5;
const SEND_EVERY_MS = 50;
const READ = { account_name: 'alice' };
const TRANSFERS = 100;
/** Transfers among the ten accounts before the visits: each has a history that is longer than a search examines. */
const HISTORY = 10_000;
/** Of the quiet machine: each is two dozen files, two dozen calls, a WebSocket and a subscription. */
const VISIT_MICROS = 10_000;
/**
 * Of the time alone, in percent. Visitors and callers share the cores, however far visitors step back; so the slowest
 * have no budget.
 */
const BUDGET = { budget: { atMost: 150 } };
/** So many visits a second beside calls: thirty thousand an hour. */
const VISIT_PAUSE_MS = 100;
/** For as long as anybody looks. */
const ENDLESS = 1e9;

/** Measures the price of a browser that opens every page of the explorer, and the time of calls beside such visits. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const node = await DevNode.start({});
  try {
    await load(node, quick ? TRANSFERS : HISTORY);
    const before = recoverMicros() ?? QUIET_RECOVER_MICROS;
    const visited = await measureVisits(node, quick ? 2 : 200);
    const recover = Math.min(before, recoverMicros() ?? QUIET_RECOVER_MICROS);
    const budget = atMostMicros((VISIT_MICROS * recover) / QUIET_RECOVER_MICROS);
    const note = `first view, every other view once, a transaction with its signers, a search of a long history, a page of the docs; all threads of the node; ${VISIT_MICROS} µs are for a recovery of ${QUIET_RECOVER_MICROS} µs, which took ${recover.toFixed(1)} beside it`;
    return [
      row('a browser looks at all pages', 'visit', visited, { budget, note }),
      ...(await besideVisitors(node, quick ? { rounds: 1, durationMs: 300 } : { rounds: 3, durationMs: 4000 })),
    ];
  } finally {
    await node.stop();
  }
}

async function measureVisits(node: DevNode, visits: number): Promise<Measured> {
  const visitors = await startVisitors(node, visits + 1, 0);
  // The first one has filled what is read once.
  const before = node.cpuMicros();
  assert((await nextEvent(visitors, 'message')) === 'done', 'all visits are made');
  return { work: visits, cpuMicros: node.cpuMicros() - before };
}

async function startVisitors(node: DevNode, visits: number, pauseMs: number): Promise<ChildProcess> {
  const visitors = fork(fileURLToPath(new URL('../visitors.js', import.meta.url)), [
    node.url,
    String(visits),
    String(pauseMs),
  ]);
  assert((await nextEvent(visitors, 'message')) === 'ready', 'the first visit is made');
  return visitors;
}

interface Length {
  readonly rounds: number;
  readonly durationMs: number;
}

/** Times of calls, ascending. */
interface Times {
  readonly reads: readonly number[];
  readonly sends: readonly number[];
}

/** In turns, because a machine is as busy as it happens to be. */
async function besideVisitors(node: DevNode, { rounds, durationMs }: Length): Promise<Row[]> {
  const alone: Times[] = [];
  const beside: Times[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await measureTimes(node, durationMs));
    const visitors = await startVisitors(node, ENDLESS, VISIT_PAUSE_MS);
    try {
      beside.push(await measureTimes(node, durationMs));
    } finally {
      visitors.kill('SIGKILL');
    }
  }
  return (['reads', 'sends'] as const).flatMap((kind) =>
    [0.5, 0.99].map((share) => {
      const [without, between] = [leastTime(alone, kind, share), leastTime(beside, kind, share)];
      const isMiddle = share === 0.5;
      const name = `${isMiddle ? 'middle' : '99th of a hundred'} of ${kind} beside visitors, of the same alone`;
      const note = `${between.toFixed(1)} ms beside, ${without.toFixed(1)} alone; the best of ${rounds} rounds each`;
      return amountRow(
        name,
        kind === 'reads' ? 'read' : `post of ${TRANSFERS} transfers`,
        { value: (100 * between) / without, unit: '%' },
        { ...(isMiddle && BUDGET), note },
      );
    }),
  );
}

/** Neighbours only ever make it longer. */
function leastTime(rounds: readonly Times[], kind: keyof Times, share: number): number {
  return Math.min(...rounds.map((times) => percentile(times[kind], share)));
}

async function measureTimes(node: DevNode, durationMs: number): Promise<Times> {
  const bodies = await signedBodies(node, Math.ceil(durationMs / SEND_EVERY_MS) * TRANSFERS);
  const endMs = performance.now() + durationMs;
  const [reads, sends] = await Promise.all([
    paced(endMs, READ_EVERY_MS, () => node.client.call('alexandria_api.get_account', READ)),
    paced(endMs, SEND_EVERY_MS, (number) => node.client.post(present(bodies[number], 'a post').body, TRANSFERS)),
  ]);
  return { reads, sends };
}
