import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { fetchFacts, type ChainFacts } from '../../src/load_test/chain_facts.ts';
import { percentile } from '../../src/load_test/run_load.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { defaultLimits } from '../../src/jsonrpc/limits/limits.ts';
import { amountRow, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { stepBack } from '../client_priority.ts';
import { BATCH, load, synchronousBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { quantileMs, scrape } from '../../src/load_test/scrape.ts';
import { documentsBody } from '../signed_documents.ts';
import { slowPeers, type SlowPeer } from '../slow_peers.ts';
import { Stalls } from '../stalls.ts';
import { grouped } from '../table.ts';

/** The size of the scene. */
interface Size {
  readonly subscribers: number;
  /** Each is followed by as many subscribers as every other, and gets one document in each block. */
  readonly applications: number;
  readonly parked: number;
  readonly blockMs: number;
  /** Blocks with documents alone, and with everything at once. */
  readonly quietBlocks: number;
  readonly loadedBlocks: number;
  /** Transfers that are in blocks before anything counts. */
  readonly warmUp: number;
}

const FULL: Size = {
  ...{ subscribers: 10_000, applications: 100, parked: 5000 },
  ...{ blockMs: 3000, quietBlocks: 5, loadedBlocks: 10, warmUp: 20_000 },
};
const QUICK: Size = {
  subscribers: 50,
  applications: 5,
  parked: 50,
  blockMs: 500,
  quietBlocks: 1,
  loadedBlocks: 2,
  warmUp: 50,
};

const BUDGET_MS = 100;
/** Descriptors of a node besides its connections: the store's files, its pipes. */
const OTHER_DESCRIPTORS = 1000;
const BATCH_PAUSE_MS = 500;
/** The default limits of a request. */
const { batchElements: FULL_BATCH, bodyBytes: FULL_BYTES } = defaultLimits;
const LARGE_READS = 20;

/**
 * Ten thousand subscribers, five thousand broadcasts that wait for each block, peers that read and send a byte a
 * second, and batches at their limits: what a notice costs, how late it comes, and whether blocks keep their slots.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const size = withinDescriptors(quick ? QUICK : FULL);
  const stalls = new Stalls();
  const { flags, environment } = stalls;
  const settings = ['--max-connections-per-address', String(size.subscribers + OTHER_DESCRIPTORS)];
  const node = await DevNode.start({ blockIntervalMs: size.blockMs, largeBlocks: true, settings, flags, environment });
  stepBack();
  let listeners: ChildProcess | undefined;
  try {
    const { child, note } = await startListeners(node, size);
    listeners = child;
    await load(node, size.warmUp);
    const scene = { node, listeners, size, facts: await fetchFacts(node.client, profileNamed('default')) };
    const quiet = await documentsAlone(scene);
    const loaded = await everythingAtOnce(scene, stalls);
    return [
      row(
        `notices to ${grouped(size.subscribers)} subscribers`,
        'notice, its share of documents and blocks included',
        quiet,
        {
          note: `${size.applications} documents a block, each for ${size.subscribers / size.applications} of them; ${quiet.note}; ${note}`,
        },
      ),
      amountRow(
        `slot to disk, all blocks, ${grouped(size.subscribers)} subscribers`,
        `block beside ${grouped(size.parked)} parked broadcasts and slow peers`,
        { value: loaded.latestMs, unit: 'ms' },
        { budget: { atMost: BUDGET_MS }, note: loaded.note },
      ),
    ];
  } finally {
    if (listeners !== undefined) await ended(listeners);
    await node.stop();
    stalls.forget();
  }
}

/** As many subscribers as this system lets a process have connections. */
function withinDescriptors(size: Size): Size {
  const descriptors = Number(
    /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity,
  );
  const most = Math.max(size.applications, descriptors - OTHER_DESCRIPTORS);
  return { ...size, subscribers: Math.min(size.subscribers, most - (most % size.applications)) };
}

interface Scene {
  readonly node: DevNode;
  readonly listeners: ChildProcess;
  readonly size: Size;
  readonly facts: ChainFacts;
}

async function startListeners(
  node: DevNode,
  { subscribers, applications }: Size,
): Promise<{ child: ChildProcess; note: string }> {
  const before = { bytes: node.memory().now, cpuMicros: node.cpuMicros() };
  const child = fork(
    fileURLToPath(new URL('../listeners.js', import.meta.url)),
    [node.port, subscribers, applications].map(String),
  );
  assert((await nextEvent(child, 'message')) === 'ready', 'all subscribe');
  const bytes = (node.memory().now - before.bytes) / subscribers;
  const micros = (node.cpuMicros() - before.cpuMicros) / subscribers;
  const note = `a subscriber takes ${(bytes / 1024).toFixed(1)} KiB and ${micros.toFixed(0)} µs to connect; all in one client process on raw sockets`;
  return { child, note };
}

async function documentsAlone(scene: Scene): Promise<Measured & { readonly note: string }> {
  const cpuBefore = scene.node.cpuMicros();
  const commits: number[] = [];
  for (let block = 0; block < scene.size.quietBlocks; block++)
    commits.push(await documentsInBlock(scene, `quiet ${block}`));
  const delaysMs = await measureDelays(scene, commits);
  return { work: delaysMs.length, cpuMicros: scene.node.cpuMicros() - cpuBefore, note: delayText(delaysMs) };
}

async function everythingAtOnce(
  scene: Scene,
  stalls: Stalls,
): Promise<{ readonly latestMs: number; readonly note: string }> {
  const { node, size } = scene;
  const [before, fromMs] = [await scrape(node.metricsUrl), Date.now()];
  const peers = slowPeers(node.port, largeReads());
  const batches = new FullBatches(node);
  const commits: number[] = [];
  const parkedMs: number[] = [];
  for (let block = 0; block < size.loadedBlocks; block++) {
    const bodies = await synchronousBodies(node, size.parked);
    const parked = Promise.all(bodies.map((body) => timed(() => answered(node, body, Math.min(BATCH, size.parked)))));
    commits.push(await documentsInBlock(scene, `loaded ${block}`));
    parkedMs.push(...(await parked));
  }
  const delaysMs = await measureDelays(scene, commits);
  const [after, untilMs] = [await scrape(node.metricsUrl), Date.now()];
  const taken = await batches.stop();
  for (const { end } of peers) end();
  const lateness = [0.5, 1].map((share) => quantileMs(before, after, 'pharos_block_lateness_seconds', share));
  const note = [
    `${size.loadedBlocks} blocks, one every ${size.blockMs} ms, half within ${lateness[0]} ms`,
    delayText(delaysMs),
    `posts of ${BATCH} parked ones answered within ${(Math.max(...parkedMs) / 1000).toFixed(1)} s, their block included`,
    `a batch of ${FULL_BATCH} calls and ${grouped(taken.bytes)} bytes every ${BATCH_PAUSE_MS} ms answered in ${percentile(taken.answeredMs, 0.5).toFixed(0)} ms (half)`,
    ...peers.map(peerText),
    `longest stalls ${stalls.text('front', fromMs, untilMs)}, ${stalls.text('writer', fromMs, untilMs)}`,
  ].join('; ');
  return { latestMs: lateness[1] ?? Infinity, note };
}

/**
 * Puts one document of each application into the next block; answers when that was on the disk, in milliseconds since
 * 1970.
 */
async function documentsInBlock({ node, size, facts }: Scene, text: string): Promise<number> {
  await answered(node, documentsBody(facts, size.applications, text), size.applications);
  return ((await scrape(node.metricsUrl)).get('pharos_block_committed_timestamp_seconds') ?? 0) * 1000;
}

async function answered({ client }: DevNode, body: string, calls: number): Promise<void> {
  for (const answer of await client.post(body, calls))
    assert('result' in answer, `every call is answered: ${JSON.stringify(answer)}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Measures for each notice the milliseconds since the commit; every subscriber has heard of every block. */
async function measureDelays({ listeners, size }: Scene, commits: readonly number[]): Promise<number[]> {
  const heard = nextEvent(listeners, 'message');
  const expected = commits.length * size.subscribers;
  listeners.send({ commits, expected });
  const delaysMs = await heard;
  assert(Array.isArray(delaysMs) && delaysMs.length === expected, 'each subscriber hears of each document once');
  return delaysMs.map(Number).sort((a, b) => a - b);
}

function delayText(delaysMs: readonly number[]): string {
  const [half = 0, most = 0] = [0.5, 0.99].map((share) => percentile(delaysMs, share));
  return `a notice comes ${half.toFixed(0)} ms (half) and ${most.toFixed(0)} ms (99 %) after its block was on the disk`;
}

function peerText({ said, droppedMs, told }: SlowPeer): string {
  const ms = droppedMs();
  const reason = told() === '' ? '' : ` with ${told()}`;
  return `a peer ${said}, a byte a second, is ${ms === undefined ? 'still held' : `let go after ${(ms / 1000).toFixed(0)} s${reason}`}`;
}

/** Reads whose answer has some megabytes where there are as many transfers. */
function largeReads(): string {
  const params = { account: 'alice', start: -1, limit: 1000 };
  const call = { jsonrpc: '2.0', method: 'alexandria_api.get_account_history', params };
  return JSON.stringify(Array.from({ length: LARGE_READS }, (_, id) => ({ ...call, id })));
}

/** Posts batches of as many calls and bytes as a node takes, one after the other. */
class FullBatches {
  readonly #body: string;
  readonly #answeredMs: number[] = [];
  readonly #end: Promise<void>;
  #isStopped = false;

  constructor(node: DevNode) {
    const op = ['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: '' }] as const;
    const call = (json: string, id: number): object => {
      const params = { op: [op[0], { ...op[1], json }], symbol: 'COIN' };
      return { jsonrpc: '2.0', id, method: 'alexandria_api.calculate_fee', params };
    };
    const empty = JSON.stringify(Array.from({ length: FULL_BATCH }, (_, id) => call(JSON.stringify(''), id)));
    const json = JSON.stringify('x'.repeat(Math.trunc((FULL_BYTES - empty.length) / FULL_BATCH)));
    this.#body = JSON.stringify(Array.from({ length: FULL_BATCH }, (_, id) => call(json, id)));
    this.#end = this.#post(node);
  }

  /** Milliseconds that the node took for each, ascending. */
  async stop(): Promise<{ readonly bytes: number; readonly answeredMs: readonly number[] }> {
    this.#isStopped = true;
    await this.#end;
    return { bytes: this.#body.length, answeredMs: this.#answeredMs.toSorted((a, b) => a - b) };
  }

  async #post(node: DevNode): Promise<void> {
    while (!this.#isStopped) {
      this.#answeredMs.push(await timed(() => answered(node, this.#body, FULL_BATCH)));
      await sleep(BATCH_PAUSE_MS);
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = nextEvent(child, 'exit');
  child.kill();
  await exit;
}
