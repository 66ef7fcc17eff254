import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { textMember, type Json } from '../outside/json.ts';
import { NEXT_VERSION, NextRelease } from '../outside/next_release.ts';
import { readRefusal, type Program } from '../outside/program.ts';
import { send } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { waitUntil, within } from '../outside/wait_until.ts';
import { temporaryFolder } from './commands.ts';
import { indexedHead, readTables } from './indexed_chain.ts';
import { NatsServer, streamExists } from './nats_server.ts';
import { PostgresServer } from './postgres.ts';

// A chain over a hardfork that brings an operation, in the stream and in the index of the release that knows it, and in
// an index of the former program.

const site = new Site();
const ACTIVATION = 20;
/** The hardfork of the recipe. Its time is far away: the development chain has it by its plan. */
const PLAN = `plantedNotes@${ACTIVATION}`;
const FAR = 1_900_000_000;

let postgres: PostgresServer;
let nats: NatsServer;
let release: ReturnType<NextRelease['at']>;

before(async () => {
  release = NextRelease.build(site.path('next')).at(FAR);
  postgres = await PostgresServer.start();
  nats = await NatsServer.start(`${temporaryFolder()}/nats`);
});
after(async () => {
  await site.clear();
  await nats.stop();
  await postgres.stop();
});

const note = (text: string): Json => ['planted_note', { fee: '0.010000 COIN', account: 'alice', note: text }];

function startRelease(args: readonly string[]): Program {
  return site.start(args, release.environment, release.machine);
}

/** The kinds of operations in a database, with how many of each. */
async function operationCounts(database: string): Promise<string> {
  return await postgres.query(database, `SELECT kind, count(*) FROM operations GROUP BY kind ORDER BY kind`);
}

async function indexed(indexer: Program, database: string, head: string): Promise<void> {
  await waitUntil(`block ${head} in ${database}`, async () => {
    assert.ok(indexer.isRunning, indexer.stdout + indexer.stderr);
    return (await indexedHead(postgres, database)) === head || undefined;
  });
}

test('stream and index take a hardfork and what it brings, by node and by stream; a former index waits, says why, and the next one goes on', async () => {
  const flags = ['--data-dir', site.path('data'), '--port', '0', '--no-mining', '--hardfork', PLAN];
  const node = startRelease(['dev', ...flags, '--sink-nats', nats.url]);
  await node.ready();
  await streamExists(nats);
  const url = `ws://127.0.0.1:${node.port}`;
  const sources = { by_node: ['--url', url], by_stream: ['--url', url, '--from', nats.url] };
  const indexers: Program[] = [];
  for (const [name, from] of Object.entries(sources))
    indexers.push(startRelease(['index', '--postgres', await postgres.database(name), ...from]));

  await node.result('debug_api.produce_blocks', { count: ACTIVATION - 2 });
  const early = await node.call('alexandria_api.create_transaction', { op_vec: [note('early')] });
  assert.equal(readRefusal(early).name, 'hardfork_not_applied');
  await node.result('debug_api.produce_blocks', { count: 3 });
  const hardforks = await node.result('database_api.get_hardfork_properties');
  assert.equal(textMember(hardforks, 'current_hardfork_version'), NEXT_VERSION);
  const sent = send(node, [note('hello')], 'alice');
  await waitUntil('the note to wait', async () => {
    const pending = await node.result('debug_api.produce_blocks', { count: 1 });
    return pending === null ? undefined : await Promise.race([sent, Promise.resolve(undefined)]);
  });
  await node.result('debug_api.produce_blocks', { count: 2 });

  const head = textMember(await node.result('database_api.get_dynamic_global_properties'), 'head_block_id');
  for (const [k, name] of Object.keys(sources).entries()) await indexed(indexers[k] ?? assert.fail(), name, head);
  assert.match(await operationCounts('by_node'), /^planted_note\|1$/m);
  assert.match(await operationCounts('by_node'), /^hardfork\|1$/m);
  assert.deepEqual(await readTables(postgres, 'by_stream'), await readTables(postgres, 'by_node'));
  const check = startRelease(['stream', 'check', '--nats', nats.url, '--url', url]);
  assert.equal(await within('the check of the stream', check.exited), 0, check.stdout + check.stderr);

  for (const [name, from] of Object.entries(sources)) {
    const database = `former_${name}`;
    const words = ['index', '--postgres', await postgres.database(database), ...from];
    const former = site.start(words);
    await waitUntil('the former index to say what is missing', () => {
      assert.ok(former.isRunning, former.stderr);
      const isSaid = former.stderr.includes(
        '(planted_note): this program knows no such operation: use the version that',
      );
      return isSaid || undefined;
    });
    assert.doesNotMatch(await operationCounts(database), /planted_note/);
    assert.equal(await former.stop(), 0, former.stderr);
    await indexed(startRelease(words), database, head);
    assert.deepEqual(await readTables(postgres, database), await readTables(postgres, 'by_node'));
  }
});
