import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RandomSource } from '../builders/random_source.ts';
import { guideNamed } from '../pages/guides/guide.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { run, start, succeed, temporaryFolder, type Finished, type Running } from './commands.ts';
import { CLI, IndexedChain, indexedHead, readTables } from './indexed_chain.ts';
import { PostgresServer } from './postgres.ts';
import { traffic } from './traffic.ts';

// The guide that rebuilds an index beside the running one, typed as it stands there, with readers of the old database.

const folder = temporaryFolder();
let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
  await server.query(
    'postgres',
    `CREATE ROLE "${userInfo().username}" LOGIN CREATEDB; GRANT pg_signal_backend TO "${userInfo().username}";
     CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader`,
  );
  const program = join(folder, 'pharos');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(program, 0o755);
});

after(async () => await server.stop());

/** Types lines of the guide at a chain. */
class Operator {
  readonly #chain: IndexedChain;

  constructor(chain: IndexedChain) {
    this.#chain = chain;
  }

  get #surroundings(): { readonly folder: string; readonly environment: Readonly<Record<string, string>> } {
    return { folder, environment: { ...server.environment, PATH: `${folder}:${process.env['PATH'] ?? ''}` } };
  }

  #own(line: string): string {
    return line.replaceAll('127.0.0.1:9193', `127.0.0.1:${this.#chain.port}`);
  }

  async type(line: string): Promise<string> {
    return await succeed('sh', ['-c', this.#own(line)], this.#surroundings);
  }

  /** Starts a line that goes on until Ctrl-C. */
  begin(line: string): Running {
    return start('sh', ['-c', `exec ${this.#own(line)}`], this.#surroundings);
  }
}

async function stop(index: Running): Promise<void> {
  index.interrupt();
  assert.equal((await index.finished).code, 0, index.said.stderr);
}

/** Asks the database as an application does, each time over a connection of its own. */
async function read(): Promise<Finished> {
  const question = 'SELECT count(*) FROM blocks';
  return await run('psql', [server.address('chain', 'reader'), '-X', '-A', '-t', '-c', question], { folder });
}

/** Reads until it is told to end; each failure. */
async function keepReading(state: { isOver: boolean }): Promise<string[]> {
  const failures: string[] = [];
  while (!state.isOver) {
    const { code, stderr } = await read();
    if (code !== 0) failures.push(stderr);
  }
  return failures;
}

/** The lines of the comparison, each with how many databases have it and its table. */
async function compared(operator: Operator, line: string): Promise<string[]> {
  const said = await operator.type(line);
  return said
    .trim()
    .split('\n')
    .map((each) => /^ *(\d+ \w+)\|\d+\|-?\d+$/.exec(each)?.[1] ?? each);
}

test('an index is rebuilt beside the running one, equals it, takes its name and goes on; the way back is open', async (t) => {
  const [create = '', fill = '', lag = '', compare = '', ...rest] = guideNamed('rebuild_index').commands;
  const [refuse = '', end = '', rename = '', again = '', drop = '', ...more] = rest;
  assert.deepEqual(more, []);
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const operator = new Operator(chain);
  const randomSource = new RandomSource(56);
  for (let round = 0; round < 20; round++) await traffic(chain.call, randomSource);

  await operator.type('createdb chain');
  const old = operator.begin(again);
  await chain.indexed(server, 'chain', old);

  // Readers notice nothing while the new database fills and the chain goes on.
  const state = { isOver: false };
  const reading = keepReading(state);
  await operator.type(create);
  const filling = operator.begin(fill);
  for (let round = 0; round < 5; round++) await traffic(chain.call, randomSource);
  await chain.call('debug_api.produce_blocks', { count: 60 });
  await chain.indexed(server, 'chain', old);
  await chain.indexed(server, 'chain_new', filling);
  assert.match(await operator.type(lag), /blocks_behind[^]*\n *\d+ \|[^|]+\| *\d+ \| *0 \|/);
  assert.deepEqual(await readTables(server, 'chain_new'), await readTables(server, 'chain'));
  state.isOver = true;
  assert.deepEqual(await reading, []);

  // The comparison of the guide sees what it is for.
  const tables = ['transactions', 'operations', 'transfers', 'account_history', 'documents'];
  assert.deepEqual(
    await compared(operator, compare),
    tables.map((table) => `2 ${table}`),
  );
  await server.query(
    'chain',
    'UPDATE transfers SET amount = amount + 1 WHERE block_number = (SELECT min(block_number) FROM transfers)',
  );
  assert.deepEqual(await compared(operator, compare), [
    '2 transactions',
    '2 operations',
    '1 transfers',
    '1 transfers',
    '2 account_history',
    '2 documents',
  ]);

  const session = start('psql', [server.address('chain', 'reader'), '-X', '-c', 'SELECT pg_sleep(600)'], { folder });
  await waitUntil(
    'a session of a reader',
    async () =>
      (await server.query('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")) ===
        '1' || undefined,
  );
  await Promise.all([stop(old), stop(filling)]);
  for (const line of [refuse, end, rename]) await operator.type(line);
  assert.match((await session.finished).stderr, /terminating connection due to administrator command/);
  const { code, stdout, stderr } = await read();
  assert.equal(code, 0, stderr);
  const head = Number(stdout);
  assert.ok(head > 60);

  // It goes on behind the block at which the second index has stopped.
  const next = operator.begin(again);
  for (let round = 0; round < 5; round++) await traffic(chain.call, randomSource);
  await chain.indexed(server, 'chain', next);
  assert.deepEqual(await readTables(server, 'chain'), await chain.freshTables(server, 'fresh'));

  // The way back, with the names exchanged, and there again.
  await stop(next);
  const back = [refuse, end, rename].map((line) =>
    line.replace(
      /'ALTER DATABASE chain RENAME TO chain_old' -c 'ALTER DATABASE chain_new RENAME TO chain'/,
      `'ALTER DATABASE chain RENAME TO chain_new' -c 'ALTER DATABASE chain_old RENAME TO chain'`,
    ),
  );
  for (const line of [...back, `psql postgres -c 'ALTER DATABASE chain ALLOW_CONNECTIONS true'`])
    await operator.type(line);
  const former = operator.begin(again);
  await chain.indexed(server, 'chain', former);
  assert.equal(await indexedHead(server, 'chain'), await chain.headId());
  await stop(former);
  for (const line of [`psql postgres -c 'ALTER DATABASE chain_new ALLOW_CONNECTIONS true'`, refuse, end, rename])
    await operator.type(line);
  await operator.type(drop);
  assert.equal((await read()).code, 0);
  assert.equal(await server.query('postgres', "SELECT count(*) FROM pg_database WHERE datname = 'chain_old'"), '0');
});
