import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeRefusal, type Client } from '../../../src/client/index.ts';
import { missedDays, readMissedWeek } from '../../../src/pages/explorer/missed_week.ts';
import { secondsText } from '../../../src/client/chain_time.ts';

const BEGIN = Date.UTC(2026, 0, 1) / 1000;
const DAY = 86_400;

/** A node whose block n is of the time at n − 1; it keeps blocks from `oldest` on. */
function headerNode(times: readonly number[], oldest = 1): { readonly client: Client; readonly calls: () => number } {
  let calls = 0;
  const call = async (_: string, { block_num: number }: { readonly block_num: number }): Promise<object | null> => {
    calls++;
    const time = times[number - 1];
    if (number < oldest) throw new NodeRefusal('block_pruned', 'no longer kept');
    return await Promise.resolve(time === undefined ? null : { timestamp: secondsText(time) });
  };
  // Nothing but headers is asked of it.
  return { client: Object.assign(Object.create(null), { call }), calls: () => calls };
}

/** Blocks each three seconds for so many days, without the slots that are missed. */
function blockTimes(days: number, isMissed: (slot: number) => boolean): number[] {
  const slots = (days * DAY) / 3;
  return Array.from({ length: slots }, (_, slot) => slot).flatMap((slot) => (isMissed(slot) ? [] : [BEGIN + 3 * slot]));
}

const SLOTS = DAY / 3;

async function countDays(
  times: readonly number[],
  oldest = 1,
): Promise<{ readonly missed: number[]; readonly calls: number }> {
  const { client, calls } = headerNode(times, oldest);
  const head = { number: times.length, time: secondsText(times.at(-1) ?? 0) };
  const days = await missedDays(client, head, 3);
  return { missed: days.map(({ missed }) => missed), calls: calls() };
}

test('missed slots of each day are counted by the headers at its ends', async () => {
  // A hundred slots of the last day, and all but every second of the third one back.
  const times = blockTimes(9, (slot) => {
    const back = 9 * SLOTS - 1 - slot;
    return (back > 10 && back <= 110) || (back > 2 * SLOTS && back < 3 * SLOTS && back % 2 === 0);
  });
  const { missed, calls } = await countDays(times);
  assert.deepEqual([missed.length, missed[0], missed[1], missed[3]], [7, 100, 0, 0]);
  assert.ok(Math.abs((missed[2] ?? 0) - SLOTS / 2) <= 1, String(missed[2]));
  assert.ok(calls < 150, `${calls} headers`);
});

test('a chain that never missed a slot takes a few headers a day', async () => {
  const { missed, calls } = await countDays(blockTimes(8, () => false));
  assert.deepEqual(missed, [0, 0, 0, 0, 0, 0, 0]);
  assert.ok(calls <= 7 * 4, `${calls} headers`);
});

test('days before the first block, or before the kept ones, are left out', async () => {
  assert.deepEqual((await countDays(blockTimes(2.5, () => false))).missed, [0, 0]);
  assert.deepEqual(
    (
      await countDays(
        blockTimes(8, () => false),
        5 * SLOTS,
      )
    ).missed,
    [0, 0, 0],
  );
  assert.deepEqual((await countDays(blockTimes(0.5, () => false))).missed, []);
});

test('the answer of a node is read, and what is none is not', () => {
  const week = readMissedWeek({ since: '2026-01-01T00:00:00', missed: { alice: 3, bob: 'x' } });
  assert.deepEqual([week?.missed.get('alice'), week?.missed.has('bob')], [3, false]);
  for (const json of [undefined, null, {}, { since: 5, missed: {} }, { since: '', missed: null }])
    assert.equal(readMissedWeek(json), undefined);
});

test('a node that does not answer is not taken for one without a day', async () => {
  const call = async (): Promise<never> => await Promise.reject(new Error('silent'));
  const client: Client = Object.assign(Object.create(null), { call });
  await assert.rejects(missedDays(client, { number: 400_000, time: '2026-01-20T00:00:00' }, 3), /silent/);
});
