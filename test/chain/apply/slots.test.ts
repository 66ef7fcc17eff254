import assert from 'node:assert/strict';
import { test } from 'node:test';

import { participationRate, slotAtTime, slotTime } from '../../../src/chain/apply/slots.ts';
import {
  dynamicGlobalProperties,
  type DynamicGlobalProperties,
} from '../../../src/state/tables/dynamic_global_property.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';

const parameters = testParameters();

function makeHead(time: number): DynamicGlobalProperties {
  return { ...openChain(parameters).committed.only(dynamicGlobalProperties), head_block_number: 7, time };
}

test('slots are counted from the head, on multiples of the interval', () => {
  const head = makeHead(1_000_000_001);
  assert.equal(slotTime(parameters, head, 0), 0);
  assert.equal(slotTime(parameters, head, 1), 1_000_000_002);
  assert.equal(slotTime(parameters, head, 2), 1_000_000_005);
  assert.equal(slotAtTime(parameters, head, 1_000_000_004), 1);
  assert.equal(slotAtTime(parameters, head, 1_000_000_001), 0);
});

test('before the first block slots are counted from genesis', () => {
  const chain = openChain(parameters);
  assert.equal(chain.slotTime(1), parameters.genesis.genesis_time + 3);
});

test('the history of slots holds a block before the slots that were missed ahead of it', () => {
  const chain = openChain(parameters);
  const slots = (): string =>
    chain.committed.only(dynamicGlobalProperties).recent_slots_filled.toString(2).padStart(128, '0').slice(-16);
  const filled = (): number => chain.committed.only(dynamicGlobalProperties).participation_count;
  produce(chain, 2);
  assert.deepEqual([slots(), filled()], ['1111111111111110', 127]);
  produce(chain, 2);
  assert.deepEqual([slots(), filled()], ['1111111111111010', 126]);
  produce(chain, 3);
  assert.deepEqual([slots(), filled()], ['1111111111010100', 124]);
  produce(chain, 4);
  assert.deepEqual([slots(), filled()], ['1111110101001000', 121]);
  produce(chain);
  assert.deepEqual([slots(), filled()], ['1111101010010001', 121]);
  assert.equal(participationRate(chain.committed.only(dynamicGlobalProperties)), Math.trunc((10_000 * 121) / 128));
});

test('after a long pause nothing of the history is left, and then it fills again', () => {
  const chain = openChain(parameters);
  produce(chain, 500);
  assert.equal(chain.committed.only(dynamicGlobalProperties).participation_count, 0);
  assert.equal(chain.committed.only(dynamicGlobalProperties).recent_slots_filled, 0n);
  produce(chain);
  assert.equal(chain.participation, Math.trunc(10_000 / 128));
});
