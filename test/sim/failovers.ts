import assert from 'node:assert/strict';

import { testKey } from '../builders/chain.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { DOUBLED, FailoverWorld } from './failover_world.ts';
import type { SimNode } from './sim_node.ts';

/** The expected outcome of a cause. */
interface Expected {
  /** The number of switches of the witness; undefined when it depends on the seed. */
  readonly switches?: number;
  /** True when the standby is in no state to take over in time, whatever the witness misses. */
  readonly isHampered?: boolean;
}

/** The outcome of a failover. */
export interface FailoverOutcome {
  readonly cause: string;
  readonly switches: number;
  /** The longest run of missed slots, and how many of these a switch could not have saved. */
  readonly missed: number;
  readonly excused: number;
  /** From the last block of the one machine to the first of the other, in slots of the witness that were missed. */
  readonly between: number;
}

const DEAD_SECONDS = 90;
const SLOT_SECONDS = 3;
/** A standby requires this much of the others, in such a small round. */
const FEWEST_SLOTS = 2;

type Cause = (parted: FailoverWorld) => Expected;

/** Each is a way for the machine of a witness to fail, or to seem to. */
export const causes: Readonly<Record<string, Cause>> = {
  killed({ world, active }) {
    active.kill();
    world.run(DEAD_SECONDS);
    return { switches: 1 };
  },

  'killed and started again soon'({ world, active, randomSource }) {
    active.kill();
    world.run(1 + randomSource.roll(60));
    active.restart();
    world.run(DEAD_SECONDS);
    return {};
  },

  'frozen and woken'({ world, active, randomSource }) {
    active.process.freeze();
    world.run(5 + randomSource.roll(240));
    active.process.thaw();
    world.run(50);
    return {};
  },

  'cut off alone'({ world, active, others, standbys, randomSource }) {
    world.part([active], [...others, ...standbys]);
    world.run(60 + randomSource.roll(90));
    world.heal();
    world.run(50);
    return { switches: 1 };
  },

  'cut off with the smaller part'({ world, active, others, standbys, randomSource }) {
    const [away, ...rest] = others;
    assert(away !== undefined);
    world.part([active, away], [...rest, ...standbys]);
    world.run(60 + randomSource.roll(90));
    world.heal();
    world.run(50);
    return { switches: 1 };
  },

  'the standby is in the smaller part'({ world, active, others, standbys, randomSource }) {
    const away = others.slice(0, randomSource.roll(2));
    world.part([...standbys, ...away], [active, ...others.slice(away.length)]);
    world.run(50 + randomSource.roll(120));
    world.heal();
    world.run(50);
    return { switches: 0 };
  },

  'parted in the middle'({ world, active, others, standbys, randomSource }) {
    world.part([...standbys, ...others.slice(0, 2)], [active, ...others.slice(2)]);
    world.run(50 + randomSource.roll(90));
    world.heal();
    world.run(50);
    // Two of four may by chance fill all slots of those few that a small round has time to look at.
    return {};
  },

  'restored from a backup of the data folder': (parted) => restored(parted, { data: true, journal: false }),
  'restored from a backup of the journal': (parted) => restored(parted, { data: false, journal: true }),
  'restored from a backup of both': (parted) => restored(parted, { data: true, journal: true }),

  'restored beside itself before anybody has taken over'({ world, active, randomSource }) {
    const journal = new MemoryJournal(active.options.journal?.records.slice(0, -1) ?? []);
    active.kill();
    world.run(1 + randomSource.roll(20));
    const { name, witnesses, standby } = active.options;
    assert(standby !== undefined);
    world.add({ name: `${name} again`, witnesses, standby, journal });
    world.run(DEAD_SECONDS);
    return {};
  },

  'its clock is set ahead'({ world, active, randomSource }) {
    active.clockOffsetMs += 1000 + randomSource.roll(600_000);
    world.run(50 + randomSource.roll(90));
    active.clockOffsetMs = 0;
    world.run(60);
    return {};
  },

  'its clock is set back'({ world, active, randomSource }) {
    // It takes blocks for blocks of the future, and who sends them for liars.
    world.checks.deceived.add(active.options.name);
    active.clockOffsetMs -= 1000 + randomSource.roll(600_000);
    world.run(60 + randomSource.roll(90));
    active.clockOffsetMs = 0;
    world.run(60);
    active.kill();
    world.run(30);
    return {};
  },

  "the standby's clock is set ahead"({ world, active, standbys, randomSource }) {
    for (const standby of standbys) standby.clockOffsetMs += 1000 + randomSource.roll(600_000);
    world.run(30);
    active.kill();
    world.run(50);
    for (const standby of standbys) standby.clockOffsetMs = 0;
    world.run(50);
    // What it has signed for slots to come is not signed again when they come.
    return { isHampered: true };
  },

  'slow but alive'({ world, active, randomSource }) {
    active.slowMs = 500 + randomSource.roll(4000);
    world.run(80);
    active.slowMs = 0;
    world.run(60);
    return {};
  },

  'its machine stutters'({ world, active, randomSource }) {
    for (let times = 0; times < 8; times++) {
      active.process.freeze();
      world.run(1 + randomSource.roll(25));
      active.process.thaw();
      world.run(1 + randomSource.roll(20));
    }
    world.run(30);
    return {};
  },

  'the standby was frozen, too'({ world, active, standbys, randomSource }) {
    for (const standby of standbys) standby.process.freeze();
    active.kill();
    world.run(5 + randomSource.roll(120));
    for (const standby of standbys) standby.process.thaw();
    world.run(DEAD_SECONDS);
    return { switches: 1, isHampered: true };
  },

  'the standby starts again behind it'({ world, active, standbys, randomSource }) {
    active.kill();
    for (const standby of standbys) standby.kill();
    world.run(1 + randomSource.roll(40));
    for (const standby of standbys) standby.restart();
    world.run(DEAD_SECONDS);
    return { switches: 1, isHampered: true };
  },
};

/** The machine dies, somebody takes over or not, and it is set up again from what was copied at some time. */
function restored(parted: FailoverWorld, from: { readonly data: boolean; readonly journal: boolean }): Expected {
  const { world, active, randomSource } = parted;
  const records = active.options.journal?.records ?? [];
  const backup = new MemoryJournal(records.slice(0, Math.max(1, records.length - randomSource.roll(4))));
  world.run(randomSource.roll(40));
  active.kill();
  world.run(randomSource.roll(80));
  const kept = active.options.journal ?? assert.fail('it has none');
  parted.active = world.setUpAgain(active, {
    blocks: from.data ? world.blocks : undefined,
    journal: from.journal ? backup : kept,
  });
  world.run(DEAD_SECONDS);
  return {};
}

/**
 * Runs the failover of a seed; fails when a promise is broken. No key signs a slot twice: sim_checks.ts looks at each
 * signature.
 */
export function failover(seed: number): FailoverOutcome {
  const names = Object.keys(causes);
  const cause = names[seed % names.length] ?? '';
  const parted = new FailoverWorld(seed, 1 + (Math.trunc(seed / names.length) % 2));
  parted.getReady();
  const expected = causes[cause]?.(parted) ?? {};
  parted.world.runUntilTogether(60);
  const outcome = { cause, ...failoverOutcome(parted, expected.isHampered === true) };
  const at = `seed ${seed}, ${cause}: ${JSON.stringify(outcome)}`;
  if (expected.switches !== undefined) assert.equal(outcome.switches, expected.switches, at);
  assert(outcome.switches <= 1, `${at}: switched twice`);
  if (expected.isHampered !== true) assert(outcome.missed - outcome.excused <= 2, at);
  assertOneProduces(parted, at);
  return outcome;
}

/** Asserts that the holder of the chain's key makes the blocks, and nobody else has in the last round. */
function assertOneProduces({ key, standbys, active }: FailoverWorld, at: string): void {
  const keys = new Map<string, SimNode>([
    [testKey(DOUBLED), active],
    ...standbys.map((node) => [testKey(node.options.keyName ?? ''), node] as const),
  ]);
  assert(key !== undefined && keys.has(key), `${at}: nobody has the key`);
}

function failoverOutcome(parted: FailoverWorld, isHampered: boolean): Omit<FailoverOutcome, 'cause'> {
  const { own, blocks } = parted.history();
  const made = [testKey(DOUBLED), ...own.flatMap(({ key }) => key ?? [])];
  const switches = made.filter((key, index) => index > 0 && key !== made[index - 1]).length;
  let [missed, excused, between, run]: [number, number, number, number[]] = [0, 0, 0, []];
  let last = testKey(DOUBLED);
  for (const { time, key } of own) {
    if (key === undefined) run.push(time);
    else {
      if (key !== last) between = run.length;
      last = key;
      run = [];
    }
    if (run.length <= missed) continue;
    missed = run.length;
    excused = isHampered ? run.length : tooSoon(run, blocks);
  }
  return { switches, missed, excused, between };
}

/**
 * Counts the missed slots of a run that no standby could have saved. The chain itself is the lock: behind the second
 * one a block tells of it, when the others have filled enough of their slots, and the next one has the switch.
 */
function tooSoon(run: readonly number[], blocks: readonly number[]): number {
  const [first = 0, second = 0, ...more] = run;
  const told = blocks.findIndex((time) => time > second && isTelling(first, time, run, blocks));
  const withSwitch = blocks[told + 1] ?? Infinity;
  return more.filter((time) => told < 0 || time <= withSwitch).length;
}

function isTelling(first: number, time: number, run: readonly number[], blocks: readonly number[]): boolean {
  const before = blocks.findLast((each) => each < first) ?? first - SLOT_SECONDS;
  const slots = (time - before) / SLOT_SECONDS - run.filter((each) => each <= time).length;
  const filled = blocks.filter((each) => each > before && each <= time).length;
  return slots >= FEWEST_SLOTS && 3 * filled >= 2 * slots;
}
