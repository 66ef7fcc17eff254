import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import type { Target } from '../../src/wire/addresses.ts';
import { produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { bundled } from '../builders/chain_line.ts';
import { TlsNode } from '../builders/tls_node.ts';

const parameters = testParameters();
const nodes: TlsNode[] = [];

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

function makeNode(number: number, seeds: readonly Target[] = [], own = parameters): TlsNode {
  const node = new TlsNode({ number, parameters: own, seeds });
  nodes.push(node);
  return node;
}

test('a node finds another one over TLS, gets its blocks by ranges, follows it, and a transaction posted at one is in a block of the other', async () => {
  const maker = makeNode(1);
  for (let number = 0; number < 2500; number++) produce(maker.line.chain);
  const seed = await maker.listen();
  const follower = makeNode(2, [seed]);
  await follower.listen();
  await follower.until(() => follower.line.head.number === 2500);
  assert.equal(follower.line.chain.head.stateHash, maker.line.chain.head.stateHash);
  await follower.until(() => follower.network.state === 'live' && maker.network.state === 'live');

  const transfer = makeTransaction(follower.line.chain, parameters, [transferJson('alice', 'bob', 7)], ['alice']);
  follower.line.chain.accept(transfer);
  follower.network.accepted([bundled(transfer)]);
  await maker.until(() => maker.line.chain.pendingTransactions.length === 1);
  produce(maker.line.chain);
  await follower.until(() => follower.line.head.number === 2501);
  assert.deepEqual(
    follower.line.chain.block(2501)?.transactions.map(({ id }) => id),
    [transfer.id],
  );
  assert.equal(follower.line.chain.pendingTransactions.length, 0);
});

test('a node of another chain is told so and is no peer', async () => {
  const maker = makeNode(3);
  const seed = await maker.listen();
  const stranger = makeNode(4, [seed], testParameters({ genesis_time: '2026-11-20T00:00:00' }));
  await stranger.listen();
  await maker.until(() => maker.network.gate.unfinished === 0 && maker.network.connections.count === 0);
  assert.equal(maker.network.state, 'alone');
  assert.equal(stranger.network.state, 'alone');
});
