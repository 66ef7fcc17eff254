import assert from 'node:assert/strict';
import { join } from 'node:path';
import { freePort } from '../outside/free_port.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, temporaryFolder, type Running } from './commands.ts';
import { makeCaller, type CallChain } from './every_kind.ts';
import type { PostgresServer } from './postgres.ts';

export const CLI = join(project, 'build', 'program', 'node', 'cli.js');

/** A development chain that makes blocks on command only, at the same port after each start. */
export class IndexedChain {
  readonly #folder = temporaryFolder();
  readonly port: number;
  readonly call: CallChain;
  readonly #settings: readonly string[];
  #node: Running | undefined;

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.#settings = settings;
    this.call = makeCaller(`http://127.0.0.1:${port}`);
  }

  /** `settings` are more of the node's. */
  static async start(settings: readonly string[] = []): Promise<IndexedChain> {
    const chain = new IndexedChain(await freePort(), settings);
    await chain.restart();
    return chain;
  }

  async restart(): Promise<void> {
    const flags = [
      '--data-dir',
      join(this.#folder, 'data'),
      '--port',
      String(this.port),
      '--no-mining',
      ...this.#settings,
    ];
    const node = start(process.execPath, [CLI, 'dev', ...flags], { folder: this.#folder });
    this.#node = node;
    await waitUntil('the node', () => node.said.stdout.includes('Ctrl-C stops') || undefined);
  }

  /** The folder of its node. */
  get store(): string {
    return join(this.#folder, 'data');
  }

  async kill(): Promise<void> {
    this.#node?.kill();
    await this.#node?.finished;
  }

  async headId(): Promise<string> {
    return String((await this.call('database_api.get_dynamic_global_properties'))['head_block_id']);
  }

  /** Starts `pharos index` into a database; `flags` say from where, if not from the node. */
  index(address: string, flags: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Running {
    const url = `ws://127.0.0.1:${this.port}`;
    return start(process.execPath, [CLI, 'index', '--postgres', address, '--url', url, ...flags], {
      folder: this.#folder,
      environment,
    });
  }

  /** Waits until a database has all that the chain has. */
  async indexed(server: PostgresServer, database: string, indexer: Running): Promise<void> {
    const head = await this.headId();
    const come = waitUntil(`block ${head} in ${database}`, async () => {
      const id = await indexedHead(server, database);
      if (indexer.exited()) assert.fail(`pharos index has ended:\n${indexer.said.stderr}`);
      // Until it has said so it doesn't stop cleanly: the program is still being loaded.
      return (id === head && `${indexer.said.stdout}${indexer.said.stderr}`.includes('indexing')) || undefined;
    });
    await come.catch(async (error: unknown) => {
      const far = await server.query(
        database,
        'SELECT head_block_number, position, last_irreversible_block_num FROM chain',
      );
      throw new Error(`it is at ${far}, and said:\n${indexer.said.stdout}${indexer.said.stderr}`, { cause: error });
    });
  }

  /** Indexes all of it into a new database; what its tables hold. */
  async freshTables(server: PostgresServer, name: string, flags: readonly string[] = []): Promise<Tables> {
    const indexer = this.index(await server.database(name), flags);
    await this.indexed(server, name, indexer);
    indexer.interrupt();
    assert.equal((await indexer.finished).code, 0, indexer.said.stderr);
    return await readTables(server, name);
  }
}

/** The id of the last block that a database has; empty while there is no index in it. */
export async function indexedHead(server: PostgresServer, database: string): Promise<string> {
  const exists = await server.query(database, "SELECT to_regclass('chain') IS NOT NULL");
  return exists === 't' ? await server.query(database, 'SELECT head_block_id FROM chain') : '';
}

/** A digest of the rows of each table. */
export type Tables = Readonly<Record<string, string>>;

/** Reads the contents of the tables; the progress does not count. */
export async function readTables(server: PostgresServer, database: string): Promise<Tables> {
  const sql = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('chain', 'schema_versions')`;
  const names = (await server.query(database, sql)).split('\n').toSorted();
  const digest = (name: string): string =>
    `SELECT '${name}', count(*) || ' rows, ' || coalesce(md5(string_agg(md5(t::text), '' ORDER BY t::text)), '') FROM ${name} t`;
  const lines = (await server.query(database, names.map(digest).join(' UNION ALL '))).split('\n');
  return Object.fromEntries(lines.map((line) => line.split('|')));
}
