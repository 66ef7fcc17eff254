import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../src/codec/json.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { timeText } from '../../src/values/time.ts';
import { hourlyBlocks, makeTransaction, testParameters } from '../builders/chain.ts';
import { formSize } from '../builders/forms.ts';
import { passBlocks } from '../builders/pass_blocks.ts';
import { RandomNetwork } from '../builders/random_network.ts';
import { RandomSource } from '../builders/random_source.ts';
import { adopt, ChainScene, headBlocks, parameters, partedScene, type Client } from './chain_scene.ts';
import { FollowedBalances } from './followed_balances.ts';

/** `PHAROS_TEST_SEEDS=100` runs more; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 4 });
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);
const ROUNDS = formSize('PHAROS_TEST_ROUNDS', { short: 50, long: 100 });

/** Operations would hide what a block does without them. */
const TRAFFIC = { quietPercent: 60, favoured: 'escrow_transfer' };

const SLOT = 3;
const HELD = '500.000000 COIN';
const FEE = '0.010000 COIN';

function escrowTransfer(deadline: number): Json {
  const parties = { from: 'alice', to: 'bob', agent: 'carol', escrow_id: 1 };
  const ends = { ratification_deadline: timeText(deadline), escrow_expiration: timeText(deadline + 3600) };
  const amounts = { coin_amount: HELD, escrow_fee: '0.000000 COIN' };
  return ['escrow_transfer', { fee: FEE, ...parties, ...amounts, json_meta: '', ...ends }];
}

/** Proposes an escrow that lapses that number of blocks later. */
function propose(scene: ChainScene, blocks: number): void {
  const deadline = scene.chain.head.time + (1 + blocks) * SLOT;
  scene.chain.accept(makeTransaction(scene.chain, parameters, [escrowTransfer(deadline)], ['alice']));
}

function followAlice(scene: ChainScene): Client {
  return scene.follow({ kind: 'balances', level: 'head', account: 'alice' });
}

const kinds = [
  { name: 'rules interface', rules: 'interface', is_private_net: false },
  { name: 'rules lineage', rules: 'lineage', is_private_net: false },
  { name: 'rules interface in a private net', rules: 'interface', is_private_net: true },
] as const;

for (const { name, rules, is_private_net } of kinds) {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    test(`under ${name} each change of a balance is told with its block, whatever changed it (seed ${seed})`, () => {
      // An hour a block: rewards, interest and lapsed escrows come soon.
      const random = testParameters({ ...hourlyBlocks, is_private_net }, rules);
      const network = new RandomNetwork(random, new RandomSource(seed), new MemoryStore(), undefined, TRAFFIC);
      const followed = network.pair.map(({ store }) => new FollowedBalances(store, random));
      for (let round = 0; round < ROUNDS; round++) {
        network.run(1);
        for (const each of followed) each.hear();
      }
    });
  }
}

test('the refund of an escrow that lapses is told with the block that makes it', () => {
  const scene = new ChainScene();
  const alice = followAlice(scene);
  const blocks = scene.follow(headBlocks);
  propose(scene, 2);
  for (let block = 0; block < 3; block++) scene.block();
  assert.deepEqual(alice.texts, ['10000000.000000 COIN', '9999499.990000 COIN', '9999999.990000 COIN']);
  assert.deepEqual(
    alice.items.slice(1).map(({ position }) => position),
    [blocks.items[0]?.position, blocks.items[2]?.position],
  );
  assert.deepEqual(scene.reports, []);
});

test('a refund in blocks that were written as one, and can not be undone, is told', () => {
  const scene = new ChainScene();
  const alice = followAlice(scene);
  propose(scene, 2);
  scene.block();
  passBlocks(scene.chain, 5);
  scene.subscriptions.takeGap();
  scene.hear();
  assert.equal(alice.texts.at(-1), '9999999.990000 COIN');
  assert.deepEqual(scene.reports, []);
});

test('a refund that another branch undoes with its escrow is taken back', () => {
  const { scene, there } = partedScene();
  propose(scene, 1);
  scene.block();
  const alice = followAlice(scene);
  scene.block();
  assert.equal(alice.texts.at(-1), '9999999.990000 COIN');
  adopt(scene, there, [], [], []);
  assert.equal(alice.items.at(-2)?.type, 'undone');
  assert.equal(alice.texts.at(-1), '10000000.000000 COIN');
  assert.deepEqual(scene.reports, []);
});

test('a balance that is the same on the new branch is told again after undone', () => {
  const { scene, there } = partedScene();
  const bob = scene.follow({ kind: 'balances', level: 'head', account: 'bob' });
  scene.block('a');
  const { length } = bob.texts;
  adopt(scene, there, ['b'], []);
  assert.deepEqual(
    bob.items.slice(length).map(({ type }) => type),
    ['undone', 'balance'],
  );
  assert.equal(bob.texts.at(-1), bob.texts[length - 1]);
  assert.deepEqual(scene.reports, []);
});
