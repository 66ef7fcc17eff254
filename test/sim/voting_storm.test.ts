import assert from 'node:assert/strict';
import { test } from 'node:test';

import { testKey } from '../builders/chain.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { VotingStorm } from './voting_storm.ts';

// Networks of voters with the real code, and all that may befall them at once. SimChecks looks behind each change of
// each honest node that no two blocks of a height are final.

const isAsked = process.env['PHAROS_SIM_SEEDS'] !== undefined;
const VOTERS = Number(process.env['PHAROS_SIM_VOTERS'] ?? (isAsked ? 51 : isLong ? 10 : 7));
const EVENTS = isLong || isAsked ? 10 : 4;
/** From a whole network until what has stood is final: four slots, one for each epoch, and some where blocks part. */
const CALM_SLOTS = isLong || isAsked ? 20 : 8;

const liarCount = (voters: number): number => Math.trunc((voters - 1) / 3);

for (const seed of chooseSeeds(1, 2, 3)) {
  test(`${VOTERS} voters, ${liarCount(VOTERS)} of whom lie, make no two blocks final whatever befalls them, and go on when it is over (seed ${seed})`, () => {
    const storm = new VotingStorm({ seed, voters: VOTERS, liars: liarCount(VOTERS), spares: liarCount(VOTERS) });
    try {
      storm.rage(EVENTS);
      const stood = storm.highestHead;
      storm.calm(CALM_SLOTS);
      storm.assertSound();
      const { lowest } = storm.finals;
      assert.ok(lowest >= stood, `${lowest} is final everywhere, the highest head was ${stood}`);
    } catch (error) {
      throw new Error(`seed ${seed}: ${storm.story.join('; ')}`, { cause: error });
    }
  });
}

/** Slots of the story of section 1 in finality.md, which the model of the machine tells, too. */
const story = { stayThere: 12, stayHere: 12, goThere: 14, slots: 70, healed: 20 };

for (const seed of chooseSeeds(27))
  test(
    `of 51 witnesses 27 change sides of a partition once, and no two blocks become final (seed ${seed})`,
    inLongForm,
    () => {
      const storm = new VotingStorm({ seed, voters: 51, liars: 0 });
      const { world } = storm;
      while (storm.slotsToBoundary > 1) storm.slots(1);
      const order = storm.honest;
      const [there, here] = [order.slice(0, story.stayThere), order.slice(story.stayThere, 2 * story.stayThere)];
      const goThere = order.slice(24, 24 + story.goThere);
      const goHere = order.slice(24 + story.goThere);
      world.part([...there, ...goHere], [...here, ...goThere]);
      storm.slots(51 + story.stayThere);
      world.part([...there, ...goHere, ...goThere], here);
      storm.slots(story.stayHere);
      world.part([...there, ...goThere], [...here, ...goHere]);
      storm.slots(story.slots);
      storm.calm(story.healed);
      storm.assertSound();
      assert.ok(storm.finals.lowest >= storm.highestHead - 2, 'all is final again');
    },
  );

test(
  'a voter that alone has seen a certificate is locked, dies with it, and agrees with the others when it is back',
  inLongForm,
  () => {
    for (const seed of chooseSeeds(1, 2, 3)) {
      const storm = new VotingStorm({ seed, voters: 7, liars: 2 });
      const [, alone] = storm.honest;
      assert.ok(alone !== undefined);
      const others = storm.honest.filter((node) => node !== alone);
      storm.liars.habit = 'is silent';
      storm.world.mute(alone);
      let tries = 0;
      do storm.slots(1);
      while (lockedView(alone) <= Math.max(...others.map(lockedView)) && ++tries < 7);
      assert.ok(lockedView(alone) > Math.max(...others.map(lockedView)), `seed ${seed}: nobody is locked alone`);
      alone.kill();
      storm.heal();
      storm.liars.habit = 'votes';
      storm.slots(3);
      const before = storm.finals.highest;
      storm.calm(8);
      storm.assertSound();
      assert.ok(storm.finals.lowest > before, `seed ${seed}: ${storm.finals.lowest}`);
    }
  },
);

/** The view of the last lock of a machine's first key. */
function lockedView({ options, world }: SimNode): number {
  const [witness = ''] = options.witnesses;
  return (
    options.votes?.votingRecord(world.parameters.chainId, testKey(options.keyName ?? witness))?.lock?.subject.view ?? 0
  );
}

test('sides that part before a boundary make two of them, and one becomes final when they have met', inLongForm, () => {
  for (const seed of chooseSeeds(1, 2, 3)) {
    const storm = new VotingStorm({ seed, voters: 10, liars: 3 });
    while (storm.slotsToBoundary > 2) storm.slots(1);
    storm.part(0.5);
    storm.slots(10);
    const heads = new Set(
      storm.honest.map(({ chain }) => chain.block(chain.head.number - (chain.head.number % 10))?.id),
    );
    assert.ok(heads.size > 1, `seed ${seed}: the boundary is one`);
    storm.calm(12);
    storm.assertSound();
    assert.ok(storm.finals.lowest >= storm.highestHead - 2, `seed ${seed}: ${storm.finals.lowest}`);
  }
});
