import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { at, optionalMember, numberMember, textMember, type Json } from './json.ts';
import { readRefusal, type Health, type Program } from './program.ts';
import { fetchBalance, requireObject, send, signed, timeText, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

/** So long that no block comes while a test looks. */
const STANDSTILL = ['--block-interval-ms', '900000000'];

const WAITING = 'network_broadcast_api.broadcast_transaction_synchronous';

test('stopped and started again, the node has the same head and the same state hash', async () => {
  let lived: Health = { number: -1, stateHash: '' };
  let reopened = lived;
  // What is seen last before the stop need not be the last block, so this may need more than one attempt.
  await waitUntil('a last look at the last block', async () => {
    const live = await site.dev('--block-interval-ms', '1500');
    await send(live, [transfer('alice', 'bob', '1.000000')], 'alice');
    const seen = await live.health();
    lived = await waitUntil('a new block', async () => laterThan(await live.health(), seen));
    assert.equal(await live.stop(), 0);
    assert.equal(live.complaints, '');

    const still = await site.dev(...STANDSTILL);
    reopened = await still.health();
    assert.equal(await still.stop(), 0);
    assert(reopened.number >= lived.number);
    return reopened.number === lived.number || undefined;
  });
  assert.deepEqual(reopened, lived);
  const { code, stdout } = await site.run(['verify', '--data-dir', site.path('data', 'chain')]);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`${lived.number} blocks, state hash ${lived.stateHash}: intact`));
});

function laterThan(health: Health, before: Health): Health | undefined {
  return health.number > before.number ? health : undefined;
}

/** A fixed sequence of numbers from 0 to 1: every run of the test kills at the same points. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A transfer of which the node has said that it stands in a block. */
interface Acknowledged {
  readonly id: string;
  readonly block: number;
  readonly place: number;
}

/** Sends transfers and waits for their blocks, many at once, until the node is gone. */
async function stream(program: Program, acknowledged: Acknowledged[], name: string): Promise<void> {
  for (let count = 0; program.isRunning; count++) {
    try {
      const trx = await signed(
        program,
        await makeTransaction(program, [transfer('alice', 'bob', '0.000001', `${name} ${count}`)]),
        'alice',
      );
      const done: Json = await program.call(WAITING, { trx });
      if (optionalMember(done, 'result') === undefined) continue;
      acknowledged.push({
        id: textMember(done, 'result.id'),
        block: numberMember(done, 'result.block_num'),
        place: numberMember(done, 'result.trx_num'),
      });
    } catch (error) {
      // A connection that breaks is how the end of the node looks from here.
      if (error instanceof assert.AssertionError) throw error;
      await pause(1);
    }
  }
}

const KILLS = 10;
const STREAMS = 6;
/** Longest life after the first answer, in blocks of 100 ms. */
const LONGEST_LIFE_MS = 600;

test(
  'killed at any moment of a stream of broadcasts, the node opens with everything that it acknowledged',
  inLongForm,
  async () => {
    const random = seeded(2026);
    const acknowledged: Acknowledged[] = [];
    const blockIds = new Map<number, string>();
    for (let round = 0; round < KILLS; round++) {
      const program = await site.dev('--data-dir', site.path('killed'), '--block-interval-ms', '100');
      await checkKept(program, acknowledged.splice(0, acknowledged.length), blockIds);
      const streams = Array.from({ length: STREAMS }, (_, index) =>
        stream(program, acknowledged, `round ${round} stream ${index}`),
      );
      const watch = watchHeads(program, blockIds);
      await waitUntil('the first acknowledgement', () => acknowledged.length > 0 || undefined);
      await pause(random() * LONGEST_LIFE_MS);
      program.kill();
      assert.equal(await program.exited, null);
      await Promise.all([...streams, watch]);
    }
    const last = await site.dev('--data-dir', site.path('killed'), ...STANDSTILL);
    await checkKept(last, acknowledged, blockIds);
    const { number, stateHash } = await last.health();
    assert.equal(await last.stop(), 0);
    const { code, stdout } = await site.run(['verify', '--data-dir', site.path('killed', 'chain')]);
    assert.deepEqual([code, stdout.includes(`${number} blocks, state hash ${stateHash}: intact`)], [0, true]);
  },
);

/** Notes the ids of heads while the node lives: what it has shown must stay. */
async function watchHeads(program: Program, ids: Map<number, string>): Promise<void> {
  while (program.isRunning) {
    try {
      const info = await program.result('alexandria_api.info');
      const number = numberMember(info, 'info.head_block_number');
      if (number > 0) ids.set(number, textMember(info, 'info.head_block_id'));
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    await pause(5);
  }
}

/** Every acknowledged transfer stands where the node said, and every head that it showed is still in the chain. */
async function checkKept(
  program: Program,
  acknowledged: readonly Acknowledged[],
  blockIds: ReadonlyMap<number, string>,
): Promise<void> {
  for (const { id, block, place } of acknowledged) {
    const found = await program.result('alexandria_api.get_transaction', { tx_id: id });
    assert.deepEqual([at(found, 'tx.block_num'), at(found, 'tx.transaction_num')], [block, place]);
  }
  for (const [number, id] of blockIds) {
    assert.equal(textMember(await program.result('alexandria_api.get_block', { num: number }), 'block.block_id'), id);
  }
}

/**
 * A folder with a new chain that began an hour ago: blocks in a hurry stay in the past, where other nodes take them.
 */
async function agedChain(folder: string): Promise<void> {
  const young = await site.dev('--data-dir', site.path('young'), ...STANDSTILL);
  assert.equal(await young.stop(), 0);
  const genesis: { readonly [name: string]: Json } = JSON.parse(
    readFileSync(site.path('young', 'genesis.json'), 'utf8'),
  );
  const began = Date.parse(`${textMember(genesis, 'genesis_time')}Z`) / 1000 - 3600;
  mkdirSync(folder);
  writeFileSync(join(folder, 'genesis.json'), JSON.stringify({ ...genesis, genesis_time: timeText(began) }));
}

test(
  'another node that is given the same blocks comes to the same state hash, and takes no changed one',
  inLongForm,
  async () => {
    const folder = site.path('source');
    // Nearly the chain's own interval: other nodes take no block that is more than 5 seconds ahead of their clock.
    const source = await site.dev('--data-dir', folder, '--block-interval-ms', '1500');
    const vesting: Json = [
      'transfer_to_vesting',
      { fee: '0.000000 COIN', from: 'carol', to: 'carol', amount: '5.000000 COIN' },
    ];
    await Promise.all([
      send(source, [transfer('carol', 'dave', '3.000000')], 'carol'),
      send(source, [vesting], 'carol'),
    ]);
    assert.equal(await source.stop(), 0);
    const still = await site.dev('--data-dir', folder, ...STANDSTILL);
    const { number, stateHash } = await still.health();
    const follower = await follow(join(folder, 'genesis.json'));

    const first = requireObject(await fetchBlock(still, 1));
    const changed = { ...first, timestamp: timeText(Date.parse(`${textMember(first, 'timestamp')}Z`) / 1000 - 3) };
    assert.notEqual((await follower.refusal('network_broadcast_api.broadcast_block', { block: changed })).name, '');
    assert.equal((await follower.health()).number, 0);

    for (let block = 1; block <= number; block++) await give(follower, await fetchBlock(still, block));
    assert.deepEqual(await follower.health(), { number, stateHash });
    assert.equal(await fetchBalance(follower, 'dave'), await fetchBalance(still, 'dave'));
  },
);

async function fetchBlock(program: Program, number: number): Promise<Json> {
  return at(await program.result('alexandria_api.get_block', { num: number }), 'block');
}

/** Gives a block to a node, as soon as its time has come there. */
async function give(program: Program, block: Json): Promise<void> {
  await waitUntil('the block to be taken', async () => {
    const envelope = await program.call('network_broadcast_api.broadcast_block', { block });
    if (optionalMember(envelope, 'error') === undefined) return true;
    assert.equal(readRefusal(envelope).name, 'block_in_future');
    return undefined;
  });
}

/** A node of that chain that produces nothing. */
async function follow(genesis: string): Promise<Program> {
  const follower = site.start([
    'run',
    '--genesis-json',
    genesis,
    '--data-dir',
    site.path('follower'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ]);
  await follower.ready();
  return follower;
}

test('a head that is older than the asker wants is reason to refuse', inShortForm, async () => {
  const folder = site.path('old');
  await agedChain(folder);
  const still = await site.dev('--data-dir', folder, ...STANDSTILL);
  const trx = await signed(still, await makeTransaction(still, [transfer('alice', 'bob', '1.000000')]), 'alice');
  const { name, data } = await still.refusal('network_broadcast_api.broadcast_transaction', { trx, max_block_age: 60 });
  assert.equal(name, 'head_too_old');
  assert(numberMember(data, 'ageSeconds') > 60);
  assert.deepEqual(await still.result('network_broadcast_api.broadcast_transaction', { trx, max_block_age: -1 }), {});
});
