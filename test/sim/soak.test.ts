import assert from 'node:assert/strict';
import { test } from 'node:test';

import { people, makeTransaction, transferJson } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { formSize } from '../builders/forms.ts';
import { started } from './intrusion.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';

/** Simulated minutes: two, and by command as many as one likes. */
const MINUTES = formSize('PHAROS_SOAK_MINUTES', { short: 1, long: 2 });
const SLOTS_A_MINUTE = 20;
const [LEAST, MOST] = [1, 14];
const RESTART_EACH_SLOTS = 7;
const LONG = 'long enough for blocks that are not pushed whole '.repeat(20);

/** Returns sizes that must not grow, of all nodes together: held traffic, and remembered questions. */
function held(nodes: readonly SimNode[]): Readonly<Record<string, number>> {
  const sum = (of: (node: SimNode) => number): number => nodes.reduce((all, node) => all + of(node), 0);
  return {
    pooled: sum(({ network }) => network.pool.count),
    waitingBytes: sum(({ network }) => network.pool.bytes),
    submittedBytes: sum(({ network }) => network.transactions.submittedBytes),
    fetches: sum(({ network }) => network.transactions.fetches),
    wantedBlocks: sum(({ network }) => network.blocks.wanted),
    aheadBytes: sum(({ network }) => network.sync.aheadBytes),
    halfReceived: sum(({ network }) => network.connections.halfReceivedBytes),
    queued: sum(({ network }) => network.connections.live.reduce((all, { channel }) => all + channel.queuedBytes, 0)),
    connections: sum(({ network }) => network.connections.count),
  };
}

let memos = 0;

/** Mixed traffic: now a few transfers, now so many that their block goes as short ids; some of them expire soon. */
function slot(world: SimWorld, nodes: readonly SimNode[], randomSource: RandomSource): void {
  const running = nodes.filter(({ isRunning }) => isRunning);
  const poster = running[randomSource.roll(running.length)] ?? assert.fail();
  for (let left = LEAST + randomSource.roll(MOST); left > 0; left--) {
    const memo = `${memos++} ${randomSource.chance(70) ? LONG : ''}`;
    const expiration = poster.chain.head.time + (randomSource.chance(90) ? 120 : 6);
    poster.post(
      makeTransaction(poster.chain, world.parameters, [transferJson('alice', 'bob', 1, memo)], [people[0]], {
        expiration,
      }),
    );
  }
  world.run(3);
}

for (const seed of chooseSeeds(77)) {
  test(`${MINUTES} minutes of mixed traffic with restarts: no slot of a running witness is lost for good, and nothing grows (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const randomSource = new RandomSource(seed);
    const seen: Readonly<Record<string, number>>[] = [];
    for (let minute = 0; minute < MINUTES; minute++) {
      for (let at = 0; at < SLOTS_A_MINUTE; at++) {
        const node = nodes[randomSource.roll(nodes.length)] ?? assert.fail();
        const isRestarted = at % RESTART_EACH_SLOTS === RESTART_EACH_SLOTS - 1;
        if (isRestarted) node.kill();
        slot(world, nodes, randomSource);
        if (isRestarted) node.restart();
      }
      seen.push(held(nodes));
    }
    world.run(15);
    world.assertTogether();
    const first = seen[0] ?? assert.fail();
    for (const [name, value] of Object.entries(held(nodes))) {
      const most = Math.max(2 * (first[name] ?? 0), 64);
      assert(value <= most, `${name}: ${value}, after a minute ${first[name]}`);
    }
    // When nothing more is posted, what waited is in blocks or expired.
    world.run(150);
    const idle = held(nodes);
    assert.deepEqual(
      [idle['waitingBytes'], idle['submittedBytes'], idle['fetches'], idle['wantedBlocks']],
      [0, 0, 0, 0],
    );
  });
}
