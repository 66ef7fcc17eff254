import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { stateHash } from '../../src/wire/messages/state_hash.ts';
import type { NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import { transactionLocations } from '../../src/state/tables/transaction_location.ts';
import { openChain, produce, makeTransaction, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { makeNodeId } from '../builders/pipes.ts';
import { inLongForm } from '../builders/forms.ts';
import { give } from './intrusion.ts';
import { Liar, standing } from './liar.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld, witnessNames } from './sim_world.ts';
import type { Skew } from './version_skew.ts';
import { chooseSeeds } from './seeds.ts';

const WITNESSES = 9;

/** Returns the settings of a node that trusts one of these. */
function trusting(...names: readonly string[]): Partial<NetworkSettings> {
  const introduction = { agent: 'pharos/test', endpoints: [], takesTransactions: true, wantsStateHashes: true };
  return { exchangesPeers: false, trusted: new Set(names.map(makeNodeId)), introduction };
}

/** A world whose blocks, all together, are a few fewer than that. */
function makeWorld(number: number, seed: number): SimWorld {
  const { length } = new SimWorld({ seed, witnesses: WITNESSES }).blocks;
  return new SimWorld({ seed, witnesses: WITNESSES, moreBlocks: number - 4 - length });
}

/** A node that makes all blocks. */
function makeBlockMaker(world: SimWorld, blocks: readonly VerifiedBlock[] = world.blocks): SimNode {
  return world.add({ name: 'maker', seeds: [], witnesses: witnessNames(WITNESSES) }, blocks);
}

/** The blocks of a world, in one of which is a transfer that nobody has signed. */
function withUnsigned(world: SimWorld): { readonly blocks: VerifiedBlock[]; readonly number: number } {
  const blocks = world.blocks.slice(0, -120);
  const chain = openChain(world.parameters);
  chain.replay(blocks, { signatures: true });
  const unsigned = makeTransaction(chain, world.parameters, [transferJson('alice', 'bob', 1)], []);
  const block = forgedBlock(chain, { transactions: [unsigned] });
  chain.replay([block], { signatures: true });
  blocks.push(block);
  while (chain.head.time < world.heap.nowMs / 1000 - 3) blocks.push(produce(chain));
  return { blocks, number: block.number };
}

for (const seed of chooseSeeds(31)) {
  test(`a trusted node is believed who signed the transactions of its blocks, and nobody else is (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: WITNESSES, moreBlocks: 400 });
    const { blocks, number } = withUnsigned(world);
    const maker = makeBlockMaker(world, blocks);
    // To those who look it is a liar.
    world.checks.liars.add(maker.id);
    const seeds = [{ ...maker.target, id: maker.id }];
    const believer = world.add({ name: 'believer', seeds, settings: trusting('maker') }, []);
    const doubter = world.add({ name: 'doubter', seeds, settings: trusting('somebody else') }, []);
    world.run(40);
    world.assertTogether([maker, believer]);
    assert.ok(doubter.chain.head.number < number, `block ${doubter.chain.head.number}`);
  });
}

/** Posts transfers at a node, a few each slot, with memos of that length. */
function postTransfer(world: SimWorld, node: SimNode, memo: string): readonly string[] {
  const posted: string[] = [];
  for (let slot = 0; slot < 5; slot++) {
    for (let number = 0; number < 20; number++) {
      const terms = { expiration: node.chain.head.time + 300 };
      const transfer = makeTransaction(
        node.chain,
        world.parameters,
        [transferJson('alice', 'bob', 1, `${slot} ${number} ${memo}`)],
        ['alice'],
        terms,
      );
      node.post(transfer);
      posted.push(transfer.id);
    }
    world.run(3);
  }
  world.run(4);
  return posted;
}

/**
 * Returns the number of transactions that each kind of node has verified, of which the first takes the maker's word.
 */
function playProofs(seed: number, memo: string, skew?: Skew): { readonly believer: number; readonly doubter: number } {
  const world = new SimWorld({ seed, witnesses: WITNESSES });
  const maker = world.add({ name: 'maker', seeds: [], witnesses: witnessNames(WITNESSES), ...(skew && { skew }) });
  const seeds = [{ ...maker.target, id: maker.id }];
  const counts = { believer: 0, doubter: 0 };
  const { introduction, ...trust } = trusting('maker');
  const [believer] = (['believer', 'doubter'] as const).map((name) => {
    const settings = { ...trust, ...(name === 'doubter' && { trusted: new Set<string>() }) };
    // So nothing of a block has been here before it.
    const shy = {
      ...present(introduction, 'an introduction'),
      takesTransactions: false,
      wantsStateHashes: name === 'believer',
    };
    return world.add({ name, seeds, settings: { ...settings, introduction: shy }, proves: () => void counts[name]++ });
  });
  world.run(6);
  const posted = postTransfer(world, maker, memo);
  world.assertTogether();
  const { committed } = present(believer, 'the believer').chain;
  assert.ok(posted.every((id) => committed.get(transactionLocations, id) !== undefined));
  assert.equal(counts.doubter, posted.length);
  return counts;
}

for (const [size, memo] of [
  ['pushed', ''],
  ['asked for', 'a block of twenty of these is not pushed '.repeat(30)],
] as const) {
  for (const seed of chooseSeeds(35))
    test(`nothing is proved of a new block of a trusted node that is ${size}, although nobody has seen it before (seed ${seed})`, () => {
      assert.equal(playProofs(seed, memo).believer, 0);
      // An older version gives blocks before it has looked at them.
      assert.equal(playProofs(seed, memo, { roles: 7 }).believer, 100);
    });
}

for (const seed of chooseSeeds(36)) {
  test(`a trusted node vouches for no block that it passes on before its own chain has taken it (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: WITNESSES });
    const middle = makeBlockMaker(world);
    const seeds = [{ ...middle.target, id: middle.id }];
    const seen = { believer: 0, doubter: 0 };
    const [believer, doubter] = (['believer', 'doubter'] as const).map((name) => {
      const settings = name === 'believer' ? trusting('middle') : { exchangesPeers: false };
      return world.add({ name, seeds, settings, proves: () => void seen[name]++ });
    });
    const forged: string[] = [];
    world.producing.set('witness4', (node, { witness, timestamp }) => {
      const unsigned = makeTransaction(
        node.chain,
        world.parameters,
        [transferJson('alice', 'bob', 1, `${timestamp}`)],
        [],
      );
      const block = forgedBlock(node.chain, { header: { witness, timestamp }, transactions: [unsigned] });
      forged.push(block.id);
      give(world, [middle], `forger ${timestamp}`, block);
    });
    world.run(90);
    assert.ok(forged.length >= 3);
    // It was on its way to those who look for themselves, and to nobody else.
    assert.ok(seen.believer === 0 && seen.doubter > 0, JSON.stringify(seen));
    world.assertTogether([middle, ...[believer, doubter].flatMap((one) => one ?? [])]);
    assert.ok(middle.chain.head.number > world.blocks.length + 20);
  });
}

for (const seed of chooseSeeds(32)) {
  test(`what a trusted node gives needs the signatures of its witnesses and a right merkle root all the same (seed ${seed})`, () => {
    for (const forgery of [{ signer: 'nobody' }, { header: { transaction_merkle_root: '11'.repeat(20) } }]) {
      const world = new SimWorld({ seed, witnesses: WITNESSES, moreBlocks: 400 });
      const old = world.blocks.slice(0, -120);
      const chain = openChain(world.parameters);
      chain.replay(old, { signatures: true });
      const wrong = forgedBlock(chain, forgery);
      chain.replay([wrong], { signatures: true });
      const blocks = [...old, wrong];
      while (chain.head.time < world.heap.nowMs / 1000 - 3) blocks.push(produce(chain));
      const maker = makeBlockMaker(world, blocks);
      world.checks.liars.add(maker.id);
      const believer = world.add(
        { name: 'believer', seeds: [{ ...maker.target, id: maker.id }], settings: trusting('maker') },
        [],
      );
      world.run(20);
      assert.equal(believer.chain.head.number, wrong.number - 1);
    }
  });
}

for (const seed of chooseSeeds(33)) {
  test(
    `who trusts a node is told its state each thousand blocks, and goes on when it has the same (seed ${seed})`,
    inLongForm,
    () => {
      const world = makeWorld(1000, seed);
      const maker = makeBlockMaker(world);
      const follower = world.add(
        { name: 'follower', seeds: [{ ...maker.target, id: maker.id }], settings: trusting('maker') },
        [],
      );
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
        copy.replay([{ ...present(maker.chain.block(number), 'a block'), transactions: [], signer: undefined }], {
          signatures: true,
        });
      assert.deepEqual(heard, [`1000 ${copy.head.stateHash}`]);
      assert.deepEqual([follower.failures, indifferent.failures, maker.failures], [[], [], []]);
    },
  );
}

for (const isRight of [true, false]) {
  for (const seed of chooseSeeds(34))
    test(`a node whose state is ${isRight ? 'that' : 'not that'} of a node that it trusts ${isRight ? 'goes on' : 'has to stop'} (seed ${seed})`, () => {
      const world = makeWorld(1200, seed);
      const chain = openChain(world.parameters);
      chain.replay(world.blocks.slice(0, 1000), { signatures: true });
      const { id, stateHash: hash } = chain.head;
      const maker = makeBlockMaker(world);
      const said = isRight ? hash : 'ab'.repeat(32);
      const oracle = world.open('oracle', '172.30.0.2', (pipe) => {
        const liar = new Liar(world, pipe, standing(maker));
        liar.channel.send(stateHash, { number: 1000, id, hash: said });
        return liar.channel;
      });
      const settings = trusting('oracle');
      const follower = world.add({ name: 'follower', seeds: [oracle, maker.target], settings }, []);
      // Whoever isn't trusted can say what it likes.
      const other = world.add(
        { name: 'other', seeds: [oracle, maker.target], settings: { exchangesPeers: false } },
        [],
      );
      world.run(40);
      assert.ok(follower.chain.head.number > 1000 && other.chain.head.number > 1000);
      assert.equal(other.failures.length, 0);
      if (isRight) assert.deepEqual(follower.failures, []);
      else
        assert.match(
          follower.failures.join(),
          /the state behind block 1000 is [0-9a-f]{64} here, and (ab){32} at the trusted node/,
        );
    });
}
