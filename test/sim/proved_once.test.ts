import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sha256Hex } from '../../src/crypto/hashes.ts';
import { people, makeTransaction, transferJson } from '../builders/chain.ts';
import { SEEDS } from './intrusion.ts';
import { SimWorld } from './sim_world.ts';

const STEPS = 150;
const EACH_STEP = 8;
/** So that bundles are told of and asked for, and blocks come as short ids. */
const LONG = 'a bundle of a few of these is not pushed '.repeat(20);
/** So that bundles are with the verifiers for a while. */
const SIGNATURE_MS = 4;

for (const seed of SEEDS) {
  test(`what a node has proved it never proves again, whether bundle or block comes first (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: 9 });
    const proofs = new Map<string, number>();
    for (const [index, name] of world.names.entries()) {
      const proves = (packed: Uint8Array): void => {
        const key = `${name} ${sha256Hex(packed)}`;
        proofs.set(key, (proofs.get(key) ?? 0) + 1);
      };
      world.add({ name: `node${index}`, witnesses: [name], signatureMs: SIGNATURE_MS, proves });
    }
    world.run(12);
    const posted = new Map<string, string>();
    for (let step = 0; step < STEPS; step++) {
      const node = world.nodes[step % world.nodes.length] ?? assert.fail();
      for (let number = 0; number < EACH_STEP; number++) {
        const transfer = makeTransaction(
          node.chain,
          world.parameters,
          [transferJson('alice', 'bob', 1, `${step} ${number} ${LONG}`)],
          [people[0]],
          {
            expiration: node.chain.head.time + 300,
          },
        );
        node.post(transfer);
        posted.set(sha256Hex(transfer.packed), world.names[step % world.nodes.length] ?? '');
      }
      world.run(0.21);
    }
    world.run(9);
    world.assertTogether();
    assert.equal(world.nodes[0]?.chain.pendingTransactions.length, 0, 'all are in blocks');
    const often = [...proofs].filter(([, count]) => count > 1);
    assert.deepEqual(often, [], `${often.length} of ${proofs.size} were proved again`);
    // What was posted at a node was proved on its way there.
    const expected = new Set(
      world.names.flatMap((name) => [...posted].flatMap(([leaf, at]) => (at === name ? [] : [`${name} ${leaf}`]))),
    );
    assert.deepEqual(new Set(proofs.keys()), expected);
    assert(
      world.nodes.some(({ network }) => network.connections.counts.shortIds.miss > 0),
      'some blocks came before their bundles',
    );
  });
}
