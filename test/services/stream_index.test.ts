import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Dice } from '../builders/dice.ts';
import { isLong, temporaryFolder, type Running } from './commands.ts';
import { waitFor, within } from '../outside/wait_for.ts';
import { liveThroughAll } from './every_kind.ts';
import { IndexedChain, tablesOf } from './indexed_chain.ts';
import { NatsServer } from './nats_server.ts';
import { moneyTraffic } from './money_traffic.ts';
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
  await streamOn(nats);
  return { nats, chain, from: ['--from', nats.url] };
}

/** Waits until the node has made its stream: whoever reads one that is not there is refused. */
async function streamOn({ port }: NatsServer): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    await waitFor('the stream', async () => (await manager.streams.names('pharos.>').next()).at(0));
  } finally {
    await connection.close();
  }
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
    assert.deepEqual(await tablesOf(postgres, name), tables);
    const both = [[], from];
    for (const flags of both) {
      indexer.interrupt();
      assert.equal((await indexer.finished).code, 0, indexer.said.stderr);
      await chain.call('debug_api.fork', { blocks: 3, keep_transactions: true });
      await chain.call('debug_api.produce_blocks', { count: 2 });
      indexer = chain.index(postgres.address(name), flags);
      await chain.indexed(postgres, name, indexer);
    }
    assert.deepEqual(await tablesOf(postgres, name), await chain.freshTables(postgres, `${name}_again`, from));
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
  await sendAlone(call, 'witness_update', { owner: 'initminer', url: 'https://initminer.example', block_signing_key: key, props });
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
  const dice = new Dice(seed);
  const { nats, chain, from } = await chainWithStream(t, ['--sink-nats-format', dice.pick(['avro', 'json'])]);
  await chain.call('debug_api.produce_blocks', { count: 6 });
  const names = [`stream_${seed}`, `node_${seed}`];
  const flagsOf = (k: number): readonly string[] => (k === 0 ? from : []);
  const indexers: Running[] = [];
  t.after(() => indexers.forEach((indexer) => indexer.kill()));
  for (const [k, name] of names.entries()) indexers.push(chain.index(await postgres.database(name), flagsOf(k)));
  const again = async (k: number): Promise<void> => {
    // Ctrl-C ends it at any moment, too, whatever it waits for.
    const indexer = indexers[k] ?? assert.fail('an indexer');
    if (dice.chance(50)) indexer.interrupt();
    else indexer.kill();
    await within('the end of the indexer', indexer.finished);
    indexers[k] = chain.index(postgres.address(names[k] ?? ''), flagsOf(k));
  };
  for (let step = 0; step < STEPS; step++) {
    const cast = dice.roll(100);
    if (cast < 55) await moneyTraffic(chain.call, dice);
    else if (cast < 75) await chain.call('debug_api.fork', { blocks: 1 + dice.roll(4), keep_transactions: dice.chance(50) });
    else if (cast < 85) await again(dice.roll(2));
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
    await pause(dice.roll(60));
  }
  const tables = [];
  for (const [k, name] of names.entries()) {
    // One that had not reached its servers yet when they were killed has said so and ended.
    if (indexers[k]?.exited() ?? true) await again(k);
    const indexer = indexers[k] ?? assert.fail('an indexer');
    await chain.indexed(postgres, name, indexer);
    indexer.interrupt();
    assert.equal((await within('its end', indexer.finished)).code, 0, indexer.said.stderr);
    tables.push(await tablesOf(postgres, name));
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

test('a stream that begins behind the end of the database, one of another chain and a server that is away are each refused with a sentence', async (t) => {
  const { nats, chain, from } = await chainWithStream(t, ['--sink-nats-stream', 'mine']);
  await chain.call('debug_api.produce_blocks', { count: 5 });
  const saidBy = async (indexer: Running): Promise<string> => {
    t.after(() => indexer.kill());
    const { code, stderr } = await indexer.finished;
    assert.notEqual(code, 0);
    return stderr;
  };
  const [empty, other] = [await postgres.database('late'), await postgres.database('elsewhere')];
  assert.match(await saidBy(chain.index(empty, ['--from', 'nats://127.0.0.1:1'])), /the NATS server: /);
  assert.match(await saidBy(chain.index(empty, ['--from', 'http://127.0.0.1:1'])), /nats:\/\/host:port/);
  assert.match(await saidBy(chain.index(empty, [...from, '--stream', 'missing'])), /stream not found/);
  await chain.freshTables(postgres, 'whole', from);
  await forgetStart(nats, 'mine', 4);
  assert.match(await saidBy(chain.index(empty, from)), /begins with block \d+.*ends with block 0.*--url/);
  // Chains that begin in the same slot are the same, but for their keys.
  const stranger = await IndexedChain.start(['--seed', 'another']);
  t.after(() => stranger.kill());
  await stranger.call('debug_api.produce_blocks', { count: 1 });
  assert.match(await saidBy(stranger.index(other, from)), /no stream/);
  assert.match(await saidBy(stranger.index(other, [...from, '--stream', 'mine'])), /another chain/);
});
