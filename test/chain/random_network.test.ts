import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { operationKinds } from '../../src/operations/index.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { hourlyBlocks, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { RandomNetwork } from '../builders/random_network.ts';
import { formSize } from '../builders/forms.ts';

/**
 * Longer runs: `PHAROS_TEST_SEEDS=500 PHAROS_TEST_ROUNDS=300`; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 * The name of a test that fails says its seed.
 */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 2 });
const ROUNDS = Number(process.env['PHAROS_TEST_ROUNDS'] ?? 60);
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

// An hour a block: rewards and interest begin after 24 blocks, irreversibility is voted on from block 168.
const SMALL = {
  ...hourlyBlocks,
  witness_vesting_increase_days: 3,
};

const networks: readonly { readonly name: string; readonly rules: RuleSet; readonly is_private_net: boolean }[] = [
  { name: 'rules interface', rules: 'interface', is_private_net: false },
  { name: 'rules lineage', rules: 'lineage', is_private_net: false },
  { name: 'rules interface in a private net', rules: 'interface', is_private_net: true },
  { name: 'rules lineage in a private net', rules: 'lineage', is_private_net: true },
];

for (const { name, rules, is_private_net } of networks) {
  const parameters: ChainParameters = testParameters({ ...SMALL, is_private_net }, rules);
  const accepted = new Set<string>();

  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    test(`a random network under ${name} stays one and sound (seed ${seed})`, () => {
      const network = new RandomNetwork(parameters, new RandomSource(seed));
      network.run(ROUNDS);
      network.undoAll();
      for (const kind of network.accepted.keys()) accepted.add(kind);
    });
  }

  test(`the random networks under ${name} went on and tried every kind of operation`, () => {
    const paid = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
    assert(accepted.size > (is_private_net ? paid.length / 4 : paid.length / 2), [...accepted].join());
  });
}

test('a node on a disk agrees with nodes in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-network-'));
  const store = await openRocksDb(folder);
  try {
    const network = new RandomNetwork(testParameters(SMALL), new RandomSource(FIRST_SEED), store);
    network.run(ROUNDS);
    network.undoAll();
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
