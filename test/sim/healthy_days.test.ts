import assert from 'node:assert/strict';
import { test } from 'node:test';

import { watchHealthyDays } from './healthy_days.ts';
import { formSize } from '../builders/forms.ts';
import { chooseSeeds } from './seeds.ts';

/** Simulated days: two, and by command as many as one likes. */
const DAYS = formSize('PHAROS_HEALTHY_DAYS', { short: 1, long: 2 });

for (const seed of chooseSeeds(1)) {
  test(`${DAYS} days in which a witness misses a slot now and then: its standby is ready, and never takes over (seed ${seed})`, () => {
    const days = watchHealthyDays(seed, DAYS);
    assert.ok(days.missed >= DAYS * 10, `${days.missed} slots were missed`);
    assert.ok(days.ready >= DAYS * 20_000, `ready in ${days.ready} slots`);
  });
}
