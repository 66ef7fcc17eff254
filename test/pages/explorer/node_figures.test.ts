import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLastHour, sampleTimes } from '../../../src/pages/explorer/node_figures.ts';

test('what is no answer of this node is taken for none', () => {
  for (const json of [null, 'text', {}, { every_seconds: 15 }, { every_seconds: '15', figures: {} }])
    assert.equal(readLastHour(json), undefined);
  for (const standing of [null, {}, { status: 1, problems: [] }, { status: 'ready' }])
    assert.equal(readLastHour({ every_seconds: 15, figures: {}, standing })?.standing, undefined);
});

test('figures keep their names and order, and end now', () => {
  const hour = readLastHour({ every_seconds: 15, figures: { peers: [1, 2, 3], odd: 'x' } });
  assert.deepEqual([...(hour?.figures ?? [])], [['peers', [1, 2, 3]]]);
  assert.deepEqual(sampleTimes(3, 15), [-30, -15, 0]);
  const standing = { status: 'behind', problems: ['a', 1] };
  assert.deepEqual(readLastHour({ every_seconds: 15, figures: {}, standing })?.standing, {
    status: 'behind',
    problems: ['a'],
  });
});
