import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseProductionSlot } from '../../src/witness/produce.ts';
import { testKey } from '../builders/chain.ts';
import { chainOfTwoWitnesses, makeProducer } from '../builders/witness_round.ts';

const chain = chainOfTwoWitnesses();
const slotMs = chain.slotTime(1) * 1000;
const next = chain.findProductionSlot(chain.slotTime(1))?.witness ?? assert.fail();
const other = chain.findProductionSlot(chain.slotTime(2))?.witness ?? assert.fail();

test('the round has two witnesses that take turns', () => {
  assert.deepEqual([next, other].toSorted(), ['alice', 'initminer']);
});

test('a block is made in a slot of a witness of this node, with its key', () => {
  const scheduled = { kind: 'produce', timestamp: chain.slotTime(1), witness: next, signingKey: testKey(next) };
  assert.deepEqual(chooseProductionSlot(slotMs, chain, makeProducer([next])), scheduled);
  assert.deepEqual(chooseProductionSlot(slotMs + 750, chain, makeProducer([next])), scheduled);
});

test('no block is made before the slot begins, nor so late in it that it would meet the next one', () => {
  assert.deepEqual(chooseProductionSlot(slotMs - 1, chain, makeProducer([next])), { kind: 'not_time_yet' });
  assert.deepEqual(chooseProductionSlot(slotMs + 751, chain, makeProducer([next])), { kind: 'lag' });
});

test('no block is made in the slot of another witness, nor without the key that the witness has now', () => {
  assert.deepEqual(chooseProductionSlot(slotMs, chain, makeProducer([other])), { kind: 'not_my_turn' });
  assert.deepEqual(chooseProductionSlot(slotMs, chain, makeProducer([next], [other])), { kind: 'no_private_key' });
});

test('no block is made while too few slots are filled: the network may have parted', () => {
  const careful = { ...makeProducer([next]), requiredParticipation: chain.participation + 1 };
  assert.deepEqual(chooseProductionSlot(slotMs, chain, careful), { kind: 'low_participation' });
  assert.equal(
    chooseProductionSlot(slotMs, chain, { ...careful, requiredParticipation: chain.participation }).kind,
    'produce',
  );
  assert.equal(
    chooseProductionSlot(slotMs, chain, careful, () => true).kind,
    'produce',
    'unless enough witnesses are there',
  );
});
