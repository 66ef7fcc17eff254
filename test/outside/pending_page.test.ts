import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';

// The page of a pending transaction, asked by a program that knows nothing but its path.

const site = new Site();
let node: Program;

before(async () => {
  node = site.start(['dev', '--data-dir', site.path('data'), '--port', '0', '--no-mining']);
  await node.ready();
  await node.result('debug_api.produce_blocks', { count: 1 });
});

after(() => site.clear());

async function send(memo: string): Promise<string> {
  const transfer = { from: 'alice', to: 'bob', amount: '1.500000 COIN', memo, fee: '0.010000 COIN' };
  return textMember(
    await node.result('debug_api.send_unsigned', { op_vec: [['transfer', transfer]] }),
    'transaction_id',
  );
}

async function get(path: string): Promise<{ readonly status: number; readonly body: string }> {
  return await node.http('GET', path, {});
}

async function page(id: string): Promise<Json> {
  const { status, body } = await get(`/chain/pending/${id}.json`);
  assert.equal(status, 200, body);
  return JSON.parse(body);
}

test('a pending transaction is shown whole, as the method shows it once a block has it', async () => {
  const ids = [await send('one'), await send('two'), await send('three')];
  const shown = await Promise.all(ids.map(page));
  for (const [index, id] of ids.entries()) {
    assert.equal(textMember(shown[index] ?? null, 'status'), 'pending');
    assert.equal(textMember(at(shown[index] ?? null, 'transaction'), 'transaction_id'), id);
  }
  await node.result('debug_api.produce_blocks', { count: 1 });
  for (const [index, id] of ids.entries()) {
    const { block_num, transaction_num, ...tx } = Object(
      at(await node.result('alexandria_api.get_transaction', { tx_id: id }), 'tx'),
    );
    assert.deepEqual(at(shown[index] ?? null, 'transaction'), tx);
    assert.equal(transaction_num, index);
    const placed = await page(id);
    assert.match(textMember(placed, 'status'), /^(?:in_block|final)$/);
    assert.equal(numberMember(placed, 'block_num'), block_num);
    assert.equal(Object(placed).transaction, undefined);
  }
});

test('a transaction that is not pending is told as the method tells it, with the reason why the node dropped it', async () => {
  assert.deepEqual(await page('0123456789'.repeat(4)), { status: 'unknown' });
  const snapshot = textMember(await node.result('debug_api.snapshot'), 'id');
  const id = await send('dropped');
  assert.equal(textMember(await page(id), 'status'), 'pending');
  await node.result('debug_api.revert', { id: snapshot });
  const dropped = await page(id);
  assert.deepEqual(dropped, await node.result('transaction_status_api.find_transaction', { transaction_id: id }));
  assert.equal(textMember(at(dropped, 'reason'), 'name'), 'head_reverted');
});

test('what is no whole id in lower case has no page', async () => {
  const id = await send('whole');
  for (const odd of [id.slice(1), `${id}0`, id.toUpperCase(), `%${id.slice(1)}`, `${id.slice(2)}..`, `../${id}`, ''])
    assert.equal((await get(`/chain/pending/${odd}.json`)).status, 404, odd);
  for (const path of [`/chain/pending/${id}`, `/chain/pending/${id}.json/`, `/chain/pending/${id}.html`])
    assert.equal((await get(path)).status, 404, path);
});
