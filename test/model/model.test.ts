import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { RandomSource } from '../builders/random_source.ts';
import { formSize } from '../builders/forms.ts';
import { ComparedChain } from './compared_chain.ts';
import { makeGenesis, chainKinds } from './chain_kinds.ts';
import { tellPrivateStory, tellPublicStory } from './story.ts';

/**
 * Longer runs: `PHAROS_TEST_SEEDS=500 PHAROS_TEST_ROUNDS=300`; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 * The name of a test that fails says its seed.
 */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 2 });
const ROUNDS = Number(process.env['PHAROS_TEST_ROUNDS'] ?? 50);
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

for (const rules of ['interface', 'lineage'] as const) {
  const accepted = new Map<string, number>();
  const refused = new Map<string, number>();

  for (const [name, kind] of Object.entries(chainKinds)) {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      test(`chain and model agree on a chain that is ${name}, under rules ${rules} (seed ${seed})`, () => {
        const compared = new ComparedChain(makeGenesis(kind, rules), new RandomSource(seed));
        if (kind.witnesses !== undefined) compared.elect(kind.witnesses);
        compared.run(ROUNDS, kind.gaps);
        add(accepted, compared.accepted);
        add(refused, compared.refused);
      });
    }
  }

  test(`chain and model take every kind of operation under rules ${rules}`, () => {
    const inPublic = new ComparedChain(
      makeGenesis(present(chainKinds['hourly'], 'a public net'), rules),
      new RandomSource(FIRST_SEED),
    );
    tellPublicStory(inPublic);
    const inPrivate = new ComparedChain(
      makeGenesis(present(chainKinds['private'], 'a private net'), rules),
      new RandomSource(FIRST_SEED),
    );
    tellPrivateStory(inPrivate);
    const taken = new Set([...inPublic.accepted.keys(), ...inPrivate.accepted.keys()]);
    const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
    assert.deepEqual(
      kinds.map(({ name }) => name).filter((name) => !taken.has(name)),
      [],
    );
  });

  test(`the random chains under rules ${rules} took most kinds of operations and tried most of what is refused`, (context) => {
    context.diagnostic(`accepted: ${shown(accepted)}`);
    context.diagnostic(`refused: ${shown(refused)}`);
    assert(accepted.size > 28, `${accepted.size} kinds`);
    assert(refused.size > 60, `${refused.size} reasons`);
  });
}

function add(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

function shown(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
