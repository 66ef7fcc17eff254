import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../src/base/assert.ts';
import { writeJson } from '../src/codec/json_writer.ts';
import { fetchHead } from '../src/load_test/chain_facts.ts';
import { readCpuMicros, readThreadCpuMicros } from '../src/load_test/process_cpu.ts';
import { LoadedNode } from '../src/load_test/loaded_node.ts';
import { LARGEST_BLOCK_BYTES } from './dev_chain.ts';

export interface DevNodeOptions {
  /** The chain's own 3 seconds when left out. */
  readonly blockIntervalMs?: number;
  /** Lets the witness vote for blocks of the largest size and waits until they are in force, a round of blocks. */
  readonly largeBlocks?: boolean;
  /** Goes on with the chain in this folder, which stays; a new chain in a folder of its own when left out. */
  readonly dataFolder?: string;
  /** More of `pharos dev`’s own, such as limits. */
  readonly settings?: readonly string[];
  /** The Node that runs it; this one when left out. */
  readonly node?: string;
  /** For the Node that runs it, and what is in its environment besides ours. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const PROGRAM = fileURLToPath(new URL('../program/node/cli.js', import.meta.url));
/** The development genesis starts with blocks of this size, about 2 100 transfers. */
export const TEMPLATE_BLOCK_BYTES = 262_144;
const BLOCKS_OF_A_ROUND = 51;
const WITNESS = { owners: ['initminer'] };
/** A machine that is busy with other things needs this long, and no longer. */
const START_MS = 60_000;

/** `pharos dev` as anybody starts it: a process of its own, on a free port, with a new chain in a folder of its own. */
export class DevNode {
  readonly url: string;
  /** The address of its metrics. */
  readonly metricsUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly client: LoadedNode;
  readonly #process: ChildProcess;
  readonly #folder: string | undefined;
  readonly #votesForLargeBlocks: boolean;

  private constructor(
    child: ChildProcess,
    { url, metricsUrl }: Addresses,
    folder: string | undefined,
    largeBlocks: boolean,
  ) {
    this.#process = child;
    this.#folder = folder;
    this.#votesForLargeBlocks = largeBlocks;
    this.url = url;
    this.metricsUrl = metricsUrl;
    this.client = new LoadedNode(url);
    this.port = Number(this.client.url.port);
    this.pid = present(child.pid, 'the process of the node');
  }

  static async start({
    blockIntervalMs,
    largeBlocks = false,
    dataFolder,
    settings = [],
    node: program = process.execPath,
    flags: more = [],
    environment = {},
  }: DevNodeOptions): Promise<DevNode> {
    const folder = dataFolder === undefined ? mkdtempSync(join(tmpdir(), 'pharos-bench-')) : undefined;
    const args = [
      'dev',
      '--port',
      '0',
      '--data-dir',
      folder ?? dataFolder ?? '',
      '--metrics-port',
      '0',
      '--silent',
      ...settings,
    ];
    if (blockIntervalMs !== undefined) args.push('--block-interval-ms', String(blockIntervalMs));
    if (largeBlocks) args.push('--maximum-block-size', String(LARGEST_BLOCK_BYTES));
    // Flags of this process, such as those of the profiler, are not for the node: those in PHAROS_BENCH_NODE are.
    const flags = (process.env['PHAROS_BENCH_NODE'] ?? '').split(' ').filter((flag) => flag !== '');
    const child = spawn(program, [...flags, ...more, PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    const node = new DevNode(child, await readAddresses(child), folder, largeBlocks);
    if (largeBlocks) await node.passFirstRound();
    return node;
  }

  /** CPU time of all threads of the node so far, in microseconds. */
  cpuMicros(): number {
    return present(readCpuMicros(this.pid), 'the CPU time of the node');
  }

  /** Threads that the process has now. */
  threads(): number {
    return readThreadCpuMicros(this.pid).size;
  }

  /** Most memory that it has held so far, and what it holds now, in bytes; of Linux. */
  memory(): { readonly peak: number; readonly now: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const bytes = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { peak: bytes('VmHWM'), now: bytes('VmRSS') };
  }

  /**
   * Orders blocks until their largest size is what witnesses vote for: in the first round of the schedule it is the
   * largest of all.
   */
  async passFirstRound(): Promise<void> {
    const voted = this.#votesForLargeBlocks ? LARGEST_BLOCK_BYTES : TEMPLATE_BLOCK_BYTES;
    // Ordered blocks let the time pass in which the vote may come.
    const hasVoted = async (): Promise<boolean> =>
      writeJson(await this.client.call('database_api.find_witnesses', WITNESS)).includes(
        `"maximum_block_size":${voted}`,
      );
    while (!(await hasVoted())) await sleep(20);
    do await this.client.call('debug_api.produce_blocks', { count: BLOCKS_OF_A_ROUND });
    while ((await fetchHead(this.client)).maximumBlockSize !== voted);
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGINT');
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** As a power failure ends it; the folder stays. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
  }
}

interface Addresses {
  readonly url: string;
  readonly metricsUrl: string;
}

async function readAddresses(child: ChildProcess): Promise<Addresses> {
  const { stdout } = child;
  assert(stdout !== null, 'the output of the node is piped');
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  for (const endMs = performance.now() + START_MS; performance.now() < endMs; await sleep(20)) {
    const [url, metricsUrl] = text.match(/http:\/\/\S+/g) ?? [];
    if (url !== undefined && metricsUrl !== undefined) return { url, metricsUrl };
    assert(child.exitCode === null, `the node runs: ${text}`);
  }
  child.kill();
  throw new Error('the node does not say its URL');
}
