import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ancestor } from '../../src/wire/messages/ancestor.ts';
import { ancestorRequest } from '../../src/wire/messages/ancestor_request.ts';
import { range, rangeEnds } from '../../src/wire/messages/range.ts';
import type { Target } from '../../src/wire/addresses.ts';
import { rangeRequest, type RangeRequest } from '../../src/wire/messages/range_request.ts';
import { getBlockNumber, ZERO_HASH160 } from '../../src/values/hash.ts';
import { Liar, standing } from './liar.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';
import { isLong } from '../builders/forms.ts';
import { chooseSeeds } from './seeds.ts';

/** Answers a range as an honest node whose blocks are so large that only a few fit. */
function cutRange(
  { chain }: SimNode,
  most: number,
  { number, from, before, count }: RangeRequest,
): Parameters<typeof range.encode>[0] {
  const isOurs = before === ZERO_HASH160 || from === 1 || chain.block(from - 1)?.id === before;
  if (!isOurs) return { number, blocks: [], end: rangeEnds.otherBranch, retry_ms: 0 };
  const blocks = Array.from({ length: Math.min(count, most) }, (_, k) => chain.block(from + k)?.packed).flatMap(
    (packed) => packed ?? [],
  );
  return { number, blocks, end: blocks.length < count ? rangeEnds.cut : rangeEnds.all, retry_ms: 0 };
}

/** Somebody at whose address the chain of a node can be had, so many blocks a range and so late. */
function makeSource(world: SimWorld, node: SimNode, most: number, { lateMs = 0, more = 0, asleepMs = 0 } = {}): Target {
  // As a program is that reads its own database: what comes meanwhile waits.
  const awakeMs = world.heap.nowMs + asleepMs;
  const answers = (ms: number, run: () => void): void =>
    void world.heap.at(Math.max(awakeMs, world.heap.nowMs + ms), run);
  return world.open('source', '172.20.0.1', (pipe) => {
    const end = new Liar(world, pipe, standing(node, more));
    end.on(ancestorRequest, ({ ids }) => {
      const shared = ids.find((id) => node.chain.block(getBlockNumber(id))?.id === id);
      answers(0, () => end.channel.send(ancestor, { number: shared === undefined ? 0 : getBlockNumber(shared) }));
    });
    end.on(rangeRequest, (request) => answers(lateMs, () => end.channel.send(range, cutRange(node, most, request))));
    end.claims(1000, () => standing(node, more));
    return end.channel;
  });
}

for (const seed of chooseSeeds(5)) {
  test(`whoever gives a block a range, just in time, holds nobody up who knows somebody else (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: 9, moreBlocks: 600 });
    const nodes = world.populate();
    world.run(12);
    const dripping = makeSource(world, nodes[0] ?? assert.fail(), 1, { lateMs: 1500, more: 1 });
    const seeds = [dripping, ...nodes.slice(3, 5).map(({ target }) => target)];
    const newcomer = world.add({ name: 'newcomer', seeds, settings: { exchangesPeers: false } }, []);
    world.run(60);
    world.assertTogether([newcomer, ...nodes]);
  });
}

for (const asleepMs of isLong ? [2500, 5000, 9000, 20_000] : [5000, 20_000]) {
  for (const seed of chooseSeeds(asleepMs))
    test(`a newcomer whose only peer answers nothing for ${asleepMs} ms, because it is starting, goes on soon behind that (seed ${seed})`, () => {
      const world = new SimWorld({ seed, witnesses: 9, moreBlocks: 800 });
      const nodes = world.populate();
      world.run(12);
      const door = makeSource(world, nodes[0] ?? assert.fail(), 300, { asleepMs });
      const newcomer = world.add({ name: 'newcomer', seeds: [door], settings: { exchangesPeers: false } }, []);
      world.run(asleepMs / 1000);
      world.run(asleepMs / 1000 + 8);
      assert(newcomer.chain.head.number > 500, `block ${newcomer.chain.head.number}`);
    });
}

for (const most of isLong ? [1, 40, 300] : [40]) {
  for (const seed of chooseSeeds(most))
    test(`a branch that grows while it is fetched comes without a pause, ${most} blocks a range (seed ${seed})`, () => {
      const world = new SimWorld({ seed, witnesses: 9, moreBlocks: 800 });
      const nodes = world.populate();
      world.run(12);
      const source = nodes[0] ?? assert.fail();
      const door = makeSource(world, source, most);
      const newcomer = world.add(
        { name: 'newcomer', seeds: [door], settings: { exchangesPeers: false }, blockMs: 60 },
        [],
      );
      // Nobody announces blocks to it, so of the newest it hears a little later.
      for (let [height, waited] = [0, 0]; height < source.chain.head.number - 1;) {
        world.run(1);
        const { number } = newcomer.chain.head;
        waited = number === height ? waited + 1 : 0;
        height = number;
        if (height > 0 && height < source.chain.head.number - 2)
          assert.equal(newcomer.network.state, 'behind', `at block ${height}`);
        assert(waited <= 6, `nothing has come for ${waited} s, at block ${height} of ${source.chain.head.number}`);
      }
    });
}
