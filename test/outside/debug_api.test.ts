import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { fetchBalance, signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const DAY = 86_400;
const site = new Site();
let program: Program;

// Blocks every three seconds: what happens here happens because it is ordered.
before(async () => {
  program = site.start(['dev', '--data-dir', site.path('data'), '--port', '0']);
  await program.ready();
});

after(() => site.clear());

async function pend(operation: Json, signer: string): Promise<void> {
  const trx = await signed(program, await makeTransaction(program, [operation]), signer);
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
}

async function produce(count: number): Promise<Json> {
  return await program.result('debug_api.produce_blocks', { count });
}

test(
  'a transaction built on a development chain has an hour to get into a block, whose time may run ahead of the clock',
  inShortForm,
  async () => {
    const built = async (): Promise<number> => {
      const operation = transfer('alice', 'bob', '1.000000');
      const expiration = textMember(
        await program.result('alexandria_api.create_transaction', { op_vec: [operation] }),
        'tx.expiration',
      );
      return (Date.parse(`${expiration}Z`) - Date.parse(`${textMember(await produce(1), 'time')}Z`)) / 1000;
    };
    assert.ok((await built()) > 3000);
    await program.result('debug_api.jump_ahead', { seconds: 60 });
    assert.ok((await built()) > 3000);
  },
);

test('blocks come when they are ordered, and hold what is pending', async () => {
  const first = numberMember(await produce(1), 'head_block_number');
  const held = await fetchBalance(program, 'bob');
  await pend(transfer('alice', 'bob', '2.000000'), 'alice');
  const head = await produce(20);
  assert(numberMember(head, 'head_block_number') >= first + 20);
  assert.equal(await fetchBalance(program, 'bob'), held + 2_000_000n);
  const seen = await program.result('database_api.get_dynamic_global_properties', {});
  assert(numberMember(seen, 'head_block_number') >= numberMember(head, 'head_block_number'));
});

test('while a thousand blocks are made, a payment gets into one of them', inLongForm, async () => {
  const held = await fetchBalance(program, 'bob');
  const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '3.000000')]), 'alice');
  const made = produce(1000);
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  await made;
  assert.equal(await fetchBalance(program, 'bob'), held + 3_000_000n);
});

test('a withdrawal is paid to its last instalment while days go by at once', async () => {
  await pend(['transfer_to_vesting', { from: 'carol', to: '', amount: '54.000000 COIN' }], 'carol');
  await produce(1);
  const vested = await fetchBalance(program, 'carol');
  await pend(['withdraw_vesting', { account: 'carol', vesting_shares: '54.000000 VESTS' }], 'carol');
  await produce(1);
  for (let day = 1; day <= 27; day++) {
    await program.result('debug_api.jump_ahead', { seconds: DAY });
    assert.equal(await fetchBalance(program, 'carol'), vested + BigInt(day) * 2_000_000n);
  }
  await program.result('debug_api.jump_ahead', { seconds: DAY });
  assert.equal(await fetchBalance(program, 'carol'), vested + 54_000_000n);
});

test('a snapshot is come back to, and the chain goes on from there', async () => {
  const id = textMember(await program.result('debug_api.snapshot'), 'id');
  const held = await fetchBalance(program, 'dave');
  await pend(transfer('alice', 'dave', '5.000000'), 'alice');
  await program.result('debug_api.jump_ahead', { seconds: 365 * DAY });
  await pend(transfer('alice', 'dave', '7.000000'), 'alice');
  const back = await program.result('debug_api.revert', { id });
  assert.equal(textMember(back, 'head_block_id'), id);
  assert.equal(await fetchBalance(program, 'dave'), held);
  assert.deepEqual(
    at(
      await program.result('alexandria_api.get_account', { account_name: 'dave', pending: true }),
      'account.0.balance',
    ),
    coinText(held),
  );
  assert.equal(numberMember(await produce(1), 'head_block_number'), numberMember(back, 'head_block_number') + 1);
  await pend(transfer('alice', 'dave', '5.000000'), 'alice');
  await produce(1);
  assert.equal(await fetchBalance(program, 'dave'), held + 5_000_000n);
});

test(
  'what is final is taken back as well, across restarts too, and only own blocks are snapshots',
  inLongForm,
  async () => {
    const id = textMember(await program.result('debug_api.snapshot'), 'id');
    const { stateHash } = await program.health();
    assert.equal(
      (await program.refusal('debug_api.revert', { id: `${id.slice(0, 8)}${'ab'.repeat(16)}` })).name,
      'unknown_snapshot',
    );
    await pend(transfer('alice', 'erin', '1.000000'), 'alice');
    await produce(300);
    const seen = await program.result('database_api.get_dynamic_global_properties', {});
    assert.ok(numberMember(seen, 'last_irreversible_block_num') > Number.parseInt(id.slice(0, 8), 16));
    assert.equal(await program.stop(), 0);
    program = site.start(['dev', '--data-dir', site.path('data'), '--port', '0']);
    await program.ready();
    assert.equal(textMember(await program.result('debug_api.revert', { id }), 'head_block_id'), id);
    assert.equal((await program.health()).stateHash, stateHash);
    await produce(100);
    await program.result('debug_api.jump_ahead', { seconds: 50 * 365 * DAY });
    assert.equal((await program.refusal('debug_api.jump_ahead', { seconds: 0x7fff_ffff })).name, 'time_over');
  },
);

test('a chain whose time ran ahead goes on after a restart', async () => {
  const { number } = await program.health();
  assert.equal(await program.stop(), 0);
  program = site.start(['dev', '--data-dir', site.path('data'), '--port', '0']);
  await program.ready();
  assert(numberMember(await produce(1), 'head_block_number') > number);
});

test('a node that is told to keep less goes back less far, and says so', inShortForm, async () => {
  const flags = ['--data-dir', site.path('short'), '--port', '0', '--no-mining', '--undo-blocks', '60'];
  const short = site.start(['dev', ...flags]);
  await short.ready();
  await short.result('debug_api.produce_blocks', { count: 5 });
  const early = textMember(await short.result('debug_api.snapshot'), 'id');
  await short.result('debug_api.produce_blocks', { count: 10 });
  const late = textMember(await short.result('debug_api.snapshot'), 'id');
  await short.result('debug_api.produce_blocks', { count: 60 });
  const refused = await short.refusal('debug_api.revert', { id: early });
  assert.equal(refused.name, 'snapshot_is_final');
  assert.match(refused.message, /--undo-blocks/);
  assert.equal(numberMember(await short.result('debug_api.revert', { id: late }), 'head_block_number'), 15);
  assert.equal(await short.stop(), 0);
  const { code, stdout } = await site.run(['verify', '--data-dir', site.path('short', 'chain')]);
  assert.equal(code, 0, stdout);
});

function coinText(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)} COIN`;
}

test('a fork is told as any other: what is undone, then all that takes its place', async () => {
  await program.result('debug_api.set_mining', { mode: 'none' });
  const head = numberMember(await produce(3), 'head_block_number');
  const socket = await program.socket();
  try {
    await socket.call('subscribe_api.subscribe_blocks', { return_id: 1 }, 'follows');
    const forked = program.result('debug_api.fork', { blocks: 2 });
    const items: Json[] = [];
    while (items.length < 4) items.push(...listMember(JSON.parse(await socket.next()), 'params.1'));
    assert.deepEqual(
      items.map((item) => [textMember(item, 'type'), numberMember(item, 'block.number')]),
      [
        ['undone', head - 2],
        ['block', head - 1],
        ['block', head],
        ['block', head + 1],
      ],
    );
    assert.equal(numberMember(await forked, 'head_block_number'), head + 1);
  } finally {
    socket.close();
  }
  // On the console, too.
  const lines = await waitUntil('its lines', () => {
    const all = program.stdout.split('\n');
    const first = all.indexOf(`undone: blocks ${head - 1} to ${head}`);
    return first < 0 ? undefined : all.slice(first + 1, first + 4);
  });
  assert.deepEqual(
    lines.map((line) => line.split(' ', 2)[1]),
    [head - 1, head, head + 1].map(String),
  );
});
