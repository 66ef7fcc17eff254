import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { stateHash } from '../../src/p2p/messages/state_hash.ts';
import type { NetworkSettings } from '../../src/p2p/network_settings.ts';
import { openChain, produce, transactionOn, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { nodeIdOf } from '../builders/pipes.ts';
import { Liar, standing } from './liar.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld, witnessNames } from './sim_world.ts';

const WITNESSES = 9;

/** What a node is told that trusts one of these. */
function trusting(...names: readonly string[]): Partial<NetworkSettings> {
  const introduction = { agent: 'pharos/test', endpoints: [], takesTransactions: true, wantsStateHashes: true };
  return { exchangesPeers: false, trusted: new Set(names.map(nodeIdOf)), introduction };
}

/** A world whose blocks, all together, are a few fewer than that. */
function worldBefore(number: number, seed: number): SimWorld {
  const { length } = new SimWorld({ seed, witnesses: WITNESSES }).blocks;
  return new SimWorld({ seed, witnesses: WITNESSES, moreBlocks: number - 4 - length });
}

/** A node that makes all blocks. */
function makerOf(world: SimWorld, blocks: readonly VerifiedBlock[] = world.blocks): SimNode {
  return world.add({ name: 'maker', seeds: [], witnesses: witnessNames(WITNESSES) }, blocks);
}

/** The blocks of a world, in one of which is a transfer that nobody has signed. */
function withUnsigned(world: SimWorld): { readonly blocks: VerifiedBlock[]; readonly number: number } {
  const blocks = world.blocks.slice(0, -120);
  const chain = openChain(world.parameters);
  chain.replay(blocks, { signatures: true });
  const unsigned = transactionOn(chain, world.parameters, [transferJson('alice', 'bob', 1)], []);
  const block = forgedBlock(chain, { transactions: [unsigned] });
  chain.replay([block], { signatures: true });
  blocks.push(block);
  while (chain.head.time < world.heap.nowMs / 1000 - 3) blocks.push(produce(chain));
  return { blocks, number: block.number };
}

test('a trusted node is believed who signed the transactions of its blocks, and nobody else is', () => {
  const world = new SimWorld({ seed: 31, witnesses: WITNESSES, moreBlocks: 400 });
  const { blocks, number } = withUnsigned(world);
  const maker = makerOf(world, blocks);
  // To those who look it is a liar.
  world.checks.liars.add(maker.id);
  const seeds = [{ ...maker.target, id: maker.id }];
  const believer = world.add({ name: 'believer', seeds, settings: trusting('maker') }, []);
  const doubter = world.add({ name: 'doubter', seeds, settings: trusting('somebody else') }, []);
  world.run(40);
  world.assertTogether([maker, believer]);
  assert.ok(doubter.chain.head.number < number, `block ${doubter.chain.head.number}`);
});

test('what a trusted node gives needs the signatures of its witnesses and a right merkle root all the same', () => {
  for (const forgery of [{ signer: 'nobody' }, { header: { transaction_merkle_root: '11'.repeat(20) } }]) {
    const world = new SimWorld({ seed: 32, witnesses: WITNESSES, moreBlocks: 400 });
    const old = world.blocks.slice(0, -120);
    const chain = openChain(world.parameters);
    chain.replay(old, { signatures: true });
    const wrong = forgedBlock(chain, forgery);
    chain.replay([wrong], { signatures: true });
    const blocks = [...old, wrong];
    while (chain.head.time < world.heap.nowMs / 1000 - 3) blocks.push(produce(chain));
    const maker = makerOf(world, blocks);
    world.checks.liars.add(maker.id);
    const believer = world.add({ name: 'believer', seeds: [{ ...maker.target, id: maker.id }], settings: trusting('maker') }, []);
    world.run(20);
    assert.equal(believer.chain.head.number, wrong.number - 1);
  }
});

test('who trusts a node is told its state each thousand blocks, and goes on when it has the same', () => {
  const world = worldBefore(1000, 33);
  const maker = makerOf(world);
  const follower = world.add({ name: 'follower', seeds: [{ ...maker.target, id: maker.id }], settings: trusting('maker') }, []);
  const indifferent = world.add({ name: 'indifferent', seeds: [maker.target] }, []);
  const heard: string[] = [];
  world.intrude('listener', '172.30.0.1', maker, (pipe) => {
    const listener = new Liar(world, pipe, standing(maker), { roles: 7 });
    listener.on(stateHash, ({ number, hash }) => heard.push(`${number} ${hash}`));
    return listener.channel;
  });
  world.run(30);
  world.assertTogether();
  assert.ok(maker.chain.head.number > 1000);
  const copy = openChain(world.parameters);
  copy.replay(world.blocks, { signatures: true });
  for (let number = copy.head.number + 1; number <= 1000; number++)
    copy.replay([{ ...present(maker.chain.block(number), 'a block'), transactions: [], signer: undefined }], { signatures: true });
  assert.deepEqual(heard, [`1000 ${copy.head.stateHash}`]);
  assert.deepEqual([follower.failures, indifferent.failures, maker.failures], [[], [], []]);
});

for (const isRight of [true, false]) {
  test(`a node whose state is ${isRight ? 'that' : 'not that'} of a node that it trusts ${isRight ? 'goes on' : 'has to stop'}`, () => {
    const world = worldBefore(1200, 34);
    const chain = openChain(world.parameters);
    chain.replay(world.blocks.slice(0, 1000), { signatures: true });
    const { id, stateHash: hash } = chain.head;
    const maker = makerOf(world);
    const said = isRight ? hash : 'ab'.repeat(32);
    const oracle = world.open('oracle', '172.30.0.2', (pipe) => {
      const liar = new Liar(world, pipe, standing(maker));
      liar.channel.send(stateHash, { number: 1000, id, hash: said });
      return liar.channel;
    });
    const settings = trusting('oracle');
    const follower = world.add({ name: 'follower', seeds: [oracle, maker.target], settings }, []);
    // Whoever isn't trusted can say what it likes.
    const other = world.add({ name: 'other', seeds: [oracle, maker.target], settings: { exchangesPeers: false } }, []);
    world.run(40);
    assert.ok(follower.chain.head.number > 1000 && other.chain.head.number > 1000);
    assert.equal(other.failures.length, 0);
    if (isRight) assert.deepEqual(follower.failures, []);
    else assert.match(follower.failures.join(), /the state behind block 1000 is [0-9a-f]{64} here, and (ab){32} at the trusted node/);
  });
}
