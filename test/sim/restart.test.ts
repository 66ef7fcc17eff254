import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scheduledNames } from '../../src/chain/apply/slots.ts';
import type { Json } from '../../src/codec/json.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { people, makeTransaction } from '../builders/chain.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';

// Plays through the guide of a stopped chain (src/pages/guides/stopped_chain.md).

const WITNESSES = 9;
const LIVE = 5;
const REQUIRED = 6700;
/** Five of nine fall below what is required after 290 s; participation counts 128 slots, which are 384 s. */
const STOPPING_SECONDS = isLong ? 600 : 400;
const STANDING_SECONDS = isLong ? 120 : 30;
const RECOVERING_SLOTS = isLong ? 240 : 140;

/** Nine witnesses of which four are gone, for so long that the chain has stopped. */
function stoppedWorld(seed: number): {
  readonly world: SimWorld;
  readonly nodes: readonly SimNode[];
  readonly head: () => number;
} {
  const world = new SimWorld({ seed, witnesses: WITNESSES });
  for (const [index, name] of world.names.entries())
    world.add({ name: `node${index}`, witnesses: [name], requiredParticipation: REQUIRED });
  const nodes = [...world.nodes];
  const [first = assert.fail()] = nodes;
  world.run(30);
  for (const node of nodes.slice(LIVE)) node.kill();
  world.run(STOPPING_SECONDS);
  return { world, nodes, head: () => first.chain.head.number };
}

for (const seed of chooseSeeds(1)) {
  test(`a chain that has stopped goes on by itself as soon as enough witnesses are back (seed ${seed})`, () => {
    const { world, nodes, head } = stoppedWorld(seed);
    const stopped = head();
    world.run(STANDING_SECONDS);
    assert.equal(head(), stopped, '5 of 9 are too few: the chain stops');

    // One more is not enough, another one is: 7 of 9.
    nodes[5]?.restart();
    world.run(STANDING_SECONDS);
    assert.equal(head(), stopped);
    for (const node of nodes.slice(6)) node.restart();
    world.run(30);
    assert.ok(head() > stopped, 'it goes on within 30 seconds');
    world.run(3 * RECOVERING_SLOTS);
    world.assertTogether();
    assert.ok(head() > stopped + RECOVERING_SLOTS - 15, `${head() - stopped} blocks`);
    for (const { chain } of nodes) assert.ok(chain.participation > REQUIRED);
  });

  test(
    `when too few are left one command at each of them has the chain go on, and when the others are back it needs none (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes, head } = stoppedWorld(seed + 2);
      const stopped = head();
      for (const node of nodes.slice(0, LIVE)) node.restartChain();
      world.run(30);
      assert.ok(head() > stopped, 'it goes on within 30 seconds');
      for (const node of nodes.slice(LIVE)) node.restart();
      world.run(780);
      world.assertTogether();
      assert.ok(head() > stopped + 200, `${head() - stopped} blocks`);
      for (const { chain } of nodes) assert.ok(chain.participation > REQUIRED);
    },
  );

  test(
    `a restart lasts 200 blocks: with too few witnesses the chain stops again by itself (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes, head } = stoppedWorld(seed + 6);
      const stopped = head();
      for (const node of nodes.slice(0, LIVE)) node.restartChain();
      world.run(1400);
      assert.ok(head() >= stopped + 200 && head() < stopped + 230, `${head() - stopped} blocks`);
    },
  );
}

/** Makes the transactions of the remaining operators: other witnesses, and votes for these and for themselves. */
function makeVotes(voters: readonly string[], chosen: readonly string[]): [Json[], string][] {
  const fee = '0.010000 COIN';
  return voters.map((account) => {
    const vest: Json = ['transfer_to_vesting', { fee, from: account, to: account, amount: '1000000.000000 COIN' }];
    const votes = chosen.map((witness): Json => ['account_witness_vote', { fee, account, witness, approve: true }]);
    return [[vest, ...votes], account];
  });
}

for (const seed of chooseSeeds(5))
  test(
    `others that are voted for within these 200 blocks take the places of those who are gone, and the chain goes on for good (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes, head } = stoppedWorld(seed);
      const [spares, live] = [people.slice(0, 4), nodes.slice(0, LIVE)];
      for (const name of spares)
        world.add({ name: `spare-${name}`, witnesses: [name], requiredParticipation: REQUIRED });
      const stopped = head();
      for (const node of live) node.restartChain();
      world.run(60);
      const [{ chain } = assert.fail(), other = assert.fail()] = live;
      const post = (operations: readonly Json[], signer: string): void =>
        other.post(makeTransaction(chain, world.parameters, operations, [signer]));
      for (const name of spares) post([witnessUpdate(name, name)], name);
      world.run(60);
      const gone = world.names.slice(LIVE);
      const chosen = [...world.names.slice(0, LIVE), ...spares];
      for (const [operations, voter] of makeVotes(spares, chosen)) post(operations, voter);
      world.run(240);
      const scheduled = scheduledNames(chain.committed.only(witnessSchedule));
      assert.deepEqual(scheduled.toSorted(), chosen.toSorted());
      assert.ok(head() < stopped + 200, 'while participation is not required');
      world.run(900);
      world.assertTogether(world.nodes.filter(({ isRunning }) => isRunning));
      assert.ok(head() > stopped + 300, `${head() - stopped} blocks`);
      assert.ok(chain.participation > REQUIRED);
      for (const node of nodes.slice(LIVE)) node.restart();
      world.run(60);
      world.assertTogether();
      assert.ok(gone.every((name) => !scheduledNames(chain.committed.only(witnessSchedule)).includes(name)));
    },
  );
