import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../src/base/histogram.ts';
import { Metrics } from '../../src/base/metrics.ts';

test('counts and levels are read when somebody asks', async () => {
  const metrics = new Metrics();
  let level = 1;
  const counts = new Map([['accepted', 2]]);
  metrics.level('pharos_level', 'A level.', () => Promise.resolve(level));
  metrics.count({ name: 'pharos_things_total', doc: 'Things.', labels: ['outcome'] }, () =>
    [...counts].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  assert.match(await metrics.text(), /^pharos_level 1$[^]*^pharos_things_total\{outcome="accepted"\} 2$/m);
  level = 2;
  counts.set('refused', 5).set('accepted', 3);
  const text = await metrics.text();
  assert.match(text, /^pharos_level 2$/m);
  assert.match(text, /^pharos_things_total\{outcome="accepted"\} 3$/m);
  assert.match(text, /^pharos_things_total\{outcome="refused"\} 5$/m);
  assert.match(text, /^process_cpu_seconds_total /m);
});

test('no metric says how late the event loop was by the time between two looks', async () => {
  const lags = (await new Metrics().text()).match(/^nodejs_eventloop_lag\w* /gm);
  assert.deepEqual(lags, ['nodejs_eventloop_lag_seconds ']);
});

test('a histogram counts each value in all classes that it fits', async () => {
  const metrics = new Metrics();
  const histogram = new Histogram([0.1, 1]);
  metrics.histogram('pharos_wait_seconds', 'A wait.', () => histogram);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.add(value);
  const text = await metrics.text();
  for (const line of [
    'pharos_wait_seconds_bucket{le="0.1"} 2',
    'pharos_wait_seconds_bucket{le="1"} 3',
    'pharos_wait_seconds_bucket{le="+Inf"} 4',
    'pharos_wait_seconds_sum 7.65',
    'pharos_wait_seconds_count 4',
    '# TYPE pharos_wait_seconds histogram',
  ])
    assert.ok(text.split('\n').includes(line), line);
});
