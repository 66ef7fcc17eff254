import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hourlyBlocks, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { KINDS_OF_CHAINS } from '../builders/forked_chains.ts';
import { RandomBranches } from '../builders/random_branches.ts';

/**
 * Longer runs: `PHAROS_TEST_SEEDS=200 PHAROS_TEST_ROUNDS=60`; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 2);
const ROUNDS = Number(process.env['PHAROS_TEST_ROUNDS'] ?? 8);
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

const free = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };

const found = { taken: 0, unproven: 0 };

for (const { name, rules, isPrivateNet } of KINDS_OF_CHAINS) {
  const parameters = testParameters(
    { ...hourlyBlocks, ...free, confirmations_from_block: 1, is_private_net: isPrivateNet },
    rules,
  );
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    test(`whatever its transactions do, a longer branch is taken, under ${name} (seed ${seed})`, () => {
      const branches = new RandomBranches(parameters, new RandomSource(seed));
      branches.run(ROUNDS);
      found.taken += branches.taken;
      found.unproven += branches.unproven;
    });
  }
}

test('many of these branches gave keys that only they could prove', () => {
  const { taken, unproven } = found;
  assert.ok(unproven > 3 && taken >= unproven, `${unproven} of ${taken} branches`);
});
