import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { networkProblems, networkWarnings } from '../../src/node/network/network_problems.ts';
import type { Target } from '../../src/wire/addresses.ts';
import { inventedId, varied, type Claimed } from '../p2p/hostile_peer.ts';
import { inLongForm } from '../builders/forms.ts';
import { openDoor, hostile, type Script } from './hostile.ts';
import { heads, SEEDS, started } from './intrusion.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

const otherFinal = (seen: Claimed): Claimed => varied(seen, { finalId: inventedId(seen.final) });
const above = (seen: Claimed): Claimed => varied(seen, { head: seen.head + 1, headId: inventedId(seen.head + 1) });

/** Looks at a node each second for so long; whether something always held. */
function staysTrue(world: SimWorld, seconds: number, holds: () => boolean): boolean {
  let held = true;
  for (let second = 0; second < seconds; second++) {
    world.run(1);
    held &&= holds();
  }
  return held;
}

/** A follower with these seeds, and whether it has followed the chain before. */
function follower(world: SimWorld, nodes: readonly SimNode[], seeds: readonly Target[]): SimNode {
  return world.add(
    { name: 'follower', seeds: [...seeds, present(nodes[5], 'a node').target], settings: { exchangesPeers: false } },
    [],
  );
}

for (const seed of SEEDS) {
  test(`a folder that has followed the chain goes on at each restart, whatever one of its seeds says is final (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    let isHonest = true;
    const door = world.open('turncoat', '172.30.1.1', (pipe) =>
      hostile(world, pipe, {
        greeting: (seen) => (isHonest ? seen : otherFinal(seen)),
        script: (peer) => void world.heap.at(world.heap.nowMs + 20_000, () => (isHonest ? undefined : peer.refuses())),
      }),
    );
    const node = follower(world, nodes, [door]);
    world.run(100);
    isHonest = false;
    for (let round = 0; round < 3; round++) {
      node.kill();
      world.run(5);
      node.restart();
      assert(
        staysTrue(world, 40, () => node.network.state !== 'contested'),
        `restart ${round}`,
      );
      world.assertTogether([node, ...nodes]);
    }
  });

  test(`a newcomer whose seeds contradict each other says so, and goes on when two other groups agree (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    let isLying = false;
    const liar = openDoor(world, 'liar', '172.30.1.1', {
      greeting: (seen) => (isLying && seen.final > 0 ? otherFinal(seen) : seen),
    });
    const node = world.add(
      { name: 'newcomer', seeds: [liar, present(nodes[5], 'a node').target], settings: { exchangesPeers: false } },
      [],
    );
    world.run(10);
    isLying = true;
    node.kill();
    node.restart();
    world.run(20);
    assert.equal(node.network.state, 'contested');
    assert.deepEqual([node.network.standing.contested?.contradicting, node.network.standing.isSynced], [1, false]);
    const said = world.checks.lines.filter((line) => line.startsWith('newcomer: '));
    assert(said.some((line) => /peers contradict each other .*checkpoint/.test(line)));
    assert.equal(
      said.filter((line) => /has another block/.test(line)).length,
      1,
      'who is let go is not heard again for a while',
    );
    for (const index of [6, 7]) node.network.add(present(nodes[index], 'a node').target);
    world.run(40);
    assert.notEqual(node.network.state, 'contested');
    world.assertTogether([node, ...nodes]);
  });

  test(`statuses that alternate, by strangers and by seeds, make nobody behind (seed ${seed})`, inLongForm, () => {
    const { world, nodes } = started(seed);
    // A slot without a block, so that there could be one more than there is.
    const script: Script = (peer) => {
      const say = (isLie: boolean): void => {
        if (peer.isClosed) return;
        if (peer.seen !== undefined)
          peer.claim(
            isLie ? varied(peer.seen, { head: peer.seen.head + 3, headId: inventedId(peer.seen.head + 3) }) : peer.seen,
          );
        world.heap.at(world.heap.nowMs + (isLie ? 8500 : 1000), () => say(!isLie));
      };
      world.heap.at(world.heap.nowMs + 9000, () => say(true));
    };
    present(nodes[3], 'a node').kill();
    world.run(40);
    const before = Math.max(...heads(nodes));
    const running = nodes.filter(({ isRunning }) => isRunning);
    const door = openDoor(world, 'boasting seed', '172.30.9.1', { script });
    for (const [index, node] of running.entries()) {
      world.intrude(`boaster ${index}`, `172.31.${index}.1`, node, (pipe) => hostile(world, pipe, { script }));
      node.network.add(door);
    }
    world.run(5);
    let behindSeconds = 0;
    staysTrue(world, 60, () => {
      for (const node of running) if (!node.network.standing.isSynced) behindSeconds++;
      return true;
    });
    // A missed slot makes the head old for a moment, when a chosen peer's claim counts for ten seconds in all.
    assert(behindSeconds <= 10 * running.length, `${behindSeconds} s behind of ${60 * running.length}`);
    assert(Math.min(...heads(running)) >= before + 14);
    assert(
      running.every(({ network }) => network.standing.unproved.peers > 0),
      'the claims are named',
    );
  });

  test(`strangers alone set no clock, are no source for a standby and make nobody begin (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const lonely = world.add({ name: 'lonely', seeds: [{ host: '172.16.99.99', port: 9290 }] });
    for (let count = 0; count < 5; count++)
      world.intrude(`stranger ${count}`, `172.32.${count}.1`, lonely, (pipe) =>
        hostile(world, pipe, { clockAheadMs: 3_600_000 }),
      );
    world.run(100);
    const { standing } = lonely.network;
    assert.equal(lonely.network.connections.live.length, 5);
    assert.deepEqual(
      [standing.voices, standing.clockAheadMs, standing.sources, lonely.network.followed],
      [0, undefined, [], undefined],
    );
    assert.equal(standing.inStep.length, 5);
    world.assertTogether(nodes);
  });
}

for (const seed of chooseSeeds(7))
  test(`who claims one block more than there is, for ever, is left out, and nobody misses him (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    for (const [index, node] of nodes.entries())
      world.intrude(`one more ${index}`, `172.33.${index}.1`, node, (pipe) =>
        hostile(world, pipe, { greeting: above }),
      );
    assert(staysTrue(world, 40, () => nodes.every(({ network }) => network.standing.isSynced)));
    world.assertTogether();
  });

for (const [finality, confirmationsFromBlock] of [
  ['confirmations', 1],
  ['a round of blocks', 1_000_000],
] as const)
  for (const seed of chooseSeeds(3))
    test(
      `both halves of a cut are told to go on by their operators: ${finality} decides whether one chain is left, and who is split off says so (seed ${seed})`,
      finality === 'confirmations' ? {} : inLongForm,
      () => {
        const { world, nodes } = started(seed, { confirmationsFromBlock });
        const [, , , , hub] = nodes;
        for (const node of nodes.slice(5)) node.network.add(present(hub, 'a node').target);
        world.run(80);
        world.part(nodes.slice(0, 4), nodes.slice(4));
        // What one half makes final the other half's rules don't know.
        if (finality !== 'confirmations')
          for (const { options } of nodes.slice(4)) world.checks.deceived.add(options.name);
        for (const node of nodes) node.restartChain();
        world.run(120);
        world.heal();
        // Whoever was silent is dialled again within three minutes.
        world.run(200);
        if (finality === 'confirmations') return world.assertTogether();
        // Both are final: nobody can undo either, so both go on, and each node names the blocks that others have.
        world.assertTogether(nodes.slice(0, 4));
        world.assertTogether(nodes.slice(4));
        assert(
          nodes.every(({ network }) => network.state !== 'contested'),
          'a folder that has followed the chain does not stop',
        );
        const named = nodes.flatMap(({ network }) => networkProblems({ contest: network.standing.contested }));
        assert(named.length > 0);
        for (const sentence of named)
          assert.match(sentence, /^contested: block \d+, irreversible here, is another one for .*the chain has split/);
        // Of strangers alone a node hears, too: that is a warning.
        const warned = nodes.flatMap(({ network: { standing } }) =>
          networkWarnings(
            {
              ...{
                contest: standing.contested,
                contestedByInbound: standing.contestedByInbound,
                unproved: standing.unproved,
              },
              ...{ voices: standing.voices, inbound: 0, outbound: 0 },
            },
            undefined,
          ),
        );
        const linked = nodes.filter(
          ({ network: { standing } }) => standing.contested !== undefined || standing.contestedByInbound !== undefined,
        );
        assert.ok(
          linked.some((node) => nodes.indexOf(node) < 4) && linked.some((node) => nodes.indexOf(node) >= 4),
          'both sides name it',
        );
        for (const sentence of warned.filter((one) => one.startsWith('a contradiction by strangers')))
          assert.match(
            sentence,
            /block \d+, irreversible here, is another one for inbound peers of .* if other operators have that block, too/,
          );
      },
    );
