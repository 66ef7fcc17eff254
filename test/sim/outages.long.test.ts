import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OutageWorld } from './outage_world.ts';
import { chooseSeeds } from './seeds.ts';

// A few of the outages; all of them, with 51 witnesses and for as long as they may last, by `PHAROS_SIM_OUTAGES= npm
// run bench -- --only sim/outages`.

/** On so few machines that it costs little. */
const NETWORK = { witnesses: 51, machines: 14 } as const;
const MOST_SECONDS = 30;
const seeds = chooseSeeds(1);

function assertContinues(outage: OutageWorld, mostSeconds = MOST_SECONDS): void {
  const seconds = outage.untilGoing(mostSeconds);
  assert.ok(seconds <= mostSeconds, 'all have a new block in time');
  outage.world.run(20);
  outage.passUntilTogether(30);
}

for (const seed of seeds) {
  for (const [finality, sizes] of [
    ['confirmations', [25, 26]],
    ['round', [17, 17, 17]],
  ] as const) {
    test(`parted ${sizes.join('/')} until no part makes blocks, and healed, all go on within 30 s (${finality}, seed ${seed})`, () => {
      const outage = new OutageWorld({ seed, finality, ...NETWORK });
      outage.world.part(...outage.parts(...sizes));
      outage.world.run(300);
      const { highest } = outage;
      outage.world.run(30);
      assert.equal(outage.highest, highest, 'no part goes on alone');
      outage.world.heal();
      assertContinues(outage);
    });
  }

  test(`with 35 of 51 live no gap is longer than 30 s, though too few slots are filled (seed ${seed})`, () => {
    const outage = new OutageWorld({ seed, finality: 'round', ...NETWORK });
    outage.leaveLive(35);
    assert.ok(outage.longestGap(480) <= MOST_SECONDS);
    outage.passUntilTogether(30);
    assert.ok(outage.running.every(({ chain }) => chain.participation < 7500));
  });

  for (const [journals, reversible] of [
    ['with', 'without'],
    ['without', 'with'],
  ] as const) {
    test(`all restarted after an hour, ${journals} journals and ${reversible} reversible blocks, go on (seed ${seed})`, () => {
      const outage = new OutageWorld({ seed, finality: 'confirmations', ...NETWORK, haveJournals: true });
      outage.restartAll({ afterSeconds: 3600, journals: journals === 'with', reversible: reversible === 'with' });
      // Whoever has lost its journal watches for half a minute first.
      assertContinues(outage, journals === 'with' ? MOST_SECONDS : 2 * MOST_SECONDS);
    });
  }

  test(`keys that serve both sides make no two final branches by confirmations (seed ${seed})`, () => {
    const outage = new OutageWorld({ seed, finality: 'confirmations', ...NETWORK });
    outage.servingBoth(25, 10);
    outage.world.run(240);
    outage.world.heal();
    assertContinues(outage);
  });
}
