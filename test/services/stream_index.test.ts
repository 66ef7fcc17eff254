import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { RandomSource } from '../builders/random_source.ts';
import { freePort } from '../outside/free_port.ts';
import { at, type Json } from '../outside/json.ts';
import { isLong, project, temporaryFolder, type Running } from './commands.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { liveThroughAll } from './every_kind.ts';
import { IndexedChain, readTables } from './indexed_chain.ts';
import { NatsServer, streamExists } from './nats_server.ts';
import { moneyTraffic } from './money_traffic.ts';
import { OlderCopy } from './older_copy.ts';
import { PostgresServer } from './postgres.ts';

let postgres: PostgresServer;

before(async () => {
  postgres = await PostgresServer.start();
});

after(async () => await postgres.stop());

/** A chain whose node writes a stream, and both ways to index it. */
async function chainWithStream(
  t: TestContext,
  settings: readonly string[],
): Promise<{ nats: NatsServer; chain: IndexedChain; from: string[] }> {
  const nats = await NatsServer.start(`${temporaryFolder()}/nats`);
  t.after(() => nats.stop());
  const chain = await IndexedChain.start(['--sink-nats', `nats://127.0.0.1:${nats.port}`, ...settings]);
  t.after(() => chain.kill());
  await streamExists(nats);
  return { nats, chain, from: ['--from', nats.url] };
}

test('all kinds of operations give the same tables by a stream as from the node, in either form, and one goes on where the other has stopped', async (t) => {
  for (const format of isLong ? ['avro', 'json'] : ['avro']) {
    const { chain, from } = await chainWithStream(t, ['--sink-nats-format', format]);
    const name = `every_kind_${format}`;
    let indexer = chain.index(await postgres.database(name), from);
    t.after(() => indexer.kill());
    await liveThroughAll(chain.call);
    await chain.indexed(postgres, name, indexer);
    const tables = await chain.freshTables(postgres, `${name}_of_node`);
    assert.deepEqual(await readTables(postgres, name), tables);
    const both = [[], from];
    for (const flags of both) {
      indexer.interrupt();
      assert.equal((await indexer.finished).code, 0, indexer.said.stderr);
      await chain.call('debug_api.fork', { blocks: 3, keep_transactions: true });
      await chain.call('debug_api.produce_blocks', { count: 2 });
      indexer = chain.index(postgres.address(name), flags);
      await chain.indexed(postgres, name, indexer);
    }
    assert.deepEqual(await readTables(postgres, name), await chain.freshTables(postgres, `${name}_again`, from));
    indexer.kill();
    await chain.kill();
  }
});

async function sendAlone(call: IndexedChain['call'], kind: string, members: object): Promise<void> {
  const { fee } = await call('alexandria_api.calculate_fee', { op: [kind, members], symbol: 'COIN' });
  await call('debug_api.send_unsigned', { op_vec: [[kind, { ...members, fee }]] });
}

/** The only witness wants blocks of a MiB, from the next round on. */
async function takeLargeBlocks(call: IndexedChain['call']): Promise<void> {
  await call('debug_api.produce_blocks', { count: 2 });
  await sendAlone(call, 'transfer_to_vesting', { from: 'alice', to: 'initminer', amount: '300000.000000 COIN' });
  const found = JSON.stringify(await call('alexandria_api.get_account', { account_name: 'initminer' }));
  const key = /"memo_key":"(\w+)"/.exec(found)?.[1] ?? assert.fail(found);
  const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 1_048_576, price_feeds: [] };
  await sendAlone(call, 'witness_update', {
    owner: 'initminer',
    url: 'https://initminer.example',
    block_signing_key: key,
    props,
  });
  await call('debug_api.produce_blocks', { count: 104 });
}

test('a block of many parts is one block', async (t) => {
  const { chain, from } = await chainWithStream(t, []);
  await takeLargeBlocks(chain.call);
  // 700 KB, of which a message takes 512 KiB at most.
  const json = JSON.stringify('é'.repeat(3500));
  for (let n = 0; n < 100; n++) {
    await sendAlone(chain.call, 'custom_json', { sender: 'alice', recipients: ['bob'], app_id: n, json });
  }
  await chain.call('debug_api.produce_blocks', { count: 1 });
  const tables = await chain.freshTables(postgres, 'parts', from);
  assert.match(tables['documents'] ?? '', /^100 rows/);
  assert.deepEqual(tables, await chain.freshTables(postgres, 'parts_of_node'));
});

const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? (isLong ? 20 : 1));
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);
const STEPS = 30;

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`indexers, node and both servers are killed at any moment, and the chain forks: the stream gives the node's tables (seed ${seed})`, async (t) =>
    await liveThroughKills(t, seed));
}

async function liveThroughKills(t: TestContext, seed: number): Promise<void> {
  const randomSource = new RandomSource(seed);
  const { nats, chain, from } = await chainWithStream(t, ['--sink-nats-format', randomSource.pick(['avro', 'json'])]);
  await chain.call('debug_api.produce_blocks', { count: 6 });
  const names = [`stream_${seed}`, `node_${seed}`];
  const indexFlags = (k: number): readonly string[] => (k === 0 ? from : []);
  const indexers: Running[] = [];
  t.after(() => indexers.forEach((indexer) => indexer.kill()));
  for (const [k, name] of names.entries()) indexers.push(chain.index(await postgres.database(name), indexFlags(k)));
  const again = async (k: number): Promise<void> => {
    // Ctrl-C ends it at any moment, too, whatever it waits for.
    const indexer = indexers[k] ?? assert.fail('an indexer');
    if (randomSource.chance(50)) indexer.interrupt();
    else indexer.kill();
    await within('the end of the indexer', indexer.finished);
    indexers[k] = chain.index(postgres.address(names[k] ?? ''), indexFlags(k));
  };
  for (let step = 0; step < STEPS; step++) {
    const cast = randomSource.roll(100);
    if (cast < 55) await moneyTraffic(chain.call, randomSource);
    else if (cast < 75)
      await chain.call('debug_api.fork', {
        blocks: 1 + randomSource.roll(4),
        keep_transactions: randomSource.chance(50),
      });
    else if (cast < 85) await again(randomSource.roll(2));
    else if (cast < 90) {
      await chain.kill();
      await chain.restart();
    } else if (cast < 95) {
      await nats.kill();
      await nats.begin();
    } else {
      await postgres.kill();
      await postgres.restart();
    }
    await pause(randomSource.roll(60));
  }
  const tables = [];
  for (const [k, name] of names.entries()) {
    const indexer = indexers[k] ?? assert.fail('an indexer');
    await chain.indexed(postgres, name, indexer);
    indexer.interrupt();
    assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
    tables.push(await readTables(postgres, name));
  }
  assert.deepEqual(tables[0], tables[1]);
  assert.deepEqual(tables[0], await chain.freshTables(postgres, `fresh_${seed}`, from));
}

/** As limits of a stream do: what is before that message is no more. */
async function forgetStart({ url }: NatsServer, stream: string, seq: number): Promise<void> {
  const connection = await connect({ servers: url });
  await (await jetstreamManager(connection)).streams.purge(stream, { seq });
  await connection.close();
}

test('indexes of stream and node follow a development chain behind its irreversible block, however deep', async (t) => {
  const { chain, from } = await chainWithStream(t, []);
  await chain.call('debug_api.produce_blocks', { count: 9 });
  const { id } = await chain.call('debug_api.snapshot');
  for (let round = 0; round < 4; round++) await chain.call('debug_api.produce_blocks', { count: 50 });
  const names = ['deep_stream', 'deep_node'];
  const indexers: Running[] = [];
  for (const [k, name] of names.entries())
    indexers.push(chain.index(await postgres.database(name), k === 0 ? from : []));
  t.after(() => indexers.forEach((indexer) => indexer.kill()));
  const awaitIndexes = async (): Promise<void> => {
    for (const [k, name] of names.entries())
      await chain.indexed(postgres, name, indexers[k] ?? assert.fail('an indexer'));
  };
  await awaitIndexes();
  for (const name of names)
    assert.match(await postgres.query(name, 'SELECT last_irreversible_block_num FROM chain'), /^1\d\d$/);
  // A chain that is shorter then, and may stay so.
  await chain.call('debug_api.revert', { id });
  await awaitIndexes();
  for (const name of names)
    assert.equal(
      await postgres.query(
        name,
        'SELECT max(number), (SELECT last_irreversible_block_num <= 9 FROM chain) FROM blocks',
      ),
      '9|t',
    );
  await chain.call('debug_api.produce_blocks', { count: 3 });
  await awaitIndexes();
});

test('an index keeps the blocks above a stream that was set back together with its node, until a block comes that it has not read', async (t) => {
  const guide = readFileSync(join(project, 'src/pages/guides/sql.md'), 'utf8').replaceAll('\n', ' ');
  assert.ok(
    guide.includes(
      'An index with `--from` keeps those blocks, with a lag of 0, until a block comes that it has not read.',
    ),
  );
  assert.ok(guide.includes('An index of the node takes them back at once.'));
  const { nats, chain, from } = await chainWithStream(t, []);
  const copies = [
    new OlderCopy({ store: chain.store, stop: () => chain.kill(), start: () => Promise.resolve() }),
    new OlderCopy({ store: nats.store, stop: () => nats.kill(), start: () => nats.begin() }),
  ];
  t.after(() => copies.forEach((copy) => copy.remove()));
  const setBack = async (step: 'take' | 'setBack'): Promise<void> => {
    // The node is away until the server has its older messages: it would write the missing ones again.
    for (const copy of copies) await copy[step]();
    await chain.restart();
  };
  await chain.call('debug_api.produce_blocks', { count: 6 });
  await chain.freshTables(postgres, 'before_set_back', from);
  await setBack('take');
  await chain.call('debug_api.produce_blocks', { count: 14 });
  const [metrics, name] = [await freePort(), 'set_back_both'];
  const indexer = chain.index(await postgres.database(name), [...from, '--metrics-endpoint', `127.0.0.1:${metrics}`]);
  const ofNode = chain.index(await postgres.database('set_back_node'));
  t.after(() => [indexer, ofNode].forEach((each) => each.kill()));
  await chain.indexed(postgres, name, indexer);
  await chain.indexed(postgres, 'set_back_node', ofNode);
  await setBack('setBack');
  await chain.indexed(postgres, 'set_back_node', ofNode);
  const health = async (): Promise<Json> => {
    const said: Json = JSON.parse(await (await fetch(`http://127.0.0.1:${metrics}/health`)).text());
    return said;
  };
  const followsAgain = await waitUntil('the index to follow the older stream', async () => {
    const said = await health();
    return Number(at(said, 'retries')) > 0 && at(said, 'status') === 'ready' ? said : undefined;
  });
  assert.deepEqual([at(followsAgain, 'block_number'), at(followsAgain, 'blocks_behind')], [20, 0]);
  assert.equal(await postgres.query(name, 'SELECT max(number) FROM blocks'), '20');
  assert.equal(await postgres.query('set_back_node', 'SELECT max(number) FROM blocks'), '6');
  await sendAlone(chain.call, 'transfer', {
    from: 'alice',
    to: 'bob',
    amount: '0.000001 COIN',
    memo: 'after the older copy',
  });
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await chain.indexed(postgres, name, indexer);
  assert.equal(await postgres.query(name, 'SELECT max(number) FROM blocks'), '7');
});

/** Asserts the log of an index that waits, and ends it. */
async function assertWaiting(t: TestContext, indexer: Running, why: RegExp): Promise<void> {
  t.after(() => indexer.kill());
  await waitUntil(
    `${why} in the log`,
    () => why.test(indexer.said.stderr) || (indexer.exited() && assert.fail(indexer.said.stderr)) || undefined,
  );
  indexer.interrupt();
  const { code } = await within('its end', indexer.finished);
  assert.equal(code, 0, indexer.said.stderr);
}

test('a stream that begins behind the end of the database and one of another chain are refused with a sentence; a server or a stream that is not there yet is waited for', async (t) => {
  const { nats, chain, from } = await chainWithStream(t, ['--sink-nats-stream', 'mine']);
  await chain.call('debug_api.produce_blocks', { count: 5 });
  const readSaid = async (indexer: Running): Promise<string> => {
    t.after(() => indexer.kill());
    const { code, stderr } = await indexer.finished;
    assert.notEqual(code, 0);
    return stderr;
  };
  const [empty, other] = [await postgres.database('late'), await postgres.database('elsewhere')];
  await assertWaiting(t, chain.index(empty, ['--from', 'nats://127.0.0.1:1']), /the NATS server: .*trying again/);
  assert.match(await readSaid(chain.index(empty, ['--from', 'http://127.0.0.1:1'])), /nats:\/\/host:port/);
  await assertWaiting(t, chain.index(empty, [...from, '--stream', 'missing']), /stream not found.*trying again/);
  await chain.freshTables(postgres, 'whole', from);
  await forgetStart(nats, 'mine', 4);
  assert.match(await readSaid(chain.index(empty, from)), /begins with block \d+.*ends with block 0.*--url/);
  // Chains that begin in the same slot are the same, but for their keys.
  const stranger = await IndexedChain.start(['--seed', 'another']);
  t.after(() => stranger.kill());
  await stranger.call('debug_api.produce_blocks', { count: 1 });
  await assertWaiting(t, stranger.index(other, from), /no stream.*trying again/);
  assert.match(await readSaid(stranger.index(other, [...from, '--stream', 'mine'])), /another chain/);
});
