import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../../src/client/index.ts';
import { devChain, Refusal, type DevChain, type GivenOperation } from '../../../src/node/dev/dev_chain.ts';

const payment = (memo = ''): GivenOperation => ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo }];
const document = (text: string): GivenOperation => [
  'custom_json',
  { sender: 'alice', recipients: ['bob'], app_id: 1, json: JSON.stringify(text) },
];

async function pays(
  chain: DevChain,
  ...operations: readonly GivenOperation[]
): Promise<{ readonly block_num: number; readonly id: string }> {
  return await chain.send(operations, [chain.account('alice').key]);
}

async function balanceOf(chain: DevChain, account_name: string): Promise<string> {
  const { account } = await chain.call('alexandria_api.get_account', { account_name });
  return account[0]?.balance ?? '';
}

async function post(chain: DevChain, body: object | readonly object[]): Promise<string> {
  return await (await fetch(chain.url, { method: 'POST', body: JSON.stringify(body) })).text();
}

test('slots are missed: participation falls, time has passed, and the chain goes on', async () => {
  await using chain = await devChain({ mining: 'none' });
  const filled = async (): Promise<number> => {
    const { properties } = await chain.call('alexandria_api.get_dynamic_global_properties', {});
    return properties.participation_count;
  };
  const before = await chain.mine(2);
  assert.equal(await filled(), 128);
  const after = await chain.missSlots(5);
  assert.equal(after.head_block_number, before.head_block_number + 1);
  assert.equal(Date.parse(after.time) - Date.parse(before.time), 18_000);
  assert.equal(await filled(), 123);
});

test('a fork puts transactions into other blocks, and tells subscribers of their documents anew', async () => {
  await using chain = await devChain();
  const heard: string[] = [];
  const client = await connect(chain.url.replace('http:', 'ws:'));
  try {
    let wake = (): void => undefined;
    const woken = async (): Promise<void> => await new Promise<void>((resolve) => (wake = resolve));
    const next = async (count: number): Promise<void> => {
      while (heard.length < count) await woken();
    };
    const listener = { document: (number: bigint, { data }: { data: string }) => (heard.push(`${number} ${data}`), wake()) };
    await client.follow({ app_id: 1n, account_name: 'bob', search_type: 'by_recipient' }, listener);
    const first = await pays(chain, document('stays'));
    await pays(chain, document('moves'), payment());
    await next(2);
    const head = await chain.mine();
    const forked = await chain.fork(2);
    assert.equal(forked.head_block_number, head.head_block_number + 1);
    assert.notEqual(forked.head_block_id.slice(8), head.head_block_id.slice(8));
    assert.equal(await balanceOf(chain, 'bob'), '10000001.000000 COIN');
    // The other branch has no room for it.
    const gone = await chain.fork(forked.head_block_number - first.block_num, { keepTransactions: false });
    assert.equal(gone.head_block_number, forked.head_block_number + 1);
    assert.equal(await balanceOf(chain, 'bob'), '10000000.000000 COIN');
    await pays(chain, document('instead'));
    await next(3);
    assert.deepEqual([heard[0], heard[1], heard.at(-1)], ['1 "stays"', '2 "moves"', '2 "instead"']);
  } finally {
    client.close();
  }
});

test('a fork takes back nothing that is irreversible', async () => {
  await using chain = await devChain({ mining: 'none' });
  await chain.mine(100);
  await assert.rejects(
    chain.fork(60),
    (error) => error instanceof Refusal && error.code === 'fork_of_final' && /block 49 is irreversible.* 51 blocks/.test(error.message),
  );
  assert.equal((await chain.fork(51)).head_block_number, 101);
});

test('answers come late although what they answer is done at once, and only as many as were asked for', async () => {
  await using chain = await devChain();
  const trx = await chain.client.sign(await chain.client.build([payment()]), [chain.account('alice').key]);
  await chain.delayAnswers(600_000, 1);
  const given = new AbortController();
  const call = { jsonrpc: '2.0', id: 1, method: 'network_broadcast_api.broadcast_transaction', params: { trx } };
  const late = fetch(chain.url, { method: 'POST', body: JSON.stringify(call), signal: given.signal });
  // It is not answered, and done.
  for (let looks = 0; (await balanceOf(chain, 'bob')) !== '10000001.000000 COIN'; looks++) {
    assert.ok(looks < 10_000);
    await new Promise(setImmediate);
  }
  given.abort();
  await assert.rejects(late);
  // The client sends it again: it was sent before.
  assert.match(await post(chain, call), /duplicate_transaction/);
  await chain.delayAnswers(30, 2);
  const info = { jsonrpc: '2.0', id: 7, method: 'alexandria_api.info' };
  for (let times = 0; times < 3; times++) assert.match(await post(chain, info), /"id":7/);
  await chain.delayAnswers(600_000, 1000);
  await chain.delayAnswers(0);
  assert.match(await post(chain, info), /"id":7/);
});

test('every third broadcast is refused as by a busy node, until that is ended', async () => {
  await using chain = await devChain();
  await chain.refuseBroadcasts(3);
  const outcomes: string[] = [];
  for (let n = 0; n < 6; n++)
    outcomes.push(
      await pays(chain, payment(`${n}`)).then(
        () => 'sent',
        (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
      ),
    );
  assert.deepEqual(outcomes, ['sent', 'sent', 'too_many_broadcasts', 'sent', 'sent', 'too_many_broadcasts']);
  await chain.refuseBroadcasts(1);
  await assert.rejects(chain.sendUnsigned([payment('all')]), (error) => error instanceof Refusal && error.code === 'too_many_broadcasts');
  await chain.refuseBroadcasts(0);
  await pays(chain, payment('again'));
  assert.equal(await balanceOf(chain, 'bob'), '10000005.000000 COIN');
});
