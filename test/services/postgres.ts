import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../outside/free_port.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { run, start, succeed, temporaryFolder, type Running } from './commands.ts';

const VERSIONS = '/usr/lib/postgresql';
/** Debian's psql looks for a server here; its user may write there. */
const USUAL_SOCKETS = '/var/run/postgresql';

/**
 * A PostgreSQL server of its own, in a folder that doesn't outlive the tests. It won't run as root, so there it runs as
 * its own user.
 */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  #server: Running | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** Makes a cluster and starts it. */
  static async start(): Promise<PostgresServer> {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    chmodSync(folder, 0o755);
    mkdirSync(data, { mode: 0o700 });
    if (isRoot) chownSync(data, await readId('-u'), await readId('-g'));
    const [command, ...args] = asServerUser([
      'initdb',
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '-N',
    ]);
    await succeed(command, args, { folder });
    const server = new PostgresServer(folder, await freePort());
    await server.restart();
    return server;
  }

  /** Starts it, after it was killed, too. */
  async restart(): Promise<void> {
    const data = join(this.#folder, 'data');
    const settings = [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
      '-c',
      'shared_buffers=128MB',
      '-c',
      'max_wal_size=4GB',
    ];
    const words = asServerUser([
      'postgres',
      '-D',
      data,
      '-k',
      this.#sockets.join(),
      '-p',
      String(this.#port),
      ...settings,
    ]);
    await waitUntil('PostgreSQL to accept connections', async () => {
      // What is left of one that was killed keeps its memory for a moment.
      if (this.#server?.exited() ?? true) this.#server = this.#begin(words);
      const { code } = await run(ownProgram('psql'), [...this.#flags('postgres'), '-c', 'SELECT 1'], {
        folder: this.#folder,
      });
      return code === 0 || undefined;
    });
  }

  get #sockets(): readonly string[] {
    return [join(this.#folder, 'data'), ...(isRoot && existsSync(USUAL_SOCKETS) ? [USUAL_SOCKETS] : [])];
  }

  /** By which psql and its kin find this server, where nothing else says which. */
  get environment(): Readonly<Record<string, string>> {
    const [own = '', usual] = this.#sockets;
    return { PGPORT: String(this.#port), ...(usual === undefined ? { PGHOST: own } : {}) };
  }

  /** Sets the access rules, as lines of pg_hba.conf, and settings; `files` are the server's own then. */
  async configure(
    access: string,
    settings: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const data = join(this.#folder, 'data');
    for (const [name, path] of Object.entries(files)) {
      copyFileSync(path, join(data, name));
      chmodSync(join(data, name), 0o600);
      if (isRoot) chownSync(join(data, name), await readId('-u'), await readId('-g'));
    }
    writeFileSync(join(data, 'pg_hba.conf'), `${access}\n`);
    for (const [name, value] of Object.entries(settings))
      await this.query('postgres', `ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('postgres', 'SELECT pg_reload_conf()');
  }

  /** The folder of its databases. */
  get store(): string {
    return join(this.#folder, 'data');
  }

  /** The processes of the server: those of its connections, too. */
  get pid(): number {
    return this.#server?.pid ?? assert.fail('it was not started');
  }

  /** An empty database; its address. */
  async database(name: string): Promise<string> {
    await this.query('postgres', `CREATE DATABASE ${name}`);
    return this.address(name);
  }

  /** `login` is a user, and a password behind a colon. */
  address(name: string, login = 'postgres'): string {
    return `postgres://${login}@127.0.0.1:${this.#port}/${name}`;
  }

  /** The same by the socket of the machine. */
  socketAddress(name: string, login = 'postgres'): string {
    return `postgres://${login}@/${name}?host=${join(this.#folder, 'data')}&port=${this.#port}`;
  }

  /** Rows as lines, columns parted by `|`. */
  async query(database: string, sql: string): Promise<string> {
    const args = [...this.#flags(database), '-c', sql];
    return (await succeed(ownProgram('psql'), args, { folder: this.#folder })).trimEnd();
  }

  /** The end without a chance to do anything. */
  async kill(): Promise<void> {
    this.#server?.kill();
    await this.#server?.finished;
    this.#server = undefined;
  }

  async stop(): Promise<void> {
    // To PostgreSQL that is: end now, but cleanly.
    this.#server?.interrupt();
    await this.#server?.finished;
  }

  #begin([command, ...args]: readonly [string, ...string[]]): Running {
    return start(command, args, { folder: this.#folder });
  }

  #flags(database: string): string[] {
    return [
      '-h',
      '127.0.0.1',
      '-p',
      String(this.#port),
      '-U',
      'postgres',
      '-d',
      database,
      '-X',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
    ];
  }
}

const isRoot = process.getuid?.() === 0;

/** A program of the newest version itself: Debian's command of that name is a Perl program that looks for it each time. */
function ownProgram(name: string): string {
  assert.ok(existsSync(VERSIONS), "PostgreSQL's server is missing: install Debian's package postgresql");
  const [version] = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  return join(VERSIONS, version ?? '', 'bin', name);
}

/** A program of the server, as a user that it accepts. */
function asServerUser([program = '', ...args]: readonly string[]): readonly [string, ...string[]] {
  const path = ownProgram(program);
  return isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', path, ...args]
    : [path, ...args];
}

async function readId(flag: '-u' | '-g'): Promise<number> {
  return Number(await succeed('id', [flag, 'postgres'], { folder: '/' }));
}
