import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { after, test } from 'node:test';
import { RandomSource } from '../builders/random_source.ts';
import { listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { isLong } from './commands.ts';
import { NatsServer } from './nats_server.ts';

const site = new Site();

after(() => site.clear());

const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? (isLong ? 200 : 2));
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);
const ROUNDS = 8;
const LARGE_BLOCK_BYTES = 4 * 1024 * 1024;

/** A development chain in a folder, whose blocks come when they are ordered. */
async function startChain(folder: string, flags: readonly string[]): Promise<Program> {
  const program = site.start([
    'dev',
    '--data-dir',
    folder,
    '--port',
    '0',
    '--metrics-port',
    '0',
    '--no-mining',
    '--silent',
    ...flags,
  ]);
  await program.ready();
  return program;
}

async function pay(program: Program, memo: string): Promise<void> {
  const operation = ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '0.000001 COIN', memo }];
  await program.result('debug_api.send_unsigned', { op_vec: [operation] });
}

/** Payments, ten in a transaction and all in one block, with memos that take six times as much in JSON. */
async function payInOneBlock(program: Program, transactions: number): Promise<void> {
  const memo = '\u0001'.repeat(700);
  for (let k = 0; k < transactions; k++) {
    const payment = (_: unknown, one: number): Json => {
      const amount = `0.${String(one + 1).padStart(6, '0')} COIN`;
      return ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount, memo: `${k} ${memo}` }];
    };
    await program.result('debug_api.send_unsigned', { op_vec: Array.from({ length: 10 }, payment) });
  }
  await program.result('debug_api.produce_blocks', { count: 1 });
}

async function fetchHead(program: Program): Promise<Json> {
  return await program.result('database_api.get_dynamic_global_properties');
}

/** Returns the output of the check once the stream has come to the head of the chain. */
async function checked(program: Program, server: NatsServer): Promise<string> {
  const head = await fetchHead(program);
  const id = textMember(head, 'head_block_id');
  const flags = ['--nats', `nats://127.0.0.1:${server.port}`, '--url', `http://127.0.0.1:${program.port}`];
  return await waitUntil(`the stream at block ${numberMember(head, 'head_block_number')}`, async () => {
    const { code, stdout, stderr } = await site.run(['stream', 'check', ...flags]);
    if (!stdout.includes(id)) return undefined;
    assert.equal(code, 0, `${stdout}\n${stderr}\n${program.stderr}`);
    return stdout;
  });
}

/** A branch takes the place of another one, and now and then the first one comes back. */
async function fork(program: Program, randomSource: RandomSource): Promise<void> {
  const head = await fetchHead(program);
  if (randomSource.chance(50)) {
    // A young chain has no more.
    const blocks = Math.min(1 + randomSource.roll(4), numberMember(head, 'head_block_number'));
    return void (await program.result('debug_api.fork', { blocks, keep_transactions: randomSource.chance(50) }));
  }
  const id = textMember(head, 'head_block_id');
  await program.result('debug_api.produce_blocks', { count: 1 + randomSource.roll(3) });
  if (randomSource.chance(50)) await pause(randomSource.roll(200));
  await program.result('debug_api.revert', { id });
  await program.result('debug_api.produce_blocks', { count: 1 + randomSource.roll(3) });
}

test('node and server are killed, the way between them is cut, branches change: the stream is what a fresh reading of the chain gives', async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const randomSource = new RandomSource(seed);
    const server = await NatsServer.start(site.path(`nats${seed}`));
    const folder = site.path(`chain${seed}`);
    const flags = [
      '--sink-nats',
      server.url,
      '--sink-nats-operations',
      String(randomSource.chance(50)),
      '--sink-nats-format',
      randomSource.pick(['avro', 'json']),
    ];
    let program = await startChain(folder, flags);
    let isUp = true;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (let payment = randomSource.roll(5); payment > 0; payment--)
          await pay(program, `${seed} ${round} ${payment}`);
        await program.result('debug_api.produce_blocks', { count: 1 + randomSource.roll(20) });
        const what = randomSource.roll(5);
        if (what === 0) await fork(program, randomSource);
        if (what === 1) server.relay.cut();
        if (what === 2) server.relay.heal();
        if (what === 3) {
          program.kill();
          await program.exited;
          program = await startChain(folder, flags);
        }
        if (what === 4) {
          await (isUp ? server.kill() : server.begin());
          isUp = !isUp;
        }
        await pause(randomSource.roll(60));
      }
      if (!isUp) await server.begin();
      server.relay.heal();
      await checked(program, server);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    } finally {
      program.kill();
      await program.exited;
      await server.stop();
    }
  }
});

test('a server that is away is a problem of /health and counts in the metrics; the node makes blocks all the same', async (t) => {
  const server = await NatsServer.start(site.path('away'));
  t.after(() => server.stop());
  const program = await startChain(site.path('away_chain'), ['--sink-nats', server.url]);
  t.after(() => program.kill());
  await program.result('debug_api.produce_blocks', { count: 3 });
  await checked(program, server);
  await server.kill();
  await program.result('debug_api.produce_blocks', { count: 5 });
  const problem = await waitUntil('the problem of /health', async () => {
    const said: Json = JSON.parse((await program.http('GET', '/health', {})).body);
    const [first] = listMember(said, 'problems');
    return typeof first === 'string' ? first : undefined;
  });
  assert.match(problem, /the event stream .* is \d+ blocks behind/);
  assert.equal((await program.http('GET', '/readyz', {})).status, 200);
  await server.begin();
  await checked(program, server);
  assert.match(program.stderr, /the event stream is interrupted and will be tried again/);
});

test('a node is told who it is: user and password, and a stream of somebody else is left alone', async (t) => {
  const server = await NatsServer.start(site.path('users'), 'authorization { user: pharos, password: "a:b" }');
  t.after(() => server.stop());
  const address = `127.0.0.1:${server.port}`;
  const program = await startChain(site.path('user_chain'), ['--sink-nats', `nats://pharos:a%3Ab@${address}`]);
  t.after(() => program.kill());
  await program.result('debug_api.produce_blocks', { count: 2 });
  await waitUntil('the stream', async () => {
    const { code } = await site.run([
      'stream',
      'check',
      '--nats',
      `nats://pharos:a%3Ab@${address}`,
      '--url',
      `http://127.0.0.1:${program.port}`,
    ]);
    return code === 0 ? true : undefined;
  });
  const refused = await site.run(['stream', 'check', '--nats', `nats://${address}`]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Authorization/i);
});

test('nothing is called irreversible before a round of witnesses has passed: the first block when block 52 is made', async (t) => {
  const server = await NatsServer.start(site.path('young'));
  t.after(() => server.stop());
  const program = await startChain(site.path('young_chain'), ['--sink-nats', server.url]);
  t.after(() => program.kill());
  await program.result('debug_api.produce_blocks', { count: 51 });
  assert.match(await checked(program, server), / 51 blocks with .* irreversible up to 0;/);
  await program.result('debug_api.produce_blocks', { count: 1 });
  await waitUntil('the marker', async () => {
    const said = await checked(program, server);
    return said.includes(' irreversible up to 1;') ? true : undefined;
  });
});

test('a block of thousands of operations, longer than the node answers in one piece, is compared like others', async (t) => {
  const server = await NatsServer.start(site.path('large'));
  t.after(() => server.stop());
  const program = await startChain(site.path('large_chain'), [
    '--sink-nats',
    server.url,
    '--maximum-block-size',
    String(LARGE_BLOCK_BYTES),
  ]);
  t.after(() => program.kill());
  await waitUntil('the size of blocks that the witness votes for', async () => {
    await program.result('debug_api.produce_blocks', { count: 20 });
    return numberMember(await fetchHead(program), 'maximum_block_size') === LARGE_BLOCK_BYTES || undefined;
  });
  await payInOneBlock(program, 300);
  const number = numberMember(await fetchHead(program), 'head_block_number');
  const { name } = await program.refusal('account_history_api.get_ops_in_block', { block_num: number });
  assert.equal(name, 'answer_too_large');
  await program.result('debug_api.produce_blocks', { count: 3 });
  const said = await checked(program, server);
  assert.match(said, new RegExp(` ${number + 3} blocks with \\d+ operations, .*; compared with the chain`));
});
