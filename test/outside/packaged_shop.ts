// The same shop as a stranger writes it who knows the page of pharos-client alone, in an empty folder where that
// package is installed.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownEnvironment } from '../builders/own_environment.ts';
import type { Books } from './shop.ts';

const PROGRAM = `
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect, NodeSilent } from 'pharos-client';

const [url, account, level, file] = process.argv.slice(2);
let books = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { payments: [] };

function keep(next) {
  writeFileSync(file + '.new', JSON.stringify(next));
  renameSync(file + '.new', file);
  books = next;
}

async function connected() {
  try {
    return await connect(url);
  } catch (error) {
    if (!(error instanceof NodeSilent)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return await connected();
  }
}

const node = await connected();
const from = books.position === undefined ? { startBlock: 1 } : { resume: books.position };
await node.followTransfers(account, { ...from, level }, {
  transfer({ to, block, memo }, position) {
    keep({ position, payments: to === account ? [...books.payments, { block, memo }] : books.payments });
  },
  undone({ number }, position) {
    keep({ position, payments: books.payments.filter(({ block }) => block <= number) });
  },
});
`;

/** Watches what is paid to an account, in a process of its own whose books lie in a file. */
export class PackagedShop {
  readonly name: string;
  readonly #file: string;
  readonly #args: readonly string[];
  readonly #folder: string;
  #process: ChildProcess | undefined;
  /** The error with which it has ended by itself. */
  failure: string | undefined;

  /** `folder` is a project with the package. */
  constructor(folder: string, { url, account, level, name }: Record<'url' | 'account' | 'level' | 'name', string>) {
    this.name = `with the package, ${name}`;
    this.#folder = folder;
    this.#file = join(folder, `${name}.json`);
    this.#args = [url, account, level, this.#file];
    writeFileSync(join(folder, 'shop.js'), PROGRAM);
    this.#start();
  }

  get books(): Books {
    const books: Books = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : { payments: [] };
    return books;
  }

  /** The program is killed in the middle of whatever it was doing. */
  crash(): void {
    const ended = this.#process;
    this.#process = undefined;
    ended?.kill('SIGKILL');
  }

  /** It is started again, with the books that it has kept. */
  again(): void {
    this.crash();
    this.#start();
  }

  #start(): void {
    const started = spawn(process.execPath, ['shop.js', ...this.#args], {
      cwd: this.#folder,
      env: ownEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = started;
    let said = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    started.once('close', () => {
      if (this.#process === started) this.failure = said;
    });
  }
}
