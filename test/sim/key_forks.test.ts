import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Json } from '../../src/codec/json.ts';
import { testKey, makeTransaction } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { accountUpdate, authorityJson } from '../builders/forked_chains.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { inLongForm } from '../builders/forms.ts';
import { again, heads, intrude, offer, SEEDS } from './intrusion.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';

/** Nine witnesses, each of which has a second key at hand. */
function started(seed: number): { readonly world: SimWorld; readonly nodes: SimNode[] } {
  const world = new SimWorld({ seed, witnesses: 9 });
  const nodes = world.populate(
    (index) => ((index * 397) % 1000) - 500,
    (witness) => [`${witness} next`],
  );
  world.run(12);
  return { world, nodes };
}

/** Somebody sends a transaction to a node. */
function send(world: SimWorld, node: SimNode | undefined, operation: Json, signer: string): void {
  const { chain } = present(node, 'a node');
  present(node, 'a node').post(makeTransaction(chain, world.parameters, [operation], [signer]));
}

for (const seed of SEEDS) {
  test(`parts of a network in which witnesses change keys by authorities of their own part are one chain again (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [left, right] = [nodes.slice(0, 3), nodes.slice(3)];
    world.part(left, right);
    world.run(6);
    // On one side the accounts of the other side's witnesses get other keys; there, others act for them.
    for (const witness of ['witness6', 'witness7'])
      send(world, left[0], accountUpdate(witness, { active: authorityJson([`${witness} here`]) }), witness);
    send(world, right[0], accountUpdate('witness6', { active: authorityJson([], ['alice']) }), 'witness6');
    send(world, right[0], accountUpdate('witness7', { active: authorityJson([], ['bob']) }), 'witness7');
    send(world, right[0], accountUpdate('bob', { active: authorityJson([], ['carol']) }), 'bob');
    world.run(18);
    send(world, right[0], witnessUpdate('witness6', 'witness6 next'), 'alice');
    send(world, right[0], witnessUpdate('witness7', 'witness7 next'), 'carol');
    send(world, left[0], witnessUpdate('witness1', 'witness1 next'), 'witness1');
    world.run(60);
    const [here, there] = [present(left[0], 'a node').chain, present(right[0], 'a node').chain];
    assert.equal(there.signingKeyOf('witness7'), testKey('witness7 next'));
    assert.notEqual(here.head.id, there.head.id);
    assert(there.head.number > here.head.number + 1, 'the right branch is longer');
    const { number: joined, id } = there.head;
    world.heal();
    world.run(60);
    world.assertTogether();
    assert.equal(here.block(joined)?.id, id, 'the longer branch has won');
    const before = Math.max(...heads(nodes));
    world.run(54);
    world.assertTogether();
    assert(Math.min(...heads(nodes)) > before + 12, 'and goes on');
  });

  test(
    `a witness that brings branches which only they could prove, and don't, stops nobody (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes } = started(seed);
      world.checks.twoFaced.add('witness4');
      let made = 0;
      // It forks off where its slot is, gives a key to another witness, and goes on with that.
      world.producing.set('witness4', (node, turn) => {
        const { chain } = node;
        const update = makeTransaction(chain, world.parameters, [witnessUpdate('witness5', 'witness4')], ['witness4']);
        const first = forgedBlock(chain, {
          header: { witness: turn.witness, timestamp: turn.timestamp },
          transactions: [update],
        });
        const later = [1, 2].map((slot) => present(chain.findProductionSlot(turn.timestamp + 3 * slot), 'a slot'));
        const blocks = [first];
        for (const { witness, timestamp } of later) {
          const previous = present(blocks.at(-1), 'a block').id;
          blocks.push(forgedBlock(chain, { header: { previous, witness, timestamp }, signer: 'witness4' }));
        }
        made++;
        intrude(world, nodes.slice(0, 3), `branch ${made}`, (liar) =>
          again(liar, 2000, (time) => blocks[time] && offer(liar, blocks[time])),
        );
      });
      world.run(120);
      world.producing.clear();
      world.run(30);
      assert(made > 2);
      world.assertTogether();
      assert(Math.min(...heads(nodes)) > 20);
    },
  );
}
