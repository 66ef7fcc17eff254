import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

const STANDSTILL = ['--block-interval-ms', '900000000'];

/** So many blocks are on the disk of a busy machine before a call has to be answered. */
const PRODUCED_AT_ONCE = 100;

async function produced(program: Program, count: number): Promise<void> {
  for (let left = count; left > 0; left -= PRODUCED_AT_ONCE)
    await program.result('debug_api.produce_blocks', { count: Math.min(left, PRODUCED_AT_ONCE) });
}

async function fetchHealth(program: Program): Promise<Json> {
  const health: Json = JSON.parse((await program.http('GET', '/health', {})).body);
  return health;
}

async function oldestBlock(program: Program): Promise<number> {
  return numberMember(await fetchHealth(program), 'oldest_block_number');
}

test('a node that keeps few blocks says so, refuses the others as pruned, and exports what it has', async () => {
  const program = await site.dev(
    '--data-dir',
    site.path('few'),
    '--blocks-kept',
    '60',
    '--metrics-port',
    '0',
    ...STANDSTILL,
  );
  const metrics = async (): Promise<string> => {
    const [, port = ''] = /metrics\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(program.stdout) ?? [];
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  };
  const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '1.000000')]), 'alice');
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  await produced(program, 1);
  assert.equal(await oldestBlock(program), 1);
  await produced(program, 199);
  const oldest = await oldestBlock(program);
  assert.equal(oldest, 141);
  assert.match(await metrics(), /^pharos_oldest_block_number 141$/m);

  for (const [method, params] of [
    ['alexandria_api.get_block', { num: 140 }],
    ['block_api.get_block', { block_num: 140 }],
    ['block_api.get_block_header', { block_num: 140 }],
    ['alexandria_api.get_ops_in_block', { block_num: 140, only_virtual: false }],
    ['account_history_api.get_ops_in_block', { block_num: 140 }],
    ['alexandria_api.get_account_history', { account: 'bob', start: -1, limit: 10 }],
    ['alexandria_api.get_transaction', { tx_id: '1'.repeat(40) }],
  ] as const) {
    const { name, data } = await program.refusal(method, params);
    assert.deepEqual([name, numberMember(data, 'oldest')], ['pruned', 141], method);
  }
  assert.deepEqual(listMember(await program.result('block_api.get_block', { block_num: 141 }), 'transactions'), []);
  assert(numberMember(await program.result('alexandria_api.info'), 'info.average_block_size') > 0);

  const url = `http://127.0.0.1:${program.port}`;
  const whole = await site.run(['export', '--url', url, '--block-log', site.path('log')]);
  assert.deepEqual(
    [whole.code, /block 1 lies below block 141.*\(pruned\)/.test(whole.stderr)],
    [5, true],
    whole.stderr,
  );
  const part = await site.run(['export', '--url', url, '--from', '141', '--block-log', site.path('log')]);
  assert.equal(part.code, 0, part.stderr);
  assert.equal(await program.stop(), 0);

  const folder = ['--data-dir', site.path('few', 'chain')];
  const stopped = await site.run(['export', ...folder, '--block-log', site.path('log')]);
  assert.equal(stopped.code, 2);
  assert.match(stopped.stderr, /keeps no block below 141 .*--from 141/);
  const { code, stdout } = await site.run(['verify', ...folder]);
  assert.equal(code, 0);
  assert.match(stdout, /blocks 141 to 200, those before are not kept, state hash [0-9a-f]{64}: intact/);

  // Without the setting nothing more is dropped, and what was dropped is still refused.
  const all = await site.dev('--data-dir', site.path('few'), ...STANDSTILL);
  await produced(all, 20);
  assert.equal(await oldestBlock(all), 141);
  assert.equal((await all.refusal('alexandria_api.get_block', { num: 140 })).name, 'pruned');
  assert.equal(await all.stop(), 0);
});

test('a number of blocks that makes no sense is refused at the start', async () => {
  const { code, stderr } = await site.run([
    'run',
    '--blocks-kept',
    '0',
    '--initminer-mining-pubkey',
    'PHR1111111111111111111111111111111114T1Anm',
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /blocks-kept: a positive number expected; leave it out to keep all blocks/);
});

/** Blocks from the oldest on are there, and nothing of those below. */
async function checkBorder(program: Program): Promise<void> {
  const oldest = await oldestBlock(program);
  const { number: head } = await program.health();
  if (oldest > 1) assert.equal((await program.refusal('alexandria_api.get_block', { num: oldest - 1 })).name, 'pruned');
  for (const num of [oldest, Math.trunc((oldest + head) / 2), head])
    assert.equal(
      Number.parseInt(
        textMember(await program.result('alexandria_api.get_block', { num }), 'block.block_id').slice(0, 8),
        16,
      ),
      num,
    );
  const history = await program.result('alexandria_api.get_account_history', {
    account: 'initminer',
    start: -1,
    limit: 5,
  });
  for (const entry of listMember(history, 'account_history')) assert(numberMember(at(entry, '1'), 'block') >= oldest);
}

/** The oldest block, once it is higher than before. */
async function awaitBorder(program: Program, before: number): Promise<number> {
  return await waitUntil('some pruning', async () => {
    const oldest = await oldestBlock(program);
    return oldest > before ? oldest : undefined;
  });
}

/** Each time fewer, so that there is always something to be pruned. */
const KEPT = [2200, 1500, 1000, 400, 60, 5];

test('killed at any moment while it prunes, a node opens with a folder that is whole', inLongForm, async () => {
  const folder = site.path('killed');
  const first = await site.dev('--data-dir', folder, ...STANDSTILL);
  await produced(first, 3000);
  assert.equal(await first.stop(), 0);
  let oldest = 1;
  for (const [round, kept] of KEPT.entries()) {
    const program = await site.dev('--data-dir', folder, '--blocks-kept', String(kept), '--block-interval-ms', '20');
    oldest = await awaitBorder(program, oldest);
    await pause((round * 37) % 150);
    program.kill();
    assert.equal(await program.exited, null);
    const { code, stdout } = await site.run(['verify', '--data-dir', site.path('killed', 'chain')]);
    assert.deepEqual([code, / to \d+, those before are not kept, .*: intact/.test(stdout)], [0, true], stdout);
  }
  const still = await site.dev('--data-dir', folder, ...STANDSTILL);
  assert((await oldestBlock(still)) >= oldest && oldest > 2000);
  await checkBorder(still);
  assert.equal(await still.stop(), 0);
});
