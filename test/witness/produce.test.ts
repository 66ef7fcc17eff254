import assert from 'node:assert/strict';
import { test } from 'node:test';

import { productionSlotAt } from '../../src/witness/produce.ts';
import { keyOf } from '../builders/chain.ts';
import { chainOfTwoWitnesses, producerFor } from '../builders/witness_round.ts';

const chain = chainOfTwoWitnesses();
const slotMs = chain.slotTime(1) * 1000;
const next = chain.productionSlotAt(chain.slotTime(1))?.witness ?? assert.fail();
const other = chain.productionSlotAt(chain.slotTime(2))?.witness ?? assert.fail();

test('the round has two witnesses that take turns', () => {
  assert.deepEqual([next, other].toSorted(), ['alice', 'initminer']);
});

test('a block is made in a slot of a witness of this node, with its key', () => {
  const scheduled = { kind: 'produce', timestamp: chain.slotTime(1), witness: next, signingKey: keyOf(next) };
  assert.deepEqual(productionSlotAt(slotMs, chain, producerFor([next])), scheduled);
  assert.deepEqual(productionSlotAt(slotMs + 750, chain, producerFor([next])), scheduled);
});

test('no block is made before the slot begins, nor so late in it that it would meet the next one', () => {
  assert.deepEqual(productionSlotAt(slotMs - 1, chain, producerFor([next])), { kind: 'not_time_yet' });
  assert.deepEqual(productionSlotAt(slotMs + 751, chain, producerFor([next])), { kind: 'lag' });
});

test('no block is made in the slot of another witness, nor without the key that the witness has now', () => {
  assert.deepEqual(productionSlotAt(slotMs, chain, producerFor([other])), { kind: 'not_my_turn' });
  assert.deepEqual(productionSlotAt(slotMs, chain, producerFor([next], [other])), { kind: 'no_private_key' });
});

test('no block is made while too few slots are filled: the network may have parted', () => {
  const careful = { ...producerFor([next]), requiredParticipation: chain.participation + 1 };
  assert.deepEqual(productionSlotAt(slotMs, chain, careful), { kind: 'low_participation' });
  assert.equal(
    productionSlotAt(slotMs, chain, { ...careful, requiredParticipation: chain.participation }).kind,
    'produce',
  );
  assert.equal(
    productionSlotAt(slotMs, chain, careful, () => true).kind,
    'produce',
    'unless enough witnesses are there',
  );
});
