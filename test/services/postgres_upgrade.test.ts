import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../src/sinks/postgres/database.ts';
import { migrations } from '../../src/sinks/postgres/schema/index.ts';
import { RandomSource } from '../builders/random_source.ts';
import type { CallChain } from './every_kind.ts';
import { IndexedChain, readTables } from './indexed_chain.ts';
import { PostgresServer } from './postgres.ts';
import { traffic } from './traffic.ts';

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
});

after(async () => await server.stop());

/** A database as the first version of the schema made it, with what another one has. */
async function firstVersion(name: string, from: string): Promise<void> {
  const [source, old] = [
    await Database.connect(server.address(from)),
    await Database.connect(await server.database(name)),
  ];
  const [first] = migrations;
  await old.query(
    'CREATE TABLE schema_versions (version integer PRIMARY KEY, about text NOT NULL, applied timestamptz NOT NULL DEFAULT now())',
  );
  await old.query(first?.sql ?? assert.fail('a first version'));
  const tables = await old.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  await old.query("INSERT INTO schema_versions VALUES (1, 'tables and views')");
  for (const { name: table } of tables.filter(({ name: each }) => each !== 'schema_versions')) {
    const [rows] = await source.query<{ json: string }>(
      `SELECT coalesce(json_agg(t), '[]')::text AS json FROM ${table} t`,
    );
    await old.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [rows?.json]);
  }
  await Promise.all([source.close(), old.close()]);
}

async function createAccount(call: CallChain): Promise<void> {
  const found = JSON.stringify(await call('alexandria_api.get_account', { account_name: 'alice' }));
  const key = /"memo_key":"(\w+)"/.exec(found)?.[1] ?? assert.fail(found);
  const by = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  const body = {
    creator: 'alice',
    name_seed: 'new',
    owner: by,
    active: by,
    memo_key: key,
    json_metadata: '',
    fee: '3.000000 COIN',
  };
  await call('debug_api.send_unsigned', { op_vec: [['account_create', body]] });
  await call('debug_api.produce_blocks', { count: 1 });
}

/** Both columns of a schema and what they are said to mean. */
const SCHEMA = `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(c.oid, a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_versions' ORDER BY 1, 2`;

test('a database of the first version becomes what a fresh index is, however often that is killed', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const randomSource = new RandomSource(28);
  for (let round = 0; round < 10; round++) await traffic(chain.call, randomSource);
  await chain.freshTables(server, 'half');
  await firstVersion('first', 'half');
  for (let round = 0; round < 5; round++) await traffic(chain.call, randomSource);
  // At whatever moment of the steps, and of its start, it is killed.
  for (let afterMs = 100; afterMs <= 1000; afterMs += 150) {
    const killed = chain.index(server.address('first'));
    await pause(afterMs);
    killed.kill();
    await killed.finished;
  }
  const indexer = chain.index(server.address('first'));
  t.after(() => indexer.kill());
  await chain.indexed(server, 'first', indexer);
  indexer.interrupt();
  assert.equal((await indexer.finished).code, 0, indexer.said.stderr);
  assert.deepEqual(await readTables(server, 'first'), await chain.freshTables(server, 'fresh'));
  assert.equal(await server.query('first', SCHEMA), await server.query('fresh', SCHEMA));
  assert.equal(
    await server.query('first', 'SELECT max(version) FROM schema_versions'),
    String(migrations.at(-1)?.version),
  );
});

test('balances that an earlier version could not know are no longer called exact, and those of a fresh index are', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const randomSource = new RandomSource(29);
  for (let round = 0; round < 3; round++) await traffic(chain.call, randomSource);
  await createAccount(chain.call);
  await chain.freshTables(server, 'with_account');
  await firstVersion('first_with_account', 'with_account');
  const indexer = chain.index(server.address('first_with_account'));
  t.after(() => indexer.kill());
  await traffic(chain.call, randomSource);
  await chain.indexed(server, 'first_with_account', indexer);
  const doubtful = 'SELECT count(*) FROM accounts WHERE NOT is_exact';
  assert.equal(await server.query('first_with_account', doubtful), '2');
  assert.equal(
    await server.query(
      'first_with_account',
      "SELECT DISTINCT is_exact FROM statement WHERE account = 'alice' ORDER BY 1",
    ),
    'f\nt',
  );
  assert.equal(await server.query('with_account', doubtful), '0');
  assert.equal(await server.query('with_account', "SELECT balance > 0 FROM accounts WHERE creator = 'alice'"), 't');
});

test('a text that an earlier version may have changed is read as it was stored, and the database says from which block on texts are exact', async (t) => {
  const chain = await IndexedChain.start();
  t.after(() => chain.kill());
  const pay = async (memo: string): Promise<void> => {
    const transfer = { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo, fee: '0.010000 COIN' };
    await chain.call('debug_api.send_unsigned', { op_vec: [['transfer', transfer]] });
    await chain.call('debug_api.produce_blocks', { count: 1 });
  };
  await pay('stood for it');
  await chain.freshTables(server, 'with_memo');
  await firstVersion('first_with_memo', 'with_memo');
  // As version 1 stored either of a NUL b and a U+FFFD b.
  const old = await Database.connect(server.address('first_with_memo'));
  await old.query("UPDATE transfers SET memo = 'a' || chr(65533) || 'b'");
  await old.query(
    "UPDATE operations SET body = body || jsonb_build_object('memo', 'a' || chr(65533) || 'b') WHERE kind = 'transfer'",
  );
  const [head] = await old.query<{ head: number }>('SELECT head_block_number AS head FROM chain');
  await old.close();
  const indexer = chain.index(server.address('first_with_memo'));
  t.after(() => indexer.kill());
  await pay('a\0b');
  await pay('a\ufffdb');
  await chain.indexed(server, 'first_with_memo', indexer);
  const toHex = (text: string): string => Buffer.from(text).toString('hex');
  for (const column of ['memo', "body->>'memo'"]) {
    const sql = `SELECT encode(text_bytes(${column}), 'hex') FROM transfers JOIN operations USING (block_number, op_in_block) ORDER BY block_number`;
    assert.equal(await server.query('first_with_memo', sql), ['a\ufffdb', 'a\0b', 'a\ufffdb'].map(toHex).join('\n'));
  }
  assert.equal(
    await server.query('first_with_memo', 'SELECT texts_exact_from FROM chain'),
    String(Number(head?.head) + 1),
  );
  assert.equal(await server.query('with_memo', 'SELECT texts_exact_from FROM chain'), '1');
});
