import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ramp } from '../../src/load_test/ramp.ts';
import { shapedReport } from './shaped_report.ts';

test('a ramp ends within a twentieth of the highest rate that a node takes', async () => {
  const node = (perSecond: number) => Promise.resolve(shapedReport({ perSecond, p99: perSecond <= 730 ? 40 : 900 }));
  const rates: number[] = [];
  const { highest } = await ramp({ from: 100, to: 5000, p99Ms: 100 }, node, ({ perSecond }) => rates.push(perSecond));
  assert.ok(highest !== undefined && highest <= 730 && highest > 730 / 1.06, `${highest} of ${rates.join(', ')}`);
  assert.deepEqual(rates.slice(0, 4), [100, 200, 400, 800]);
});

test('a rate with refusals does not hold, however fast it is', async () => {
  const node = (perSecond: number) =>
    Promise.resolve(shapedReport({ perSecond, p99: 1, refused: perSecond > 100 ? 1 : 0 }));
  const { highest, steps } = await ramp({ from: 100, to: 200, p99Ms: 100 }, node, () => {});
  assert.ok(highest !== undefined && highest < 106, `${highest}`);
  assert.equal(steps[1]?.holds, false);
});

test('the upper end is tried and not exceeded; a lower end that is too high already is told', async () => {
  const quick = (perSecond: number) => Promise.resolve(shapedReport({ perSecond, p99: 1 }));
  assert.deepEqual(
    (await ramp({ from: 100, to: 300, p99Ms: 10 }, quick, () => {})).steps.map(({ perSecond }) => perSecond),
    [100, 200, 300],
  );
  const slow = (perSecond: number) => Promise.resolve(shapedReport({ perSecond, p99: 11 }));
  assert.deepEqual((await ramp({ from: 100, to: 300, p99Ms: 10 }, slow, () => {})).highest, undefined);
});
