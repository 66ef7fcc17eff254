import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { freePort } from '../../outside/free_port.ts';
import { ownEnvironment } from '../../builders/own_environment.ts';
import { waitUntil } from '../../outside/wait_until.ts';
import { clone, guideNamed, onPorts, writeFiles, type Guide } from './guide.ts';

/** A command that was typed, and all that it has said so far. */
interface Typed {
  readonly child: ChildProcess;
  readonly heard: () => string;
}

/** Somebody who does what a guide says, in a clone: types its commands and writes its files. */
export class Reader {
  readonly guide: Guide;
  readonly ports: Readonly<Record<string, string>>;
  readonly #folder = clone();
  readonly #running = new Set<ChildProcess>();
  readonly #typed = new Map<string, Typed>();

  readonly #environment: Readonly<Record<string, string>>;

  private constructor(
    guide: Guide,
    ports: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ) {
    this.guide = guide;
    this.ports = ports;
    this.#environment = environment;
    writeFiles(this.#folder, guide, ports);
  }

  /** Of the guide of that name, or of several that are read one after the other. */
  static async of(
    names: string | readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Reader> {
    // Others may run on this machine, so it takes ports of its own.
    const ports = {
      '9193': String(await freePort()),
      '8000': String(await freePort()),
      '4222': String(await freePort()),
      '9190': String(await freePort()),
    };
    return new Reader(guideNamed(...(typeof names === 'string' ? [names] : names)), ports, environment);
  }

  /** The port that stands for this one of the guide. */
  port(usual: string): string {
    return this.ports[usual] ?? usual;
  }

  /**
   * Types a command that goes on until the end, and waits until it has said something like this; returns what ends it.
   */
  async start(command: string, said: RegExp): Promise<() => Promise<void>> {
    const typed = this.#type(this.#own(command));
    this.#typed.set(command, typed);
    await this.hears(command, said);
    return async () => await end(typed.child);
  }

  /** Waits until the command that was started last with this text has said something like this. */
  async hears(command: string, said: RegExp): Promise<void> {
    const { child, heard } = this.#typed.get(command) ?? assert.fail(`${command} was not started`);
    await waitUntil(`${command} says ${said}`, () => (said.test(heard()) ? true : describeEnd(child, heard())));
  }

  /** Types a command and waits for its end; what it said. */
  async run(command: string): Promise<string> {
    const { child, heard } = this.#type(this.#own(command));
    if (child.exitCode === null) await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`${command} ended with ${child.exitCode}: ${heard()}`);
    return heard();
  }

  /** The program is told which node, unless the guide does, or no node is asked. */
  #own(command: string): string {
    const [port, own] = [this.port('9193'), onPorts(command, this.ports)];
    if (command.startsWith('node scripts/operate/farm.js')) return `${own} --port ${this.port('9190')}`;
    if (command.startsWith('npm start')) return `${own}${command.includes(' -- ') ? '' : ' --'} --port ${port}`;
    const isOfNoNode = /--url|^pharos (?:stream|run)/.test(command);
    const asks = command.startsWith('pharos ') && !isOfNoNode;
    return asks ? `${own} --url http://127.0.0.1:${port}` : own;
  }

  #type(command: string): Typed {
    // A group of its own: npm starts the program as a process of another name.
    const child = spawn('sh', ['-c', command], {
      cwd: this.#folder,
      env: { ...ownEnvironment, ...this.#environment, PATH: `${this.#folder}/bin:${process.env['PATH'] ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#running.add(child);
    let said = '';
    const hear = (text: string): void => void (said += text);
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    return { child, heard: () => said };
  }

  /** Ends all that was started, and removes the clone. */
  async leave(): Promise<void> {
    for (const child of this.#running) await end(child);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, 'SIGKILL');
  await once(child, 'close');
}

function describeEnd(child: ChildProcess, said: string): undefined {
  if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${said}`);
}
