import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../../src/base/assert.ts';
import { readThreadCpuMicros } from '../../src/load_test/process_cpu.ts';
import { against, amountRow, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { stepBack } from '../client_priority.ts';
import { load } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { grouped } from '../table.ts';

/**
 * Of so many subscribers one follows bob, who is paid all the time; each of the others an account of his own, of whom
 * nothing is heard.
 */
const FOLLOWERS_OF_OTHERS = 100;
const KIB = 1024;
const MOST_KIB = 20;
/** Of what the writer does without anybody who follows; ticks of 10 ms and neighbours on the machine are in it. */
const LEAST_RATIO = 0.85;
/** Descriptors of a node besides its connections. */
const OTHER_DESCRIPTORS = 1000;
const EMPTY_BLOCKS = 200;
/** For `pending` the writer says more. */
const LEVELS = ['head', 'pending'] as const;

/**
 * Measures writer and memory with ten thousand subscribers to operations of accounts; the writer sends the same to any
 * number.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [subscribers, transfers, blockIntervalMs] = quick ? [100, 200, 500] : [10_000, 20_000, 3000];
  const settings = ['--max-connections-per-address', String(subscribers + OTHER_DESCRIPTORS)];
  const node = await DevNode.start({ blockIntervalMs, largeBlocks: true, settings });
  stepBack();
  try {
    const writer = await findWriter(node);
    // On a fresh node: what earlier traffic has left would hide what subscribers take.
    const before = node.memory().now;
    let listeners = await startListeners(node, subscribers, 'head');
    const kib = (node.memory().now - before) / subscribers / KIB;
    try {
      await ended(listeners);
      await load(node, transfers);
      // Without, beside, beside, without: a node that becomes faster all the while favours neither.
      const first = await measureWriter(node, writer, transfers);
      const beside: Row[] = [];
      for (const level of LEVELS) {
        listeners = await startListeners(node, subscribers, level);
        const name = `transfers in the writer beside ${grouped(subscribers)} subscribers at ${level}`;
        const measured = await measureWriter(node, writer, 2 * transfers);
        beside.push(row(name, 'transfer, CPU time of the writer', measured, { budget: { ratio: LEAST_RATIO } }));
        await ended(listeners);
      }
      const without = sum(first, await measureWriter(node, writer, transfers));
      const baseline = row('transfers in the writer, nobody follows', 'transfer, CPU time of the writer', without);
      return [
        baseline,
        ...beside.map((each) => against(each, baseline)),
        amountRow(
          `memory of each of ${grouped(subscribers)} subscribers`,
          'subscriber to operations, connection included',
          { value: kib, unit: 'KiB' },
          quick ? {} : { budget: { atMost: MOST_KIB } },
        ),
      ];
    } finally {
      await ended(listeners);
    }
  } finally {
    await node.stop();
  }
}

async function startListeners(
  node: DevNode,
  subscribers: number,
  level: (typeof LEVELS)[number],
): Promise<ChildProcess> {
  const settings = [node.port, subscribers, FOLLOWERS_OF_OTHERS, level].map(String);
  const child = fork(fileURLToPath(new URL('../listeners.js', import.meta.url)), settings);
  assert((await nextEvent(child, 'message')) === 'ready', 'all subscribe');
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = nextEvent(child, 'exit');
  child.kill();
  await exit;
}

function sum(a: Measured, b: Measured): Measured {
  return { work: a.work + b.work, cpuMicros: a.cpuMicros + b.cpuMicros };
}

/** The thread that makes blocks: it does most of what an order of empty ones costs, but for the front's. */
async function findWriter(node: DevNode): Promise<number> {
  const before = readThreadCpuMicros(node.pid);
  await node.client.call('debug_api.produce_blocks', { count: EMPTY_BLOCKS });
  const spent = [...readThreadCpuMicros(node.pid)]
    .filter(([id]) => id !== node.pid)
    .map(([id, micros]) => ({ id, micros: micros - (before.get(id) ?? 0) }));
  return present(spent.toSorted((a, b) => b.micros - a.micros)[0], 'a thread').id;
}

async function measureWriter(node: DevNode, writer: number, transfers: number): Promise<Measured> {
  const before = readThreadCpuMicros(node.pid).get(writer) ?? 0;
  await load(node, transfers);
  return { work: transfers, cpuMicros: (readThreadCpuMicros(node.pid).get(writer) ?? 0) - before };
}
