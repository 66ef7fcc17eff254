import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A node opens in a second; on a busy machine, with a large chain, in some. */
const START_MS = 60_000;
const LOOK_MS = 200;
const LAST_LINES = 3;

/**
 * The processes of a farm. Each writes into a file of its own, and none outlives farm.js: that is what farm_guard.js is
 * for.
 */
export class Processes {
  /** @readonly */
  #folder;
  /** @readonly */
  #running = new Set();
  #guard;
  /** @readonly */
  #guardGone;
  #isStopping = false;

  /** `guardGone` runs when nothing would end the others any more. */
  constructor(folder, guardGone) {
    this.#folder = folder;
    this.#guardGone = guardGone;
  }

  /** Starts one; `ended` hears of an end that nobody asked for. Throws once all are being stopped. */
  begin(name, command, args, ended) {
    this.#requireGoing();
    this.#guard ??= this.#startGuard();
    const log = openSync(this.#log(name), 'a');
    const child = spawn(command, args, { cwd: this.#folder, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#running.add(child);
    if (child.pid !== undefined) this.#guard.stdin.write(`+${child.pid}\n`);
    child.once('error', (error) => console.error(`farm: ${name}: ${error.message}`));
    child.once('close', (code, signal) => {
      this.#running.delete(child);
      if (child.pid !== undefined) this.#guard.stdin.write(`-${child.pid}\n`);
      if (!this.#isStopping) ended(signal ?? `code ${code}`);
    });
    return child;
  }

  #startGuard() {
    // In a group of its own: Ctrl-C of a terminal is not for it.
    const file = fileURLToPath(new URL('farm_guard.js', import.meta.url));
    const guard = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
    // Its end says what there is to say.
    guard.stdin.on('error', () => undefined);
    guard.once('error', () => undefined);
    guard.once('close', () => this.#isStopping || this.#guardGone());
    return guard;
  }

  #requireGoing() {
    if (this.#isStopping) throw new Error('the farm is being stopped');
  }

  #log(name) {
    return join(this.#folder, `${name}.log`);
  }

  /** Returns the last words of a process, from the line in which it said why it ended. */
  lastWords(name) {
    const lines = readFileSync(this.#log(name), 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
    return `${this.#log(name)} says\n  ${lines.join('\n  ')}`;
  }

  /** Waits until GET /readyz of that port says so. Throws when it has ended, and once all are being stopped. */
  async untilReady(name, port, child) {
    const endMs = Date.now() + START_MS;
    while (!(await isReady(port))) {
      this.#requireGoing();
      const isGone = child.exitCode !== null || child.signalCode !== null;
      if (isGone || Date.now() > endMs) throw new Error(`${name} does not start: ${this.lastWords(name)}`);
      await sleep(LOOK_MS);
    }
  }

  /** Sends a signal to all of them, and waits for their ends. */
  async stop(signal) {
    this.#isStopping = true;
    const ends = [...this.#running].map((child) => new Promise((done) => child.once('close', done)));
    for (const child of this.#running) child.kill(signal);
    await Promise.all(ends);
    this.#guard?.stdin.end();
  }
}

function isReady(port) {
  return new Promise((done) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    }).once('error', () => done(false));
  });
}
