import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { assert, present } from '../../src/base/assert.ts';
import { readCpuMicros } from '../../src/load_test/process_cpu.ts';
import { freePort } from '../../test/outside/free_port.ts';

const PACKAGE = 'ganache@7.9.2';
/** 180 MB, so it is no dependency of ours: it comes when this bench runs, and stays until build/ is deleted. */
const FOLDER = fileURLToPath(new URL('../../peers/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../peers/node_modules/ganache/dist/node/cli.js', import.meta.url));
const START_MS = 60_000;

/** The program of ganache, installed if need be; undefined where the registry can't be reached. */
export async function ganacheProgram(): Promise<string | undefined> {
  if (existsSync(PROGRAM)) return PROGRAM;
  mkdirSync(FOLDER, { recursive: true });
  const parameters = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefix',
    FOLDER,
    PACKAGE,
  ];
  return await promisify(execFile)('npm', parameters).then(
    () => PROGRAM,
    () => undefined,
  );
}

/** A development node of Ethereum, whose accounts belong to the secrets. */
export class GanacheNode {
  readonly port: number;
  readonly pid: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
    this.pid = present(child.pid, 'the process of ganache');
  }

  static async start(program: string, secrets: readonly Uint8Array[]): Promise<GanacheNode> {
    const port = await freePort();
    const accounts = secrets.map(
      (secret) => `--wallet.accounts=0x${Buffer.from(secret).toString('hex')},0xffffffffffffffffffffff`,
    );
    // All in one block where it fits, as a node does that has much to do.
    const settings = ['--logging.quiet', '--miner.blockTime=1', '--miner.blockGasLimit=0xffffffffff'];
    const child = spawn(process.execPath, [program, ...settings, `--server.port=${port}`, ...accounts], {
      stdio: 'ignore',
    });
    const node = new GanacheNode(child, port);
    for (const endMs = performance.now() + START_MS; performance.now() < endMs; await sleep(50)) {
      if (await node.call('eth_chainId', []).then(Boolean, () => false)) return node;
      assert(child.exitCode === null, 'ganache runs');
    }
    child.kill();
    throw new Error('ganache does not answer');
  }

  async call(method: string, params: readonly unknown[]): Promise<string> {
    const answer = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    assert(typeof answer === 'object' && answer !== null && 'result' in answer, `${method} is answered`);
    return String(answer.result);
  }

  async post(body: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    return await (await fetch(`http://127.0.0.1:${this.port}`, { method: 'POST', headers, body })).json();
  }

  /** CPU time of all its threads so far, in microseconds. */
  cpuMicros(): number {
    return present(readCpuMicros(this.pid), 'the CPU time of ganache');
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGINT');
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
  }
}
