import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Chain } from '../../../src/chain/chain.ts';
import { MISSED_SLOTS_FILE, MissedSlotsFile } from '../../../src/data_folder/missed_slots_file.ts';
import { MissedWeek } from '../../../src/node/http/missed_week.ts';
import { blockRow } from '../../../src/state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../../src/state/tables/dynamic_global_property.ts';
import { witnesses } from '../../../src/state/tables/witness.ts';
import { timeText } from '../../../src/values/time.ts';
import { produce } from '../../builders/chain.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { chainOfTwoWitnesses } from '../../builders/witness_round.ts';

const HOUR_MS = 3_600_000;
const DAY = 86_400;
/** Slots of a day. */
const SLOTS = DAY / 3;

const folder = mkdtempSync(join(tmpdir(), 'pharos-missed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly since: string;
  readonly missed: Readonly<Record<string, number>>;
}

function readAnswer(week: MissedWeek): Answer {
  const page = week.page();
  assert.equal(page.status, 200);
  return JSON.parse(String(page.body));
}

const headTime = (chain: Chain): number => chain.committed.only(dynamicGlobalProperties).time;
const headClock = (chain: Chain): HandClock => new HandClock(headTime(chain) * 1000);

function totals(chain: Chain): Record<string, number> {
  return Object.fromEntries(
    ['initminer', 'alice'].map((owner) => [owner, chain.committed.get(witnesses, owner)?.total_missed ?? -1]),
  );
}

function minus(later: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(later).map(([name, total]) => [name, total - (before[name] ?? 0)]));
}

/** Every slot is missed but the last of each hour, for the given number of hours. */
function passHours(chain: Chain, hours: number, week?: MissedWeek): void {
  for (let hour = 0; hour < hours; hour++) {
    produce(chain, SLOTS / 24);
    week?.takeUpdate();
  }
}

test('a young chain is counted from its beginning, an older one over the last seven days', () => {
  const chain = chainOfTwoWitnesses();
  const week = new MissedWeek({ rows: chain.committed, clock: headClock(chain), file: undefined });
  const genesis = timeText(blockRow(chain.committed, 1)?.time_before ?? 0);
  passHours(chain, 3, week);
  assert.deepEqual(readAnswer(week), { since: genesis, missed: totals(chain) });
  assert.ok(Object.values(totals(chain)).some((missed) => missed > 0));
  passHours(chain, 48, week);
  const [before, time] = [totals(chain), headTime(chain)];
  passHours(chain, 7 * 24, week);
  assert.deepEqual(readAnswer(week), { since: timeText(time), missed: minus(totals(chain), before) });
  week.stop();
});

test('a restart loses no sample, and slots that were missed while the node was away count', () => {
  const chain = chainOfTwoWitnesses();
  const clock = headClock(chain);
  const file = new MissedSlotsFile(folder, (sentence) => assert.fail(sentence));
  const open = (): MissedWeek => new MissedWeek({ rows: chain.committed, clock, file });
  const first = open();
  passHours(chain, 24, first);
  const [before, time] = [totals(chain), headTime(chain)];
  passHours(chain, 5, first);
  first.stop();
  passHours(chain, 7 * 24 - 5);
  const second = open();
  assert.deepEqual(readAnswer(second), { since: timeText(time), missed: minus(totals(chain), before) });
  second.stop();
});

test('the file is written once an hour and at the end, and has a week', () => {
  const chain = chainOfTwoWitnesses();
  const clock = headClock(chain);
  let written = 0;
  const file = new (class extends MissedSlotsFile {
    override write(samples: Parameters<MissedSlotsFile['write']>[0]): void {
      written++;
      super.write(samples);
    }
  })(folder, (sentence) => assert.fail(sentence));
  const week = new MissedWeek({ rows: chain.committed, clock, file });
  passHours(chain, 200, week);
  assert.equal(written, 0, 'a node that catches up writes at the end');
  clock.pass(HOUR_MS);
  passHours(chain, 2, week);
  assert.equal(written, 1);
  week.stop();
  week.stop();
  assert.equal(written, 2);
  assert.equal(file.read().length, 169);
  assert.ok(statSync(join(folder, MISSED_SLOTS_FILE)).size < 169 * 200);
});

test('samples of blocks that the chain does not have are no beginning', () => {
  const chain = chainOfTwoWitnesses();
  passHours(chain, 24);
  const file = new MissedSlotsFile(folder, (sentence) => assert.fail(sentence));
  const other = {
    number: 2,
    id: 'ab'.repeat(20),
    time: headTime(chain) - DAY / 2,
    missed: new Map([['alice', 99_999]]),
  };
  file.write([other]);
  const week = new MissedWeek({ rows: chain.committed, clock: headClock(chain), file });
  assert.deepEqual(readAnswer(week).missed, totals(chain));
});

test('a chain that catches up with months has a sample for each hour of its last week', () => {
  const chain = chainOfTwoWitnesses();
  const clock = new HandClock((headTime(chain) + 30 * DAY) * 1000);
  const file = new MissedSlotsFile(folder, (sentence) => assert.fail(sentence));
  file.write([]);
  const week = new MissedWeek({ rows: chain.committed, clock, file });
  passHours(chain, 30 * 24, week);
  week.stop();
  assert.equal(file.read().length, 169);
});

test('a disk that refuses is told once, and the count goes on', () => {
  const chain = chainOfTwoWitnesses();
  const warned: string[] = [];
  const file = new MissedSlotsFile(join(folder, 'missing'), (sentence) => void warned.push(sentence));
  const week = new MissedWeek({ rows: chain.committed, clock: headClock(chain), file });
  passHours(chain, 2, week);
  week.stop();
  file.write([]);
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? '', /not remembered beyond a restart: cannot write/);
  assert.deepEqual(readAnswer(week).missed, totals(chain));
});
