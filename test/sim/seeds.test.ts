import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('../../../test/sim', import.meta.url));
/** The longest head of a test before its body. */
const MOST_TITLE = 600;

test('every test of the simulator runs with as many seeds as one asks for, and names its seed', () => {
  const seedless: string[] = [];
  for (const file of readdirSync(here).filter((name) => name.endsWith('.test.ts') && name !== 'seeds.test.ts')) {
    const source = readFileSync(join(here, file), 'utf8');
    const [, ...tests] = source.split(/^ *test\(/m);
    assert.ok(tests.length > 0, `${file} has tests`);
    if (!/chooseSeeds\(|\bSEEDS\b/.test(source)) seedless.push(`${file} takes no seeds`);
    for (const one of tests) {
      const namesSeed = /seed \$\{(seed|first)\}/.test(one.slice(0, MOST_TITLE));
      if (!namesSeed && !one.includes('of chooseSeeds(')) seedless.push(`${file}: ${one.slice(0, 80)}`);
    }
    const fixed = source.match(
      /\bseed: \d+|\b(?:started|stoppedWorld|failover|guardedWorld|playProofs)\(\d+|makeWorld\(\d+, \d+/g,
    );
    for (const one of fixed ?? []) seedless.push(`${file}: ${one}`);
  }
  assert.deepEqual(seedless, []);
});
