import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/client/index.ts';
import {
  devChain,
  Refusal,
  type DevChain,
  type GivenOperation,
  type SendingMethod,
} from '../../src/dev_chain/dev_chain.ts';
import { FaultsOnDemand } from '../../src/node/http/faults_on_demand.ts';
import type { Params } from '../../src/rpc/method_types.ts';
import { HandClock } from '../builders/hand_clock.ts';

const payment = (memo = ''): GivenOperation => [
  'transfer',
  { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo },
];
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

async function fetchBalance(chain: DevChain, account_name: string): Promise<string> {
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
    const listener = {
      document: (number: bigint, { data }: { data: string }) => (heard.push(`${number} ${data}`), wake()),
    };
    await client.follow({ app_id: 1n, account_name: 'bob', search_type: 'by_recipient' }, listener);
    const first = await pays(chain, document('stays'));
    await pays(chain, document('moves'), payment());
    await next(2);
    const head = await chain.mine();
    const forked = await chain.fork(2);
    assert.equal(forked.head_block_number, head.head_block_number + 1);
    assert.notEqual(forked.head_block_id.slice(8), head.head_block_id.slice(8));
    assert.equal(await fetchBalance(chain, 'bob'), '10000001.000000 COIN');
    // The other branch has no room for it.
    const gone = await chain.fork(forked.head_block_number - first.block_num, { keepTransactions: false });
    assert.equal(gone.head_block_number, forked.head_block_number + 1);
    assert.equal(await fetchBalance(chain, 'bob'), '10000000.000000 COIN');
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
    (error) =>
      error instanceof Refusal &&
      error.code === 'fork_of_final' &&
      /block 49 is irreversible.* 51 blocks/.test(error.message),
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
  for (let looks = 0; (await fetchBalance(chain, 'bob')) !== '10000001.000000 COIN'; looks++) {
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

test('only answers of the methods that are named come late, however a client names them', async () => {
  const account = 'alexandria_api.get_account';
  const [named, info] = [{ account_name: 'bob' }, { jsonrpc: '2.0', id: 7, method: 'alexandria_api.info' }];
  const meant = [
    { jsonrpc: '2.0', id: 1, method: account, params: named },
    { jsonrpc: '2.0', id: 1, method: 'call', params: ['alexandria_api', 'get_account', named] },
    { id: 1, method: 'get_account', params: ['bob'] },
    [info, { jsonrpc: '2.0', id: 1, method: account, params: named }],
  ];
  const others = [
    info,
    5,
    null,
    [],
    { ...info, method: 'call' },
    { ...info, method: 5 },
    { ...info, method: 'get_acount' },
    [[info]],
  ];
  const clock = new HandClock(0);
  const faults = new FaultsOnDemand(clock, []);
  const encodeBody = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));
  faults.delayAnswers({ delayMs: 5000, count: meant.length, methods: ['block_api.get_block', account] });
  for (const body of [...others.map(encodeBody), Buffer.from('no JSON')]) {
    assert.equal(faults.delays(body), false, body.toString());
    assert.equal(
      faults.late(body, () => 'answer'),
      'answer',
    );
  }
  for (const body of meant) {
    let isAnswered = false;
    const late = Promise.resolve(faults.late(encodeBody(body), () => 'answer')).then(() => (isAnswered = true));
    clock.pass(4999);
    await new Promise(setImmediate);
    assert.equal(isAnswered, false, JSON.stringify(body));
    clock.pass(1);
    await late;
  }
  // As many as were asked for.
  assert.equal(faults.delays(encodeBody(meant[0])), false);
});

test('a method that is to be slow, and is none of the node, is told of', async () => {
  await using chain = await devChain();
  const matchesRefusal =
    (text: RegExp) =>
    (error: unknown): boolean =>
      error instanceof Refusal && error.code === 'no_method_to_delay' && text.test(error.message);
  const delaying = (name: string): Promise<unknown> =>
    chain.call('debug_api.delay_answers', { delay_ms: 5, count: 1, methods: [name] });
  await assert.rejects(
    delaying('alexandria_api.get_acount'),
    matchesRefusal(/^methods: .*get_acount; did you mean alexandria_api\.get_account\?$/),
  );
  await assert.rejects(delaying('something.else'), matchesRefusal(/jsonrpc\.get_methods has their names$/));
  await chain.delayAnswers(30, 1, { methods: ['alexandria_api.info'] });
  assert.match(await post(chain, { jsonrpc: '2.0', id: 7, method: 'alexandria_api.info' }), /"id":7/);
});

test('only broadcasts by the methods that are named are refused, and each way to send has its name', async () => {
  await using chain = await devChain();
  const { key } = chain.account('alice');
  const built = async (memo: string): Promise<Params<'alexandria_api.send_and_sign_transaction'>['tx']> =>
    await chain.client.build([payment(memo)]);
  const signed = async (memo: string): Promise<Params<'alexandria_api.broadcast_transaction'>['tx']> =>
    await chain.client.sign(await chain.client.build([payment(memo)]), [key]);
  const ways: Readonly<Record<SendingMethod, (memo: string) => Promise<unknown>>> = {
    'network_broadcast_api.broadcast_transaction': async (memo) =>
      await chain.call('network_broadcast_api.broadcast_transaction', { trx: await signed(memo), max_block_age: -1 }),
    'network_broadcast_api.broadcast_transaction_synchronous': async (memo) =>
      await chain.call('network_broadcast_api.broadcast_transaction_synchronous', {
        trx: await signed(memo),
        max_block_age: -1,
      }),
    'alexandria_api.broadcast_transaction': async (memo) =>
      await chain.call('alexandria_api.broadcast_transaction', { tx: await signed(memo) }),
    'alexandria_api.send_and_sign_operation': async (memo) =>
      await chain.call('alexandria_api.send_and_sign_operation', { op: payment(memo), pk: key }),
    'alexandria_api.send_and_sign_transaction': async (memo) =>
      await chain.call('alexandria_api.send_and_sign_transaction', { tx: await built(memo), pk: key }),
    'debug_api.send_unsigned': async (memo) => await chain.sendUnsigned([payment(memo)]),
  };
  for (const refused of methodNames(ways)) {
    await chain.refuseBroadcasts(1, { methods: [refused] });
    for (const name of methodNames(ways)) {
      const sending = ways[name](`${refused} ${name}`);
      if (name === refused)
        await assert.rejects(sending, (error) => error instanceof Refusal && error.code === 'too_many_broadcasts');
      else await sending;
    }
  }
  const wrong = {
    jsonrpc: '2.0',
    id: 1,
    method: 'debug_api.refuse_broadcasts',
    params: { every: 1, methods: ['transfer'] },
  };
  assert.match(
    await post(chain, wrong),
    /methods\[0\].*must be one of network_broadcast_api\.broadcast_transaction, .*, got/,
  );
});

function methodNames<N extends string>(ways: Readonly<Record<N, unknown>>): N[];
function methodNames(ways: object): string[] {
  return Object.keys(ways);
}

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
  await assert.rejects(
    chain.sendUnsigned([payment('all')]),
    (error) => error instanceof Refusal && error.code === 'too_many_broadcasts',
  );
  await chain.refuseBroadcasts(0);
  await pays(chain, payment('again'));
  assert.equal(await fetchBalance(chain, 'bob'), '10000005.000000 COIN');
});
