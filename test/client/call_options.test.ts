import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { NodeSilent, NodeTimeout } from '../../src/client/answer.ts';
import { NodeRefusal } from '../../src/client/node_refusal.ts';
import { Client } from '../../src/client/client.ts';
import { openConnection } from '../../src/client/connect.ts';
import type { NodeConnection } from '../../src/client/connection.ts';
import { connect, http } from '../../src/client/index.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';
import { closeFakeNodes, fakeNode, resultText, type FakeNode } from '../builders/fake_node.ts';
import { HandClock } from '../builders/hand_clock.ts';

after(closeFakeNodes);

const chain = await devChain({ mining: 'none' });
after(async () => await chain.stop());

const LIMITS = { timeoutMs: 5000, repeatable: true };
const INFO = 'alexandria_api.info';
const BROADCAST = 'network_broadcast_api.broadcast_transaction';
const symbols = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };

/** A node that answers every call with its method, but for `silence`. */
async function echo(): Promise<FakeNode> {
  return await fakeNode(({ method, id }) => (method === 'silence' ? undefined : resultText(id, method)));
}

/** A client of a node that fails so often, and then answers. */
function failing(times: number, error: Error): { client: Client; clock: HandClock; asked: () => number } {
  let asked = 0;
  const connection: NodeConnection = {
    call: async () => {
      asked++;
      if (asked <= times) throw error;
      return await Promise.resolve({ info: {} });
    },
    close: () => undefined,
  };
  const clock = new HandClock(0);
  return { client: new Client(connection, clock, { chainId: '00', symbols }), clock, asked: () => asked };
}

for (const protocol of ['http', 'ws']) {
  test(`${protocol}: an aborted call rejects at once with the reason, and the connection serves the next call`, async (t) => {
    const node = await echo();
    const { port, asked } = node;
    const connection = openConnection(`${protocol}://127.0.0.1:${port}`, systemClock);
    t.after(() => connection.close());
    const stop = new AbortController();
    const waiting = connection.call('silence', {}, { ...LIMITS, timeoutMs: 600_000, signal: stop.signal });
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new Error('the user went away');
    stop.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
    assert.equal(await connection.call('hello', {}, LIMITS), 'hello');
    assert.deepEqual(asked, ['silence', 'hello']);
    if (protocol === 'ws') assert.equal(node.connections, 1);
  });

  test(`${protocol}: what is aborted before it begins is not sent`, async (t) => {
    const { port, asked } = await echo();
    const connection = openConnection(`${protocol}://127.0.0.1:${port}`, systemClock);
    t.after(() => connection.close());
    await assert.rejects(connection.call('hello', {}, { ...LIMITS, signal: AbortSignal.abort() }), {
      name: 'AbortError',
    });
    assert.deepEqual(asked, []);
  });
}

test('each call of a client takes a signal', async () => {
  const result = await chain.client.call(INFO, {}, { signal: new AbortController().signal });
  assert.equal(result.info.head_block_number, 0);
  await assert.rejects(chain.client.call(INFO, {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('who no longer waits for a block is told so, and the transaction goes its way', async () => {
  const { alice } = chain.accounts;
  assert.ok(alice !== undefined);
  const transfer = ['transfer', { from: alice.name, to: 'bob', amount: '1.000000 COIN', memo: 'aborted' }] as const;
  const signed = await chain.client.sign(await chain.client.build([transfer]), [alice.key]);
  const stop = new AbortController();
  const sending = chain.client.broadcast(signed, { signal: stop.signal });
  const id = await chain.client.transactionId(signed);
  const status = async (): Promise<string> =>
    (await chain.client.call('transaction_status_api.find_transaction', { transaction_id: id })).status;
  while ((await status()) !== 'pending') await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await assert.rejects(sending, { name: 'AbortError' });
  await chain.client.call('debug_api.produce_blocks', { count: 1 });
  assert.notEqual(await status(), 'pending');
});

const payment = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }] as const;

test('what makes several calls takes the options, too: nothing of it is asked behind an abort', async () => {
  const { client } = chain;
  const given = { signal: AbortSignal.abort() };
  const signed = await client.sign(await client.build([payment]), [chain.account('alice').key]);
  for (const call of [
    async () => await client.idOfBlock(1, given),
    async () => await client.build([payment], 300, given),
    async () => await client.simulate([payment], given),
    async () => await client.send([payment], [], 300, given),
    async () => await client.broadcast(signed, given),
    async () => await client.waitForTransaction('00', given),
    async () => await connect(chain.url, given),
    async () => await connect({ transport: http(chain.url), ...given }),
  ])
    await assert.rejects(call, { name: 'AbortError' });
  const { client: away, clock, asked } = failing(1, new NodeSilent('away', true));
  const asking = away.idOfBlock(0, { retries: 1 }).catch((error: unknown) => error);
  while (asked() === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  clock.pass(500);
  await asking;
  assert.equal(asked(), 2);
});

test('connect gives up behind its time limit, or asks again as often as it says', async (t) => {
  const { port, asked } = await fakeNode(({ id }) => {
    const isFirst = asked.length === 1;
    return isFirst ? undefined : resultText(id, { version_info: { chain_id: '5'.repeat(64) } });
  });
  const url = `http://127.0.0.1:${port}`;
  await assert.rejects(connect(url, { timeoutMs: 20 }), NodeTimeout);
  asked.length = 0;
  const client = await connect(url, { timeoutMs: 500, retries: 5 });
  t.after(() => client.close());
  assert.equal(client.chainId, '5'.repeat(64));
});

test('timeoutMs ends the wait for a block, and the transaction goes its way', async () => {
  const sending = chain.client.send([payment], [chain.account('alice').key], 300, { timeoutMs: 300 });
  await assert.rejects(sending, (error) => error instanceof NodeTimeout || error instanceof NodeRefusal);
  assert.equal((await chain.client.call('debug_api.produce_blocks', { count: 1 })).head_block_number > 0, true);
  await assert.rejects(chain.client.send([payment], [], 300, { timeoutMs: 0 }), { code: 'bad_timeout' });
});

test('a signal ends subscriptions of every kind, before and after a node has accepted them', async (t) => {
  const client = await connect(chain.url.replace('http', 'ws'));
  t.after(() => client.close());
  const heard: string[] = [];
  const undone = (): void => undefined;
  const begin = (signal: AbortSignal): Promise<object>[] => [
    client.followBlocks({ signal }, { block: () => heard.push('block'), undone }),
    client.followOperations({ signal }, { operation: () => heard.push('operation'), undone }),
    client.followTransfers('alice', { signal }, { transfer: () => heard.push('transfer'), undone }),
    client.followBalances('alice', { signal }, { balance: () => heard.push('balance'), undone }),
    client.follow(
      { app_id: 1n, account_name: 'bob', search_type: 'by_recipient' },
      { document: () => heard.push('document') },
      { signal },
    ),
  ];
  for (const each of begin(AbortSignal.abort())) await assert.rejects(each, { name: 'AbortError' });
  const stop = new AbortController();
  await Promise.all(begin(stop.signal));
  await chain.client.call('debug_api.produce_blocks', { count: 1 });
  while (!heard.includes('block')) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  heard.length = 0;
  await chain.client.call('debug_api.produce_blocks', { count: 1 });
  await client.call(INFO, {});
  assert.deepEqual(heard, []);
});

test('timeoutMs is how long a node is waited for', async () => {
  const { port } = await echo();
  const client = new Client(
    {
      call: async (_method, params, terms) =>
        await openConnection(`http://127.0.0.1:${port}`, systemClock).call('silence', params, terms),
      close: () => undefined,
    },
    systemClock,
    { chainId: '00', symbols },
  );
  await assert.rejects(client.call(INFO, {}, { timeoutMs: 20 }), NodeTimeout);
});

test('a call is repeated as often as it says, with pauses that double', async () => {
  for (const error of [
    new NodeSilent('away', true),
    new NodeRefusal('too_busy', 'busy'),
    new NodeRefusal('stopping', 'bye'),
  ]) {
    const { client, clock, asked } = failing(3, error);
    const calling = client.call(INFO, {}, { retries: 3 });
    for (const [index, pauseMs] of [500, 1000, 2000].entries()) {
      while (asked() <= index) await new Promise(setImmediate);
      await new Promise(setImmediate);
      clock.pass(pauseMs - 1);
      await new Promise(setImmediate);
      assert.equal(asked(), index + 1);
      clock.pass(1);
    }
    assert.deepEqual(await calling, { info: {} });
    await assert.rejects(failing(1, error).client.call(INFO, {}), (found) => found === error);
  }
});

test('what time does not cure is not repeated, nor a change that may have arrived', async () => {
  const params = {
    trx: { ref_block_num: 0, ref_block_prefix: 0, expiration: '', operations: [], extensions: [], signatures: [] },
    max_block_age: -1,
  } as const;
  for (const error of [
    new NodeRefusal('insufficient_funds', 'poor'),
    new NodeRefusal('internal_error', '?'),
    new Error('bug'),
  ]) {
    const { client, asked } = failing(9, error);
    await assert.rejects(client.call(INFO, {}, { retries: 5 }), (found) => found === error);
    assert.equal(asked(), 1);
  }
  const arrived = failing(9, new NodeSilent('away', true));
  await assert.rejects(arrived.client.call(BROADCAST, params, { retries: 5 }), NodeSilent);
  assert.equal(arrived.asked(), 1);
});

test('a signal ends the pause between two attempts', async () => {
  const { client, asked } = failing(9, new NodeSilent('away', true));
  const stop = new AbortController();
  const calling = client.call(INFO, {}, { retries: 5, signal: stop.signal });
  while (asked() === 0) await new Promise(setImmediate);
  stop.abort();
  await assert.rejects(calling, { name: 'AbortError' });
  assert.equal(asked(), 1);
});

for (const options of [
  { timeoutMs: 0 },
  { timeoutMs: -1 },
  { timeoutMs: NaN },
  { timeoutMs: Infinity },
  { retries: -1 },
  { retries: 1.5 },
  { retries: 21 },
])
  test(`options that mean nothing are refused by name: ${Object.entries(options).join()}`, async () => {
    await assert.rejects(chain.client.call(INFO, {}, options), (error) => {
      const [name = ''] = Object.keys(options);
      return error instanceof Refusal && error.code.startsWith('bad_') && error.message.startsWith(`${name}: `);
    });
  });
