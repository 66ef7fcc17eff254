import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchedHead } from '../../src/load_test/block_reader.ts';
import { momentText, rampText, trafficText } from '../../src/load_test/traffic_text.ts';
import type { Moment } from '../../src/load_test/timeline.ts';
import type { TrafficReport } from '../../src/load_test/traffic_report.ts';
import { shapedReport } from './shaped_report.ts';

const head: WatchedHead = {
  number: 77,
  id: '',
  time: 0,
  slot: 0,
  irreversible: 0,
  maximumBlockBytes: 0,
  averageBlockBytes: 0,
  referenceId: '',
};
const moment: Moment = {
  second: 12.3,
  sent: 500,
  answered: 480,
  refused: 3,
  includedInBlocks: 400,
  backlog: 90,
  pending: 80,
  p50Ms: 4.25,
  p99Ms: 1234.5,
  p999Ms: 2000,
  nodeCpu: 0.61,
  ownCpu: 0.08,
  nodeBytes: 1e8,
  ownBytes: 1e8,
};

test('the live line tells rate, latencies, refusals, blocks, backlog and CPU time, the most needed first', () => {
  const whole =
    '12 s · 480 calls/s · p50 4.25 ms, p99 1235 ms · 3 refused · block 77 · 90 wait for one · CPU 8 % own, 61 % node';
  assert.equal(momentText(moment, head, 200), whole);
  assert.equal(momentText({ ...moment, nodeCpu: undefined }, head, 200), whole.replace(', 61 % node', ''));
  for (let columns = 1; columns < 200; columns++) {
    const line = momentText(moment, head, columns);
    assert.ok(whole.startsWith(line) && (line.length < columns || line === '12 s'), `${columns}: ${line}`);
  }
  assert.equal(momentText(moment, head, 80), '12 s · 480 calls/s · p50 4.25 ms, p99 1235 ms · 3 refused · block 77');
});

const verdict = (audit: Partial<TrafficReport['audit']>): string => {
  const report = shapedReport({ perSecond: 10, p99: 20 });
  return /^verdict +(.*)$/m.exec(trafficText({ ...report, audit: { ...report.audit, ...audit } }))?.[1] ?? '';
};

test('the verdict says whether what was promised was kept', () => {
  assert.equal(verdict({}), 'kept: each is in a block, once');
  assert.equal(verdict({ stillValid: 2 }), 'kept so far: what is in no block may still come');
  assert.match(verdict({ stillValid: 2, forgotten: 3 }), /^kept, but 3 were acknowledged as accepted only/);
  assert.match(
    verdict({ forgotten: 3, lost: 1 }),
    /^BROKEN: 1 that were acknowledged are in no block although there was room, and can come into none, 0 are in two$/,
  );
  assert.match(
    verdict({ expired: 2 }),
    /^kept, but 2 expired after they were accepted, before enough blocks with room came/,
  );
  assert.match(verdict({ twice: 4 }), /^BROKEN: 0 .* 4 are in two$/);
  assert.match(
    verdict({ revoked: 2, lost: 1 }),
    /^BROKEN: 2 that were acknowledged as final are in no irreversible block; 1 others are lost, 0 are in two$/,
  );
  assert.match(verdict({ unknown: 20 }), /^UNKNOWN: the node could not be asked what became of 20$/);
});

test('what a node says of itself is told, and what cannot be known of it too', () => {
  const report = shapedReport({ perSecond: 10, p99: 20 });
  assert.match(
    trafficText(report),
    /^health {7}ready, head 0\.500 s old, clock 0\.00 s off\nat most {6}40 open files\nblock {8}on the disk p50 ≤ 5\.00 ms /m,
  );
  const far = { ...report, node: null };
  assert.match(trafficText(far), /^node {9}1\.00 CPU-seconds, as it says: 20 a CPU-second; 95 MiB of memory/m);
  const mute = trafficText({ ...far, told: { ...report.told, metrics: null, problem: 'HTTP 404', health: null } });
  assert.match(
    mute,
    /^node {9}CPU and memory unknown: .*\nhealth {7}it has no \/health\nmetrics {6}not readable at http:\/\/node\/metrics \(HTTP 404\)/m,
  );
  assert.match(trafficText({ ...report, interrupted: true }), /^sent .* in 2\.0 s, when it was interrupted$/m);
});

test('a ramp says when nothing higher was asked for, and when it was its own limit or was ended', () => {
  const step = { perSecond: 100, p99Ms: 5, refusedCalls: 0, isOwnLimit: false, holds: true };
  const high = { ...step, perSecond: 200, holds: false };
  assert.equal(
    rampText({ steps: [step], highest: 100, interrupted: false }),
    'highest      100 a second, and no higher one was asked for\n',
  );
  assert.equal(rampText({ steps: [step, high], highest: 100, interrupted: false }), 'highest      100 a second\n');
  assert.match(
    rampText({ steps: [step, { ...high, isOwnLimit: true }], highest: 100, interrupted: false }),
    /this program’s limit/,
  );
  assert.match(
    rampText({ steps: [step], highest: 100, interrupted: true }),
    /100 a second, as far as it came before it was interrupted/,
  );
  assert.match(rampText({ steps: [], highest: undefined, interrupted: true }), /interrupted before a rate held/);
  assert.match(rampText({ steps: [high], highest: undefined, interrupted: false }), /not even the lowest rate holds/);
});
