import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../src/base/assert.ts';
import { encodeWif } from '../src/crypto/wif.ts';
import { profileNamed } from '../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { readCpuMicros } from '../src/load_test/process_cpu.ts';
import { freePort } from '../test/outside/free_port.ts';
import { nextEvent } from './next_event.ts';

const FARM = fileURLToPath(new URL('../../scripts/operate/farm.js', import.meta.url));
/** Some nodes on a machine that is busy with other things. */
const START_MS = 120_000;
const WITNESS = 'initminer';

/** A process of a farm. */
export interface FarmProcess {
  readonly pid: number;
  readonly url: string;
}

/** `scripts/operate/farm.js` as anybody starts it, with a chain on which the development accounts have something. */
export class StartedFarm {
  readonly writer: FarmProcess;
  readonly followers: readonly FarmProcess[];
  readonly proxy: FarmProcess;
  /** The address of the writer's metrics. */
  readonly metricsUrl: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, said: string, metricsUrl: string) {
    const all = [...said.matchAll(/^(\w+): pid (\d+), (http:\/\/[\d.:]+)/gm)].map(([, name = '', pid, url = '']) => ({
      name,
      pid: Number(pid),
      url,
    }));
    this.#process = child;
    this.#folder = folder;
    this.metricsUrl = metricsUrl;
    this.writer = present(
      all.find(({ name }) => name === 'writer'),
      'a writer',
    );
    this.followers = all.filter(({ name }) => name.startsWith('follower'));
    this.proxy = present(all.at(-1), 'a proxy');
  }

  static async start(followers: number): Promise<StartedFarm> {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-farm-'));
    const [port, metricsPort] = [await freePort(), await freePort()];
    const [genesis, settings] = [join(folder, 'genesis.json'), join(folder, 'writer.ini')];
    writeFileSync(genesis, devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000)));
    const lines = {
      witness: WITNESS,
      'private-key': encodeWif(devSecret(WITNESS)),
      'metrics-endpoint': `127.0.0.1:${metricsPort}`,
    };
    const more = 'enable-stale-production = true\n';
    writeFileSync(
      settings,
      Object.entries(lines).reduce((text, [key, value]) => `${text}${key} = ${value}\n`, more),
      { mode: 0o600 },
    );
    const places = [
      '--port',
      String(port),
      '--data-dir',
      join(folder, 'farm'),
      '--genesis-json',
      genesis,
      '--config',
      settings,
    ];
    const args = [FARM, '--followers', String(followers), ...places, '--', '--max-calls-per-second', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = await readyText(child);
    return new StartedFarm(child, folder, said, `http://127.0.0.1:${metricsPort}/metrics`);
  }

  /** CPU time so far, in microseconds, of all followers together, the proxy and the writer. */
  cpuMicros(): { readonly followers: number; readonly proxy: number; readonly writer: number } {
    const followers = this.followers.reduce((sum, { pid }) => sum + usedMicros(pid), 0);
    return { followers, proxy: usedMicros(this.proxy.pid), writer: usedMicros(this.writer.pid) };
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = nextEvent(this.#process, 'exit');
      this.#process.kill('SIGINT');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function usedMicros(pid: number): number {
  return present(readCpuMicros(pid), 'CPU time');
}

async function readyText(child: ChildProcess): Promise<string> {
  let [said, wrong] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (said += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (wrong += text));
  for (const endMs = performance.now() + START_MS; !said.includes('Ctrl-C stops'); await sleep(50))
    assert(child.exitCode === null && performance.now() < endMs, `the farm starts: ${wrong}`);
  return said;
}
