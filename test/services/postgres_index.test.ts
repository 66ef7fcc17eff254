import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RandomSource } from '../builders/random_source.ts';
import { freePort } from '../outside/free_port.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { isLong, project, type Running } from './commands.ts';
import { HOSTILE, liveThroughAll } from './every_kind.ts';
import { HeldOverTime } from './held_over_time.ts';
import { IndexedChain, readTables } from './indexed_chain.ts';
import { moneyTraffic } from './money_traffic.ts';
import { PostgresServer } from './postgres.ts';
import { withFee } from './traffic.ts';

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
});

after(async () => await server.stop());

test('all kinds of operations are indexed as they happen: what accounts have is what the node says, and a fresh index says the same', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const indexer = chain.index(await server.database('every_kind'));
  t.after(() => indexer.kill());
  await liveThroughAll(chain.call);
  await chain.indexed(server, 'every_kind', indexer);
  const held = new HeldOverTime(chain.call);
  await held.note();
  await held.compare(server, 'every_kind');
  const supply = 'SELECT count(*) FROM statement WHERE balance < 0 OR vesting_shares < 0';
  assert.equal(await server.query('every_kind', supply), '0');
  assert.equal(
    await server.query('every_kind', `SELECT count(*) FROM transfers WHERE memo = '${HOSTILE.replaceAll("'", "''")}'`),
    '1',
  );
  assert.equal(
    await server.query('every_kind', 'SELECT coin_balance FROM escrow_changes WHERE NOT is_open ORDER BY block_number'),
    '0.000000',
  );
  assert.equal(await server.query('every_kind', 'SELECT sum(missed_slots) > 0 FROM blocks'), 't');
  for (const query of readQueries('src/pages/guides/sql.md'))
    assert.notEqual(await server.query('every_kind', query), '', `${query} finds nothing`);
  assert.equal(await server.query('every_kind', UNEXPLAINED), '', 'every table, view and column says what it is');
  indexer.interrupt();
  assert.equal((await indexer.finished).code, 0);
  assert.deepEqual(await readTables(server, 'every_kind'), await chain.freshTables(server, 'every_kind_again'));
});

/** The queries of a document. */
function readQueries(path: string): string[] {
  return [...readFileSync(join(project, path), 'utf8').matchAll(/^```sql\n([^]*?)^```$/gm)].map(
    ([, query = '']) => query,
  );
}

/** Tables, views and their columns without a comment. */
const UNEXPLAINED = `SELECT c.relname, a.attname FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')
    AND (obj_description(c.oid) IS NULL OR (a.attnum IS NOT NULL AND col_description(c.oid, a.attnum) IS NULL))`;

test('Ctrl-C ends an indexer whose server or node is away, or that has just begun', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const address = await server.database('interrupted');
  const ended = async (indexer: Running): Promise<void> => {
    indexer.interrupt();
    const { code, stderr } = await within('its end', indexer.finished);
    assert.equal(code, 0, stderr);
  };
  const told = async (indexer: Running, what: RegExp): Promise<void> =>
    void (await waitUntil(`the indexer says ${what}`, () => what.test(indexer.said.stderr) || undefined));
  const indexer = chain.index(address);
  t.after(() => indexer.kill());
  await chain.indexed(server, 'interrupted', indexer);
  await server.kill();
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await told(indexer, /the index is interrupted; trying again/);
  await ended(indexer);
  await server.restart();
  const other = chain.index(address);
  t.after(() => other.kill());
  await chain.indexed(server, 'interrupted', other);
  await chain.kill();
  await ended(other);
  await chain.restart();
  const third = chain.index(address);
  t.after(() => third.kill());
  await chain.indexed(server, 'interrupted', third);
  await chain.kill();
  await chain.restart();
  // It may be about to look whether the node is back: what it opens then must not hold the process up.
  third.interrupt();
  assert.equal((await within('its end', third.finished)).code, 0, third.said.stderr);
});

test('what PostgreSQL cannot hold in a text or a jsonb does not stop it', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const texts = [
    '"\\u0000"',
    '"\\\\u0000"',
    '"\\ud800"',
    '1e99999',
    '['.repeat(900) + ']'.repeat(900),
    '{"a\\tb":"\\\\N"}',
    '"a\\u0000b\\\\"',
  ];
  const op_vec = texts.map((json) => [
    'custom_json',
    { fee: '1.000000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json },
  ]);
  const memos = [
    'a\u0000b',
    'a\ufffdb',
    'a\ufffd00b',
    '\u0000',
    '\ufffd\ufffd\u0000\ufffd',
    '00',
    '\\N',
    'a\tb\nc\\',
    '\\u0000',
    '"\r',
    '\u{1f600}',
  ];
  for (const op of op_vec) await chain.call('debug_api.send_unsigned', { op_vec: [await withFee(chain.call, op)] });
  for (const memo of memos) {
    const op = ['transfer', { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo }];
    await chain.call('debug_api.send_unsigned', { op_vec: [await withFee(chain.call, op)] });
  }
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const indexer = chain.index(await server.database('texts'));
  t.after(() => indexer.kill());
  await chain.indexed(server, 'texts', indexer);
  const columnBytes = async (column: string, table: string): Promise<unknown> =>
    JSON.parse(
      await server.query(
        'texts',
        `SELECT json_agg(encode(text_bytes(${column}), 'hex') ORDER BY op_in_block) FROM ${table}`,
      ),
    );
  const toHex = (text: string): string => Buffer.from(text).toString('hex');
  assert.deepEqual(await columnBytes('memo', 'transfers'), memos.map(toHex));
  assert.deepEqual(await columnBytes('data', 'documents'), texts.map(toHex));
  assert.equal(await server.query('texts', 'SELECT count(DISTINCT memo) FROM transfers'), String(memos.length));
  assert.equal(await server.query('texts', 'SELECT count(*), count(json) FROM documents'), `${texts.length}|4`);
  const parsed =
    "SELECT json_agg(encode(text_bytes(json #>> '{}'), 'hex') ORDER BY op_in_block) FROM documents WHERE jsonb_typeof(json) = 'string'";
  assert.deepEqual(JSON.parse(await server.query('texts', parsed)), ['\u0000', '\\u0000', 'a\u0000b\\'].map(toHex));
  assert.equal(
    await server.query(
      'texts',
      "SELECT count(*) FROM transfers JOIN operations USING (block_number, op_in_block) WHERE body->>'memo' = memo",
    ),
    String(memos.length),
  );
});

const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? (isLong ? 20 : 2));
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);
const STEPS = 50;

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`indexer, node and server are killed at any moment, and the chain forks: the tables are those of a fresh index, and what accounts had is what the node said then (seed ${seed})`, async (t) =>
    await liveThroughKills(t, seed));
}

async function liveThroughKills(t: TestContext, seed: number): Promise<void> {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 6 });
  const name = `kills_${seed}`;
  let indexer = chain.index(await server.database(name));
  t.after(() => indexer.kill());
  const [randomSource, held] = [new RandomSource(seed), new HeldOverTime(chain.call)];
  for (let step = 0; step < STEPS; step++) {
    const cast = randomSource.roll(100);
    if (cast < 60) await moneyTraffic(chain.call, randomSource);
    else if (cast < 78)
      await chain.call('debug_api.fork', {
        blocks: 1 + randomSource.roll(4),
        keep_transactions: randomSource.chance(50),
      });
    else if (cast < 88) {
      // Ctrl-C ends it at any moment, too, whatever it waits for.
      if (randomSource.chance(50)) indexer.interrupt();
      else indexer.kill();
      await within('the end of the indexer', indexer.finished);
      indexer = chain.index(server.address(name));
    } else if (cast < 94) {
      await chain.kill();
      await chain.restart();
    } else {
      await server.kill();
      await server.restart();
    }
    await held.note();
    await pause(randomSource.roll(30));
  }
  await chain.indexed(server, name, indexer);
  await held.compare(server, name);
  indexer.interrupt();
  assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
  assert.deepEqual(await readTables(server, name), await chain.freshTables(server, `${name}_fresh`));
}

test('a row that PostgreSQL refuses is named with block and operation in the log, in health and as a metric, and indexed once it is taken', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const address = await server.database('refused_row');
  const port = await freePort();
  let indexer = chain.index(address, ['--metrics-endpoint', `127.0.0.1:${port}`]);
  t.after(() => indexer.kill());
  await chain.indexed(server, 'refused_row', indexer);
  const health = async (): Promise<{ readonly status: number; readonly text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`);
    return { status: answer.status, text: await answer.text() };
  };
  assert.equal((await health()).status, 200);
  await server.query('refused_row', "ALTER TABLE transfers ADD CONSTRAINT polite CHECK (memo <> 'rude')");
  const op = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'rude' }];
  await chain.call('debug_api.send_unsigned', { op_vec: [await withFee(chain.call, op)] });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const named = /block 3, op_in_block \d+, transfers: PostgreSQL refuses rows of transfers: .*polite/;
  const { status, text } = await waitUntil('what it says of the row', async () => {
    const found = await health();
    return named.test(found.text) ? found : undefined;
  });
  assert.deepEqual([status, /"unreadable_records":1/.test(text)], [503, true]);
  assert.match(indexer.said.stderr, named);
  assert.match(indexer.said.stderr, /"block":3,"op_in_block":\d+,"member":"transfers"/);
  assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^pharos_index_unreadable_total 1$/m);
  await server.query('refused_row', 'ALTER TABLE transfers DROP CONSTRAINT polite');
  indexer.interrupt();
  assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
  indexer = chain.index(address);
  await chain.indexed(server, 'refused_row', indexer);
});

test('an index that is started before node and PostgreSQL, and one whose database is read-only, wait and then go on', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const address = await server.database('early');
  await chain.kill();
  await server.kill();
  const indexer = chain.index(address);
  t.after(() => indexer.kill());
  const told = async (what: RegExp): Promise<void> =>
    void (await waitUntil(
      `the indexer says ${what}`,
      () => what.test(indexer.said.stderr) || (indexer.exited() && assert.fail(indexer.said.stderr)) || undefined,
    ));
  await told(/cannot connect to PostgreSQL.*trying again/);
  await server.restart();
  await told(/cannot reach the node.*trying again/);
  await server.query('postgres', 'ALTER DATABASE early SET default_transaction_read_only = on');
  await told(/25006|read-only/);
  await server.query('postgres', 'ALTER DATABASE early RESET default_transaction_read_only');
  await chain.restart();
  await chain.indexed(server, 'early', indexer);
  indexer.interrupt();
  assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
});

test('an index whose node or database goes away while no block comes says so in its health, and that it is there again', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const metrics = await freePort();
  const indexer = chain.index(await server.database('quiet'), ['--metrics-endpoint', `127.0.0.1:${metrics}`]);
  t.after(() => indexer.kill());
  await chain.indexed(server, 'quiet', indexer);
  const healthIs = async (status: number, what: RegExp): Promise<void> => {
    await waitUntil(`health ${status} with ${what}`, async () => {
      const answer = await fetch(`http://127.0.0.1:${metrics}/health`);
      const text = await answer.text();
      return (answer.status === status && what.test(text)) || undefined;
    });
  };
  await healthIs(200, /"ready"/);
  await chain.kill();
  await healthIs(503, /the connection with the node is lost/);
  await chain.restart();
  await healthIs(200, /"ready"/);
  await server.kill();
  await healthIs(503, /PostgreSQL/);
  await server.restart();
  await healthIs(200, /"ready"/);
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await chain.indexed(server, 'quiet', indexer);
});

test('a database of another chain, a second indexer, a later schema and an address that is none are each refused with a sentence', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  await chain.call('debug_api.produce_blocks', { count: 2 });
  const refusal = async (address: string): Promise<string> => {
    const indexer = chain.index(address);
    const { code, stderr } = await indexer.finished;
    assert.equal(code === 0, false);
    return stderr;
  };
  assert.match(await refusal('mysql://nowhere'), /postgres:\/\/user@host\/database/);
  assert.match(await refusal(server.address('missing')), /"missing" does not exist/);
  const address = await server.database('refusals');
  const indexer = chain.index(address);
  t.after(() => indexer.kill());
  await chain.indexed(server, 'refusals', indexer);
  assert.match(await refusal(address), /another pharos index/);
  indexer.interrupt();
  await indexer.finished;
  await server.query('refusals', "UPDATE chain SET chain_id = 'other'");
  assert.match(await refusal(address), /has chain other.*a database of its own/);
  await server.query('refusals', "INSERT INTO schema_versions VALUES (99, 'later')");
  assert.match(await refusal(address), /schema version 99.*newer pharos/);
});

test('a role that may only read, and a node that does not have the first blocks any more, are refused with a sentence', async (t) => {
  const chain = await IndexedChain.start(['--blocks-kept', '1']);
  t.after(() => chain.kill());
  for (let round = 0; round < 4; round++) await chain.call('debug_api.produce_blocks', { count: 50 });
  const address = await server.database('late');
  await server.query('late', 'CREATE ROLE reader LOGIN');
  const refusal = async (at: string): Promise<string> => {
    const indexer = chain.index(at);
    t.after(() => indexer.kill());
    const { code, stderr } = await indexer.finished;
    assert.notEqual(code, 0);
    return stderr;
  };
  assert.match(await refusal(address.replace('postgres@', 'reader@')), /permission denied.*the role has to own/);
  assert.match(await refusal(address), /block 1 lies below block \d+, the oldest that this node keeps/);
});
