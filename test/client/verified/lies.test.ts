import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Refusal } from '../../../src/base/refusal.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import type { NodeConnection } from '../../../src/client/connection.ts';
import { verifiedClient, VerifiedClient } from '../../../src/client/verified.ts';
import { NodesDiffer } from '../../../src/client/verified/nodes_differ.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { lies, stolenInTime, WITHHELD, makeWorlds, type Lie } from './lies.ts';
import { makeConnection, LyingNode, NodesOverHttp } from './lying_node.ts';

// A node that lies in every way that is known, over HTTP, and the client that finds it out.

const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const honest = new LyingNode(worlds);
const old = new LyingNode(worlds, undefined, 'old');
const lying = new Map([...lies, stolenInTime].map((lie) => [lie.name, new LyingNode(worlds, lie)]));
const server = new NodesOverHttp(new Map([...lying, ['honest', honest], ['old', old]]));
before(async () => await server.listen());
after(() => server.close());

const makeClient = ({ checkpoint }: LyingNode, ...names: string[]): VerifiedClient =>
  verifiedClient({ checkpoint, nodes: names.map((name) => server.url(name)) });

async function awaitRefusal(call: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const asked = async (lie: Lie, client: VerifiedClient, node: LyingNode): Promise<unknown> =>
  lie.transaction === undefined ? await client.head() : await client.transaction(node.transaction);

test('what an honest node proves is believed: the head, transactions, and a newer checkpoint', async () => {
  const client = makeClient(honest, 'honest');
  const { newest } = worlds.honest;
  const head = await client.head();
  assert.deepEqual([head.number, head.id, head.epoch], [newest, worlds.honest.block(newest).id, 19]);
  assert.ok(head.ageSeconds <= 60, `${head.ageSeconds} s`);
  const told = await client.transaction(honest.transaction);
  assert.deepEqual(told.operations[0], [
    'transfer',
    { fee: '0.000001 COIN', from: 'alice', to: 'bob', amount: '2.500000 COIN', memo: `${newest} 0` },
  ]);
  assert.deepEqual([told.block_num, told.id, told.head.number], [newest, honest.transaction, newest]);
  for (let number = 1; number <= newest; number += 7) {
    const { transactions, id } = worlds.honest.block(number);
    for (const each of transactions) assert.equal((await client.transaction(each.id)).block_id, id);
  }
  client.close();
});

for (const lie of lies.filter(({ refused }) => refused !== undefined)) {
  test(`${lie.name} is refused as ${lie.refused}`, async () => {
    const node = lying.get(lie.name) ?? assert.fail();
    const client = makeClient(node, lie.name);
    assert.equal((await awaitRefusal(asked(lie, client, node)))?.code, lie.refused);
    client.close();
  });
}

test('a node that withholds news is found out by the age of its head', async () => {
  const client = makeClient(lying.get('withheld news') ?? assert.fail(), 'withheld news');
  const { number, ageSeconds } = await client.head();
  assert.equal(number, WITHHELD);
  assert.ok(ageSeconds >= 60, `${ageSeconds} s`);
  client.close();
});

test('what was proven once stays: a node that goes back is not followed', async () => {
  const clock = new HandClock(Date.now());
  const node = new LyingNode(worlds);
  const connection = makeConnection(node);
  const checkpoint = parseCheckpoint(node.checkpoint) ?? assert.fail();
  const client = new VerifiedClient({ checkpoint, nodes: [{ url: 'here', connection }], clock, keyPrefix: 'PHR' });
  const { number } = await client.head();
  assert.equal(number, worlds.honest.newest);
  node.goBack(WITHHELD);
  clock.pass(60_000);
  const later = await client.head();
  assert.deepEqual([later.number, later.ageSeconds >= 60], [number, true]);
});

test('two proofs at once that contradict each other are not both believed', async () => {
  const [right, thief] = [makeConnection(new LyingNode(worlds)), makeConnection(new LyingNode(worlds, stolenInTime))];
  let proofs = 0;
  const connection: NodeConnection = {
    call: async (method, ...rest) => {
      const isOfThief = method.endsWith('_proof') && ++proofs === 2;
      return await (isOfThief ? thief : right).call(method, ...rest);
    },
    close: () => undefined,
  };
  const checkpoint = parseCheckpoint(honest.checkpoint) ?? assert.fail();
  const clock = new HandClock(Date.now());
  const client = new VerifiedClient({ checkpoint, nodes: [{ url: 'here', connection }], clock, keyPrefix: 'PHR' });
  const [one, other] = await Promise.all([client.block(79), client.block(80)].map(awaitRefusal));
  assert.deepEqual([one?.code, other?.code], [undefined, 'contradicts_earlier_proof']);
});

test('two thirds of the trusted voters are believed at any age', async () => {
  const client = makeClient(old, 'old');
  assert.equal((await client.head()).number, worlds.old.newest);
  client.close();
});

test('a second node that proves another block stops the client, with both certificates as evidence', async () => {
  for (const names of [
    [stolenInTime.name, 'honest'],
    ['honest', stolenInTime.name],
  ]) {
    const client = makeClient(honest, ...names);
    const refusal = await awaitRefusal(client.head());
    assert.ok(refusal instanceof NodesDiffer, String(refusal));
    const [one, other] = refusal.evidence;
    assert.deepEqual(
      [one.node, other.node],
      names.map((name) => server.url(name)),
    );
    assert.notEqual(one.block_id, other.block_id);
    assert.ok(one.certificate.length > 3000 && one.voters.length === 51 && other.voters.length === 51);
    assert.equal(
      await awaitRefusal(client.transaction(honest.transaction)),
      refusal,
      'and nothing is believed any more',
    );
    client.close();
  }
});

test('without a second node, or with one that is silent, stolen keys of a third are what they are', async () => {
  const alone = makeClient(honest, stolenInTime.name);
  assert.equal((await alone.head()).id, worlds.stolen18.block(worlds.stolen18.newest).id);
  const { checkpoint } = honest;
  const unheard = verifiedClient({ checkpoint, nodes: [server.url(stolenInTime.name), 'http://127.0.0.1:1'] });
  assert.equal((await awaitRefusal(unheard.head()))?.code, 'no_second_node');
});

test('a second node that agrees, or that has no proof, disturbs nobody who is trusted by two thirds', async () => {
  for (const other of ['honest', 'nobody']) {
    const client = makeClient(old, 'old', other);
    assert.equal((await client.head()).number, worlds.old.newest);
    client.close();
  }
});

test('after a false proof another node is asked first', async () => {
  const client = makeClient(honest, 'prepares for commits', 'honest', 'honest');
  assert.equal((await awaitRefusal(client.head()))?.code, 'certificate_of_prepares');
  assert.equal((await client.head()).number, worlds.honest.newest);
  client.close();
});

test('what no node proves is what the nodes say, and no proof of absence', async () => {
  const client = makeClient(honest, 'honest');
  assert.equal((await awaitRefusal(client.transaction('1'.repeat(40))))?.code, 'transaction_not_found');
  assert.equal((await awaitRefusal(client.transaction('x')))?.code, 'not_a_transaction_id');
  client.close();
});

test('a checkpoint of another form is refused where it is given', () => {
  const nodes = ['http://127.0.0.1:1'];
  for (const checkpoint of ['', 'x', honest.checkpoint.slice(1)])
    assert.throws(() => verifiedClient({ checkpoint, nodes }), /a checkpoint NUMBER:/);
  assert.throws(() => verifiedClient({ checkpoint: honest.checkpoint, nodes: [] }), /at least one address/);
});
