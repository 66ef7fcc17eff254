import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect } from '../../src/client/index.ts';
import { closeFakeNodes, fakeNode, type FakeCall } from '../builders/fake_node.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';

after(closeFakeNodes);

const CHAIN = '5'.repeat(64);

/** A node of that head, which a test moves: it refuses what it has not reached, and says what each call asked for. */
async function makeNode(head: number) {
  const node = { head, asked: [] as (number | undefined)[], url: '', highest: 0 };
  const headAnswer = ({ id, method, min_head }: FakeCall): object => {
    if (method === 'alexandria_api.info') node.asked.push(min_head);
    const isBehind = min_head !== undefined && min_head > node.head;
    if (isBehind) {
      const name = min_head <= node.highest ? 'head_undone' : 'head_out_of_reach';
      return { jsonrpc: '2.0', id, error: { code: -32003, message: 'behind', data: { name } } };
    }
    const result = method.endsWith('get_version')
      ? { version_info: { chain_id: CHAIN } }
      : { info: { from: node.head }, block_num: 70 };
    return {
      jsonrpc: '2.0',
      id,
      result,
      ...(min_head === undefined ? {} : { head: { number: node.head, id: '0'.repeat(40) } }),
    };
  };
  node.url = (await fakeNode((call) => JSON.stringify(headAnswer(call)))).url;
  return node;
}

const info = async (client: Awaited<ReturnType<typeof connect>>): Promise<unknown> =>
  await client.call('alexandria_api.info', {});

test('a call asks for the head that was seen, and goes to another node where one lags behind', async () => {
  const [ahead, behind] = [await makeNode(50), await makeNode(20)];
  const client = await connect([ahead.url, behind.url]);
  await info(client);
  assert.deepEqual(ahead.asked, [50]);
  ahead.head = 10;
  behind.head = 51;
  await info(client);
  assert.deepEqual([ahead.asked, behind.asked], [[50, 50], [51]]);
  await info(client);
  assert.deepEqual(behind.asked, [51, 51]);
  client.close();
});

test('what a broadcast says of its block is asked for from then on, and a node that lags is asked again until it has it', async () => {
  const node = await makeNode(50);
  const client = await connect(node.url);
  await client.call('network_broadcast_api.broadcast_transaction_synchronous', { trx: Object({}), max_block_age: -1 });
  const asked = info(client);
  while (node.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  node.head = 70;
  await asked;
  assert.deepEqual(node.asked, [70, 70]);
  client.close();
});

test('a node that never comes so far is an error after some attempts; a chain that was taken back is none', async () => {
  const node = await makeNode(50);
  const client = await connect(node.url);
  node.head = 40;
  await assert.rejects(info(client), { code: 'head_out_of_reach' });
  assert.deepEqual(node.asked, [50, 50, 50, 50]);
  node.highest = 50;
  await info(client);
  assert.deepEqual(node.asked.slice(4), [50, 0]);
  client.close();
});

test('minHead: false asks for nothing', async () => {
  const node = await makeNode(50);
  const client = await connect(node.url, { minHead: false });
  await info(client);
  assert.deepEqual(node.asked, [undefined]);
  client.close();
});

test('a client goes on where a development chain is taken back, over HTTP and WebSocket', async (t) => {
  const chain = await devChain();
  t.after(() => chain.stop());
  for (const url of [chain.url, chain.url.replace('http:', 'ws:')]) {
    const client = await connect(url);
    t.after(() => client.close());
    const snapshot = await client.call('debug_api.snapshot', {});
    await client.call('debug_api.produce_blocks', { count: 10 });
    const before = (await client.call('alexandria_api.info', {})).info.head_block_number;
    await client.call('debug_api.revert', snapshot);
    assert.equal((await client.call('alexandria_api.info', {})).info.head_block_number, before - 10);
  }
});
