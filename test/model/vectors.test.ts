import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encoding, testGenesis } from '../builders/chain.ts';
import { genesisState } from './genesis.ts';
import { byName, decodeName, nameOfSeed } from './names.ts';
import { readGenesis } from './parameters.ts';
import { addFee, availablePromotion } from './pools.ts';
import { shuffled } from './shuffle.ts';
import { slotNumber, slotTime } from './slots.ts';
import type { State } from './state.ts';

// Vectors of the lineage's chain, which both the chain and its model must meet.

/** The state of the lineage's genesis. */
const state = (): State =>
  genesisState(
    readGenesis(
      testGenesis(
        {
          initial_balace: 350_000_000_000_000,
          initial_accounts: [],
          genesis_time: '2001-09-09T01:46:40',
          minimum_vesting_seconds: 0,
        },
        'lineage',
      ),
      encoding.keyPrefix,
    ),
  );

test('names are those of the lineage and sort as their bytes do', () => {
  const seeds = ['alice', 'bob', 'initminer1'].map(nameOfSeed);
  assert.deepEqual(seeds, [
    'nbyckkPfkdV4OQtmdTh93QjB5CI',
    '8I1Pt6T2ovPJgEhTaMPP3Qv4uCo',
    'yRKNs2aoPj38Yrzta86e4mDvUKI',
  ]);
  const [alice = '', bob = '', initminer = ''] = seeds;
  assert.deepEqual([bob, initminer, alice].sort(byName), [alice, initminer, bob]);
  assert.deepEqual(['alice.bob', 'ALPHA', 'aA', 'init_miner', 'My App'].map(decodeName), [
    'alic',
    'ALPH',
    'a',
    'init_miner',
    'Mw',
  ]);
});

test('rounds are shuffled as in the lineage', () => {
  const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
  assert.equal(shuffled(numbers(5), 1_600_000_002).join(), '4,1,2,0,3');
  assert.equal(shuffled(numbers(5), 1_700_000_001).join(), '3,0,1,4,2');
  assert.equal(shuffled(numbers(10), 1_600_000_002).join(), '4,3,2,7,6,9,8,1,5,0');
});

test('a fee is shared out as in the lineage', () => {
  for (const [fee, burned, mining, promotion, interest] of [
    [10_000n, 1000n, 2250n, 900n, 5850n],
    [12_345n, 1234n, 2777n, 1111n, 7223n],
    [7n, 0n, 1n, 0n, 6n],
  ] as const) {
    const pools = state();
    const before = pools.economy;
    addFee(pools, fee);
    const { burnPool, miningFromFees, promotionPool, interestFromFees } = pools.economy;
    assert.deepEqual(
      [burnPool, miningFromFees, promotionPool - before.promotionPool, interestFromFees],
      [burned, mining, promotion, interest],
    );
  }
});

test('the promotion pool opens as in the lineage', () => {
  const pools = state();
  for (const [number, available] of [
    [0, 628n],
    [1, 57_705n],
    [2, 114_783n],
    [28_800, 1_643_836_244n],
  ] as const) {
    pools.changeGlobals({ number });
    assert.equal(availablePromotion(pools), available, `block ${number}`);
  }
});

test('slots are counted as in the lineage', () => {
  const chain = state();
  chain.changeGlobals({ number: 1, time: 1_000_000_001 });
  assert.deepEqual(
    [slotTime(chain, 1), slotTime(chain, 2), slotNumber(chain, 1_000_000_004)],
    [1_000_000_002, 1_000_000_005, 1],
  );
});
