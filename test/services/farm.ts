import { after } from 'node:test';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, temporaryFolder, type Running } from './commands.ts';
import { freePort } from '../outside/free_port.ts';

const FARM = join(project, 'scripts/operate/farm.js');
const started: Running[] = [];

after(async () => {
  for (const running of started) running.interrupt();
  await Promise.all(started.map(({ finished }) => finished));
});

/** scripts/operate/farm.js with these flags, in a folder of its own. */
export function startFarm(args: readonly string[]): Running {
  const running = start(process.execPath, [FARM, ...args], { folder: temporaryFolder() });
  started.push(running);
  return running;
}

/** A writer, three followers and a proxy, by one command. */
export class Farm {
  readonly folder: string;
  readonly url: string;
  readonly running: Running;
  /** The number of times that a follower has been killed, and those that the farm has not noticed yet. */
  readonly kills = { count: 0, unnoticed: false };

  private constructor(folder: string, url: string, running: Running) {
    this.folder = folder;
    this.url = url;
    this.running = running;
  }

  static async start(proxy: string, folder = temporaryFolder()): Promise<Farm> {
    const port = await freePort();
    const own = ['--', '--max-calls-per-second', '0'];
    const running = startFarm(['--proxy', proxy, '--port', String(port), '--data-dir', folder, ...own]);
    const farm = new Farm(folder, `http://127.0.0.1:${port}`, running);
    await waitUntil('the farm', () => {
      if (running.exited()) throw new Error(`the farm has ended: ${running.said.stderr}`);
      return /Ctrl-C stops all of it/.test(running.said.stdout) || undefined;
    });
    return farm;
  }

  /** All processes that it has started, those that have ended too. */
  pids(): readonly number[] {
    return [...this.running.said.stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  }

  /** Returns the address of one of its nodes. */
  address(name: string): string {
    return present(new RegExp(`^${name}: pid \\d+, (http://[^\\s,]+)`, 'm').exec(this.running.said.stdout)?.[1], name);
  }

  /** Returns the writer's port for peers. */
  peerPort(): string {
    return present(/peers on (\d+)/.exec(this.running.said.stdout)?.[1], 'peers');
  }

  /** Kills a follower, and waits until the farm has started it again and it is ready. */
  async killAndAwait(name: string): Promise<void> {
    const all = (pattern: string): RegExpExecArray[] => [
      ...this.running.said.stdout.matchAll(new RegExp(pattern, 'gm')),
    ];
    const starts = (): string[] => all(`^${name}: pid (\\d+)`).map(([, pid = '']) => pid);
    const ends = (): number => all(`^${name}: has ended`).length;
    const before = { pids: starts(), ends: ends() };
    this.kills.unnoticed = true;
    this.kills.count++;
    process.kill(Number(present(before.pids.at(-1), name)), 'SIGKILL');
    await waitUntil(`${name} to end`, () => ends() > before.ends || undefined);
    this.kills.unnoticed = false;
    await waitUntil(`${name} again`, () => starts().length > before.pids.length || undefined);
    await waitUntil(
      `${name} to be ready`,
      async () => (await fetch(`${this.address(name)}/readyz`).catch(() => undefined))?.ok || undefined,
    );
  }
}
