import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../src/base/assert.ts';
import { headOf } from '../src/node/load/chain_facts.ts';
import { cpuMicrosOf, threadCpuMicrosOf } from '../src/node/load/process_cpu.ts';
import { RpcClient } from '../src/node/load/rpc_client.ts';
import { LARGEST_BLOCK_BYTES } from './dev_chain.ts';

export interface DevNodeOptions {
  /** The chain's own 3 seconds when left out. */
  readonly blockIntervalMs?: number;
  /** Lets the witness vote for blocks of the largest size and waits until they are in force, a round of blocks. */
  readonly largeBlocks?: boolean;
  /** Goes on with the chain in this folder, which stays; a new chain in a folder of its own when left out. */
  readonly dataFolder?: string;
  /** For the Node that runs it, and what is in its environment besides ours. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const PROGRAM = fileURLToPath(new URL('../src/node/cli.js', import.meta.url));
/** A machine that is busy with other things needs this long, and no longer. */
const START_MS = 60_000;

/** `pharos dev` as anybody starts it: a process of its own, on a free port, with a new chain in a folder of its own. */
export class DevNode {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly client: RpcClient;
  readonly #process: ChildProcess;
  readonly #folder: string | undefined;

  private constructor(child: ChildProcess, url: string, folder: string | undefined) {
    this.#process = child;
    this.#folder = folder;
    this.url = url;
    this.client = new RpcClient(url);
    this.port = Number(this.client.url.port);
    this.pid = present(child.pid, 'the process of the node');
  }

  static async start({
    blockIntervalMs,
    largeBlocks = false,
    dataFolder,
    flags: more = [],
    environment = {},
  }: DevNodeOptions): Promise<DevNode> {
    const folder = dataFolder === undefined ? mkdtempSync(join(tmpdir(), 'pharos-bench-')) : undefined;
    const args = ['dev', '--port', '0', '--data-dir', folder ?? dataFolder ?? ''];
    if (blockIntervalMs !== undefined) args.push('--block-interval-ms', String(blockIntervalMs));
    if (largeBlocks) args.push('--maximum-block-size', String(LARGEST_BLOCK_BYTES));
    // Flags of this process, such as those of the profiler, are not for the node: those in PHAROS_BENCH_NODE are.
    const flags = (process.env['PHAROS_BENCH_NODE'] ?? '').split(' ').filter((flag) => flag !== '');
    const child = spawn(process.execPath, [...flags, ...more, PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    const node = new DevNode(child, await urlIn(child), folder);
    if (largeBlocks) await node.#largeBlocks();
    return node;
  }

  /** CPU time of all threads of the node so far, in microseconds. */
  cpuMicros(): number {
    return present(cpuMicrosOf(this.pid), 'the CPU time of the node');
  }

  /** Threads that the process has now. */
  threads(): number {
    return threadCpuMicrosOf(this.pid).size;
  }

  /** Most memory that it has held so far, and what it holds now, in bytes; of Linux. */
  memory(): { readonly peak: number; readonly now: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const bytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { peak: bytes('VmHWM'), now: bytes('VmRSS') };
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGINT');
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #largeBlocks(): Promise<void> {
    // Before the first round of its schedule a chain has the largest blocks anyway.
    for (;;) {
      const { number, maximumBlockSize } = await headOf(this.client);
      if (number > 1 && maximumBlockSize === LARGEST_BLOCK_BYTES) return;
      await sleep(100);
    }
  }
}

async function urlIn(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  assert(stdout !== null, 'the output of the node is piped');
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  for (const endMs = performance.now() + START_MS; performance.now() < endMs; await sleep(20)) {
    const url = /http:\/\/\S+:\d+/.exec(text)?.[0];
    if (url !== undefined) return url;
    assert(child.exitCode === null, `the node runs: ${text}`);
  }
  child.kill();
  throw new Error('the node does not say its URL');
}
