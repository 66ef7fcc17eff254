import { setTimeout as pause } from 'node:timers/promises';

import { present } from '../../src/base/assert.ts';
import { freePort } from '../../test/outside/free_port.ts';
import { numberMember, textMember } from '../../test/outside/json.ts';
import type { Program } from '../../test/outside/program.ts';
import { LATE, ownMachine, RPC, SevenNodes } from '../../test/outside/seven_nodes.ts';
import { Site } from '../../test/outside/site.ts';
import { waitUntil } from '../../test/outside/wait_until.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const DELAY_MS = 50;
const SLOT_MS = 3000;
const LOOK_MS = 20;
/** Until all have met and five keys vote. */
const BEGIN_SLOTS = 4;
const [VOTER, FOLLOWER] = [1, RPC];

/** Resources that a node has used since its start. */
interface Usage {
  readonly cpuSeconds: number;
  readonly sent: number;
  readonly received: number;
}

interface Measured {
  /** From the time of each block until the node for users told it as final, in milliseconds. */
  readonly times: readonly number[];
  /** A second, of a voter and of the node for users. */
  readonly usage: ReadonlyMap<number, Usage>;
}

/** Five voters and two nodes that only follow, in processes of their own with links of 50 ms: asked from outside. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const slots = quick ? 1 : 40;
  const voted = await measured(true, slots);
  // The small form proves that all of it runs.
  const plain = quick ? voted : await measured(false, slots);
  return [...timeRows(voted), ...usageRows(voted, plain)];
}

async function measured(finality: boolean, slots: number): Promise<Measured> {
  const site = new Site();
  const ports = await Promise.all(Array.from({ length: LATE }, freePort));
  const metricsFlags = (node: number): string[] => ['--metrics-endpoint', `127.0.0.1:${ports[node] ?? 0}`];
  try {
    const net = await SevenNodes.start(site, { delayMs: DELAY_MS }, ownMachine, { finality, flagsOf: metricsFlags });
    const rpc = net.nodeProgram(RPC);
    await pause(BEGIN_SLOTS * SLOT_MS);
    const nodes = [VOTER, FOLLOWER];
    const before = await Promise.all(nodes.map((node) => readUsage(present(ports[node], 'a port'))));
    const startMs = performance.now();
    const times = finality ? await finalTimes(rpc, slots) : (await pause(slots * SLOT_MS), []);
    const seconds = (performance.now() - startMs) / 1000;
    const after = await Promise.all(nodes.map((node) => readUsage(present(ports[node], 'a port'))));
    await net.stop();
    const usage = nodes.map((node, at) => [node, perSecond(before[at], after[at], seconds)] as const);
    return { times, usage: new Map(usage) };
  } finally {
    await site.clear();
  }
}

/** Looks every 20 ms for new final blocks; the moment of a look counts for all of them. */
async function finalTimes(rpc: Program, count: number): Promise<number[]> {
  const times: number[] = [];
  let known = await finalNumber(rpc);
  const seen: { number: number; atMs: number }[] = [];
  await waitUntil('some final blocks', async () => {
    await pause(LOOK_MS);
    const final = await finalNumber(rpc);
    while (known < final) seen.push({ number: ++known, atMs: Date.now() });
    return seen.length > 0 ? true : undefined;
  });
  const endMs = Date.now() + count * SLOT_MS;
  while (Date.now() < endMs) {
    await pause(LOOK_MS);
    const final = await finalNumber(rpc);
    while (known < final) seen.push({ number: ++known, atMs: Date.now() });
  }
  for (const { number, atMs } of seen) {
    const block = await rpc.result('block_api.get_block', { block_num: number });
    times.push(atMs - Date.parse(textMember(block, 'timestamp').replace(/Z?$/, 'Z')));
  }
  return times;
}

async function finalNumber(rpc: Program): Promise<number> {
  return numberMember(
    await rpc.result('alexandria_api.get_dynamic_global_properties'),
    'properties.last_irreversible_block_num',
  );
}

async function readUsage(metricsPort: number): Promise<Usage> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const sum = (pattern: RegExp): number =>
    text
      .split('\n')
      .filter((line) => pattern.test(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    cpuSeconds: sum(/^process_cpu_seconds_total /),
    sent: sum(/^pharos_peer_bytes_total\{.*direction="out"/),
    received: sum(/^pharos_peer_bytes_total\{.*direction="in"/),
  };
}

function perSecond(before: Usage | undefined, after: Usage | undefined, seconds: number): Usage {
  const of = (member: keyof Usage): number => ((after?.[member] ?? 0) - (before?.[member] ?? 0)) / seconds;
  return { cpuSeconds: of('cpuSeconds'), sent: of('sent'), received: of('received') };
}

function timeRows({ times }: Measured): Row[] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => present(sorted[Math.trunc(part * (sorted.length - 1))], 'a final block');
  const note = `${sorted.length} blocks, five voters and two followers in processes of their own, links of ${DELAY_MS} ms`;
  const makeRow = (name: string, value: number, atMost: number): Row =>
    amountRow(
      name,
      'from the slot of a block until a follower tells it as final',
      { value, unit: 'ms' },
      { budget: { atMost }, note },
    );
  return [makeRow('final over RPC, p50', at(0.5), 1200), makeRow('final over RPC, p99', at(0.99), 4000)];
}

/** The figures of the node for users include the questions of this bench, fifty a second. */
function usageRows(voted: Measured, plain: Measured): Row[] {
  const note = 'what the same nodes without finality take is subtracted';
  const more = (node: number, member: keyof Usage): number =>
    (voted.usage.get(node)?.[member] ?? 0) - (plain.usage.get(node)?.[member] ?? 0);
  const bytes = (name: string, value: number): Row => amountRow(name, 'bytes a second', { value, unit: 'B' }, { note });
  const cpu = { value: 1000 * more(VOTER, 'cpuSeconds'), unit: 'ms' };
  return [
    amountRow('CPU of finality, a voter of five', 'CPU time a second', cpu, { budget: { atMost: 10 }, note }),
    bytes('a voter of five sends for finality', more(VOTER, 'sent')),
    bytes('a voter of five receives for finality', more(VOTER, 'received')),
    bytes('a follower of five voters receives for finality', more(FOLLOWER, 'received')),
  ];
}
