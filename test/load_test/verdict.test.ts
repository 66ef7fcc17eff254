import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrafficReport } from '../../src/load_test/traffic_report.ts';
import { judge } from '../../src/load_test/verdict.ts';
import { shapedReport } from './shaped_report.ts';

const report = shapedReport({ perSecond: 100, p99: 20 });
const graded = (changed: Partial<TrafficReport>): string[] =>
  judge({ ...report, ...changed }).map(({ grade, text }) => `${grade}: ${text}`);

test('a run in which all is well has only kept promises', () => {
  assert.deepEqual(graded({}), [
    'kept: acknowledged transactions: kept: each is in a block, once',
    'kept: 100 calls a second were asked for, 100.0 were answered and not refused',
  ]);
  assert.deepEqual(graded({ settings: { ...report.settings, perSecond: null } }).length, 1);
});

test('a lost transaction breaks the run, whatever else went well', () => {
  assert.match(graded({ audit: { ...report.audit, lost: 1 } })[0] ?? '', /^broken: .*BROKEN: 1 /);
  assert.match(graded({ audit: { ...report.audit, unknown: 5 } })[0] ?? '', /^broken: .*UNKNOWN/);
});

test('a run of reads says nothing of transactions', () => {
  assert.doesNotMatch(graded({ audit: { ...report.audit, acknowledged: 0 } }).join('\n'), /acknowledged/);
});

test('each cause why figures may mislead is told', () => {
  const found = graded({
    answeredPerSecond: 80,
    sent: { ...report.sent, unsent: 7 },
    refusedCalls: 2,
    interrupted: true,
    self: { ...report.self, limits: ['signing was too slow'] },
    blocks: { ...report.blocks, undone: 1, missedSlots: 2, silences: 3 },
  }).join('\n');
  for (const part of [
    'note: 100 calls a second were asked for, 80.0 were answered and not refused; 7 calls found no free connection',
    'note: the load tester’s own limit: signing was too slow',
    'note: the run was interrupted',
    'note: 2 calls were refused: 1.0 % of all calls',
    'note: 1 block was undone',
    'note: 2 slots had no block',
    'note: 3 times the node could not be asked',
  ])
    assert.ok(found.includes(part), `${part}\n${found}`);
});
