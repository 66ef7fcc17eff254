import assert from 'node:assert/strict';
import { test } from 'node:test';
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
