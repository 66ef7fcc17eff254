import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../src/base/assert.ts';
import { freePort } from '../test/outside/free_port.ts';
import { nextEvent } from './next_event.ts';
import type { Server } from './posts.ts';

const PROGRAM = fileURLToPath(new URL('../program/node/cli.js', import.meta.url));
const START_MS = 60_000;
/** The key of nobody: no blocks are needed. */
const KEY = 'PHR6vDgiaLLLmEiYy54QQFhkExuiFF4q5QjqMWHYu6wyUGETbJjB6';

/** `pharos run` with a chain without blocks. */
export class RunNode implements Server {
  readonly port: number;
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.port = port;
    this.pid = present(child.pid, 'a process');
    this.#process = child;
    this.#folder = folder;
  }

  /** `node` is the Node that runs it. */
  static async start(flags: readonly string[], node = process.execPath): Promise<RunNode> {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
    const port = await freePort();
    const own = [
      '--initminer-mining-pubkey',
      KEY,
      '--data-dir',
      folder,
      '--webserver-http-endpoint',
      `127.0.0.1:${port}`,
    ];
    const child = spawn(node, [PROGRAM, 'run', ...own, ...flags], { stdio: 'ignore' });
    const endMs = performance.now() + START_MS;
    while (!(await answers(port))) {
      assert(performance.now() < endMs && child.exitCode === null, 'the node starts');
      await sleep(50);
    }
    return new RunNode(child, port, folder);
  }

  async stop(): Promise<void> {
    const ended = nextEvent(this.#process, 'exit');
    this.#process.kill('SIGINT');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/livez`).then(
    (response) => response.ok,
    () => false,
  );
}
