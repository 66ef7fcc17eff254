import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { NodeSilent } from '../../../src/client/answer.ts';
import type { CallTerms, ConnectionListener, NodeConnection } from '../../../src/client/connection.ts';
import { VerifiedClient } from '../../../src/client/verified/verified_client.ts';
import type { VerifiedPayment } from '../../../src/client/verified/payments.ts';
import type { Json } from '../../../src/codec/json.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { waitUntil } from '../../outside/wait_until.ts';
import { lies, stolenInTime, makeWorlds } from './lies.ts';
import { makeConnection, LyingNode } from './lying_node.ts';

// Payments of an account, as a node tells of them, truly or not.

const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const { honest } = worlds;

/** A node that tells of payments when a test says so. */
class TellingNode implements NodeConnection {
  readonly asked: Json[] = [];
  isAway = false;
  readonly #connection: NodeConnection;
  #listener: ConnectionListener | undefined;
  #returnId = 0;

  constructor(node: LyingNode) {
    this.#connection = makeConnection(node);
  }

  async call(method: string, params: Json, terms: CallTerms): Promise<Json> {
    if (this.isAway) throw new NodeSilent('the node is away', false);
    if (!method.startsWith('subscribe_api.')) return await this.#connection.call(method, params, terms);
    if (method === 'subscribe_api.unsubscribe') return null;
    this.asked.push(params);
    this.#returnId = Number(Object(params)['return_id']);
    return { position: 'begun' };
  }

  listen(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  close(): void {}

  /** Says that a transaction has a transfer of the account. */
  tell(trx_id: string, op_in_trx = 0, position = `at ${trx_id}`): void {
    const item = { type: 'operation', position, operation: { trx_id, op_in_trx } };
    this.#listener?.notice(this.#returnId, [item]);
  }
}

interface Heard {
  readonly payments: VerifiedPayment[];
  readonly refused: string[];
  readonly stalled: string[];
  readonly failed: string[];
}

const errorName = (error: unknown): string => String(Object(error)['code']);

/** A client that has begun to hear of bob's payments, and what it hears. */
async function following(
  nodes: readonly TellingNode[],
  clock = new HandClock(Date.now()),
  resume?: string,
): Promise<Heard & { readonly position: () => string; readonly client: VerifiedClient }> {
  const checkpoint = present(parseCheckpoint(new LyingNode(worlds).checkpoint), 'a checkpoint');
  const named = nodes.map((connection, at) => ({ url: `node ${at}`, connection }));
  const client = new VerifiedClient({ checkpoint, nodes: named, clock, keyPrefix: 'PHR' });
  const heard: Heard = { payments: [], refused: [], stalled: [], failed: [] };
  const followed = await client.follow(
    { account: 'bob', resume },
    {
      payment: (payment) => heard.payments.push(payment),
      refused: (error) => heard.refused.push(errorName(error)),
      stalled: (error) => heard.stalled.push(errorName(error)),
      failed: (error) => heard.failed.push(errorName(error)),
    },
  );
  return { ...heard, client, position: () => followed.position };
}

/** Lets everything happen that waits for nothing else. */
const settled = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20));
const getTransaction = (number: number, at = 0): string => present(honest.block(number).transactions[at], 'one').id;

test('each payment is proven before it is told, in the order of blocks', async () => {
  const node = new TellingNode(new LyingNode(worlds));
  const heard = await following([node]);
  assert.deepEqual(node.asked[0], {
    ...{ accounts: ['bob'], kinds: ['transfer'], level: 'irreversible' },
    return_id: Object(node.asked[0])['return_id'],
  });
  const told = [getTransaction(10), getTransaction(10, 1), getTransaction(20), getTransaction(79)];
  for (const id of told) node.tell(id);
  await settled();
  assert.deepEqual(
    heard.payments.map(({ transaction_id }) => transaction_id),
    told,
  );
  const [{ from, to, amount, memo, block_num, head } = assert.fail()] = heard.payments;
  assert.deepEqual([from, to, amount, memo, block_num], ['alice', 'bob', '2.500000 COIN', '10 0', 10]);
  assert.deepEqual([head.number, head.ageSeconds >= 0], [honest.newest, true]);
  assert.equal(heard.position(), `79/at ${getTransaction(79)}`);
  assert.deepEqual([heard.refused, heard.failed], [[], []]);
  heard.client.close();
});

test('payments that are told twice, out of order, of others or of no transaction are refused', async () => {
  const node = new TellingNode(new LyingNode(worlds));
  const heard = await following([node]);
  node.tell(getTransaction(10));
  node.tell(getTransaction(10));
  node.tell(getTransaction(9));
  node.tell(getTransaction(11), 1);
  node.tell('1'.repeat(40));
  node.tell('what');
  await settled();
  assert.equal(heard.payments.length, 1);
  assert.deepEqual(heard.refused, [
    ...['payment_out_of_order', 'payment_out_of_order', 'no_such_payment'],
    ...['transaction_not_found', 'not_a_transaction_id'],
  ]);
  const again = await following([node], new HandClock(Date.now()), heard.position());
  assert.equal(Object(node.asked[1])['resume'], 'at what');
  node.tell(getTransaction(9));
  node.tell(getTransaction(11));
  await settled();
  assert.deepEqual([again.refused, again.payments.length], [['payment_out_of_order'], 1]);
  await assert.rejects(
    following([node], new HandClock(Date.now()), 'elsewhere'),
    /a position that this client has told/,
  );
});

test('a payment that the first node can not prove is proven by the second, and the lie is told', async () => {
  const lie = present(
    lies.find(({ name }) => name === 'a forged branch'),
    'a lie',
  );
  const [liar, right] = [new TellingNode(new LyingNode(worlds, lie)), new TellingNode(new LyingNode(worlds))];
  const alone = await following([liar]);
  liar.tell(getTransaction(80));
  await settled();
  assert.deepEqual([alone.payments.length, alone.refused], [0, ['transaction_not_in_block']]);
  const heard = await following([liar, right]);
  liar.tell(getTransaction(80));
  await settled();
  assert.deepEqual([heard.payments.length, heard.refused, heard.stalled], [1, [], ['transaction_not_in_block']]);
});

test('no payment is lost while the node is away', async () => {
  const node = new TellingNode(new LyingNode(worlds));
  const clock = new HandClock(Date.now());
  const heard = await following([node], clock);
  node.isAway = true;
  node.tell(getTransaction(10));
  await settled();
  for (let second = 0; second < 5; second++) {
    clock.pass(1000);
    await settled();
  }
  assert.deepEqual([heard.payments.length, heard.stalled], [0, ['transport']]);
  node.isAway = false;
  clock.pass(1000);
  await settled();
  assert.equal(heard.payments.length, 1);
});

test('a node that tells faster than it proves is told to stop, and asked again behind what was told', async () => {
  const node = new TellingNode(new LyingNode(worlds));
  const heard = await following([node]);
  for (let told = 0; told < 1500; told++) node.tell(getTransaction(10), told, `at ${told}`);
  await waitUntil('another subscription', () => (node.asked.length > 1 ? true : undefined));
  assert.equal(Object(node.asked[1])['resume'], 'at 999');
  assert.deepEqual([heard.payments.length, heard.refused.length], [1, 999]);
  node.tell(getTransaction(11));
  await settled();
  assert.equal(heard.payments.length, 2);
});

test('nothing more is told once two nodes have proven blocks that contradict each other', async () => {
  const [one, other] = [new LyingNode(worlds), new LyingNode(worlds, stolenInTime)].map(
    (node) => new TellingNode(node),
  );
  const heard = await following([present(one, 'a node'), present(other, 'a node')]);
  one?.tell(getTransaction(10));
  one?.tell(getTransaction(11));
  await settled();
  assert.deepEqual([heard.payments, heard.refused, heard.failed], [[], [], ['nodes_differ']]);
});

test('a client of nodes without WebSocket says that it hears nothing', async () => {
  const checkpoint = present(parseCheckpoint(new LyingNode(worlds).checkpoint), 'a checkpoint');
  const nodes = [{ url: 'here', connection: makeConnection(new LyingNode(worlds)) }];
  const client = new VerifiedClient({ checkpoint, nodes, clock: new HandClock(0), keyPrefix: 'PHR' });
  const listener = { payment: () => undefined, refused: () => undefined };
  await assert.rejects(client.follow({ account: 'bob' }, listener), /over a WebSocket only/);
});
