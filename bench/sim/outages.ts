import { assert } from '../../src/base/assert.ts';
import { OutageWorld, type Finality, type OutageOptions } from '../../test/sim/outage_world.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

// What may stop a chain of 51 witnesses, and how long it stands afterwards: one of them by default, with
// PHAROS_SIM_OUTAGES those whose name contains it, all of them for an empty text. PHAROS_SIM_SEEDS are so many seeds of
// each, from PHAROS_SIM_FIRST_SEED on; PHAROS_SIM_MACHINES puts the witnesses on so many machines (11 at least), which
// is cheaper; PHAROS_SIM_DAY is how many seconds a day has. The days take an hour of CPU.

interface Outage {
  readonly name: string;
  /** The seconds that nobody may have a new block. */
  readonly atMost: number;
  readonly finalities: readonly Finality[];
  /** The number of machines: in long outages several witnesses share one. */
  readonly machines?: number;
  readonly haveJournals?: boolean;
  /** Seconds without a new block, while enough keys are there. */
  readonly run: (outage: OutageWorld) => number;
}

const WITNESSES = 51;
const FEW_MACHINES = 14;
const MACHINES = Number(process.env['PHAROS_SIM_MACHINES'] ?? 0);
const [MINUTE, HOUR, DAY] = [60, 3600, Number(process.env['PHAROS_SIM_DAY'] ?? 86_400)];
const WITHIN = 30;
/** With lost journals everybody watches for half a minute first. */
const WITHIN_WATCHED = 60;
const GIVEN_UP = 300;
const FLAPS = 15;
const both: readonly Finality[] = ['confirmations', 'round'];

/** Until all have a new block; then they must come together and stay so. */
function continueSeconds(outage: OutageWorld): number {
  const seconds = outage.untilGoing(GIVEN_UP);
  outage.world.run(MINUTE);
  outage.passUntilTogether(MINUTE);
  return seconds;
}

const live = [35, 36, 38, 39].map((count): Outage => ({
  name: `${count} of 51 live for a day`,
  atMost: WITHIN,
  finalities: both,
  machines: FEW_MACHINES,
  run(outage) {
    outage.leaveLive(count);
    const longest = outage.longestGap(DAY);
    outage.passUntilTogether(MINUTE);
    return longest;
  },
}));

const parted = [
  [25, 26],
  [17, 34],
  [17, 17, 17],
].flatMap((sizes) =>
  [
    ['five minutes', 5 * MINUTE],
    ['an hour', HOUR],
  ].map(([text, seconds]): Outage => ({
    name: `parted ${sizes.join('/')} for ${text}, healed`,
    atMost: WITHIN,
    finalities: both,
    machines: seconds === HOUR ? FEW_MACHINES : WITNESSES,
    run(outage) {
      outage.world.part(...outage.parts(...sizes));
      outage.world.run(Number(seconds));
      outage.world.heal();
      return continueSeconds(outage);
    },
  })),
);

const flapping: Outage = {
  name: `another cut each 20 to 60 s, ${FLAPS} times, healed`,
  atMost: WITHIN,
  finalities: both,
  machines: FEW_MACHINES,
  run(outage) {
    for (let flap = 0; flap < FLAPS; flap++) {
      outage.world.part(...outage.parts(15 + outage.roll(22)));
      outage.world.run(20 + outage.roll(41));
    }
    outage.world.heal();
    return continueSeconds(outage);
  },
};

const restarted = (
  [
    ['at once', 0],
    ['after a minute', MINUTE],
    ['after an hour', HOUR],
    ['after a day', DAY],
  ] as const
).flatMap(([text, afterSeconds]) =>
  [true, false].flatMap((journals) =>
    [true, false].map((reversible): Outage => ({
      name: `all restarted ${text}, ${journals ? 'with' : 'without'} journals, ${reversible ? 'with' : 'without'} reversible blocks`,
      atMost: journals ? WITHIN : WITHIN_WATCHED,
      finalities: both,
      machines: FEW_MACHINES,
      haveJournals: true,
      run(outage) {
        outage.restartAll({ afterSeconds, journals, reversible });
        return continueSeconds(outage);
      },
    })),
  ),
);

const back: Outage = {
  name: '20 of 51 live for an hour, then 35',
  atMost: WITHIN,
  finalities: both,
  machines: FEW_MACHINES,
  run(outage) {
    const [first = [], second = []] = outage.parts(20, 15);
    for (const machine of outage.machines) if (!first.includes(machine)) machine.kill();
    outage.world.run(HOUR);
    for (const machine of second) machine.restart();
    return continueSeconds(outage);
  },
};

const twoFaced = [5, 10, 16].map((keys): Outage => ({
  name: `25/26 for ten minutes, ${keys} keys serve both sides, healed`,
  atMost: WITHIN,
  finalities: ['confirmations'],
  run(outage) {
    outage.servingBoth(25, keys);
    outage.world.run(10 * MINUTE);
    outage.world.heal();
    return continueSeconds(outage);
  },
}));

const outages: readonly Outage[] = [...parted, flapping, ...restarted, back, ...twoFaced, ...live];

/** Outages with the real code on a simulated network: that no two blocks of a height are final is checked at each. */
export function run({ quick }: BenchOptions): Row[] {
  const named = process.env['PHAROS_SIM_OUTAGES'];
  const seeds = Number(process.env['PHAROS_SIM_SEEDS'] ?? 1);
  const first = Number(process.env['PHAROS_SIM_FIRST_SEED'] ?? 1);
  const chosen =
    quick || named === undefined ? restarted.slice(0, 1) : outages.filter(({ name }) => name.includes(named));
  return chosen.flatMap((outage) =>
    outage.finalities.map((finality) => makeRow(outage, finality, { first, count: quick ? 1 : seeds })),
  );
}

function makeRow(
  { name, atMost, run: outlast, ...options }: Outage,
  finality: Finality,
  seeds: { first: number; count: number },
): Row {
  const { machines = WITNESSES, haveJournals = false } = options;
  const world: Omit<OutageOptions, 'seed'> = {
    finality,
    witnesses: WITNESSES,
    haveJournals,
    machines: MACHINES || machines,
  };
  const seconds = Array.from({ length: seeds.count }, (_, index) =>
    outlast(new OutageWorld({ ...world, seed: seeds.first + index })),
  );
  const longest = Math.max(...seconds);
  assert(longest <= GIVEN_UP, `${name}: the chain stands, by ${finality}`);
  if (process.env['PHAROS_SIM_OUTAGES'] !== undefined) console.log(`${name} (${finality}): ${seconds.join(', ')} s`);
  return amountRow(
    name,
    `seconds without a block, finality by ${finality}`,
    { value: longest, unit: 's' },
    { budget: { atMost } },
  );
}
