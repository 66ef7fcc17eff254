import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardforkLines, type HardforkReport } from '../../src/cli/witness/hardfork_report.ts';

const LATER = '2027-01-01T00:00:00';

/** A round of witnesses a, b, c … that run these versions. */
function report(running: readonly string[], rest: Partial<HardforkReport> = {}): HardforkReport {
  const scheduled = running.map((running_version, k) => ({
    owner: String.fromCodePoint(97 + k),
    running_version,
    hardfork_version_vote: running_version,
    hardfork_time_vote: LATER,
  }));
  return {
    ...{ id: 0n, processed_hardforks: [], last_hardfork: 2, current_hardfork_version: '1.2.0' },
    ...{ next_hardfork: '1.2.0', next_hardfork_time: LATER, supported_version: '1.2.0' },
    ...{ required_votes: 3, scheduled, planned: [], votes: [], warnings: [] },
    ...rest,
  };
}

test('a status says which versions the round runs, who votes for the next one, how many are needed and when it comes', () => {
  assert.deepEqual(hardforkLines(report(['1.2.0', '1.2.0'])), [
    'version 1.2.0 is active, no other is agreed on',
    'the round runs 1.2.0',
  ]);
  const votes = [
    { version: '1.10.0', time: LATER, witnesses: ['a', 'c'] },
    { version: '1.9.0', time: LATER, witnesses: ['d'] },
  ];
  const mixed = report(['1.10.0', '1.2.0', '1.10.0', '1.10.0'], { votes });
  assert.deepEqual(hardforkLines(mixed), [
    'version 1.2.0 is active, no other is agreed on',
    'the round runs 1.10.0 (a, c, d); 1.2.0 (b)',
    `2 of 4 vote for 1.10.0 at ${LATER} (a, c); 3 are needed`,
    `1 of 4 vote for 1.9.0 at ${LATER} (d); 3 are needed`,
  ]);
  const [agreed] = hardforkLines({ ...mixed, next_hardfork: '1.10.0' });
  assert.equal(agreed, `version 1.2.0 is active; 1.10.0 becomes active at ${LATER}`);
});

test('a status of a development chain says which block applies a hardfork', () => {
  const planned = [{ name: 'bandwidth', version: '1.2.0', block_num: 100 }];
  assert.ok(hardforkLines(report(['1.2.0'], { planned })).includes('block 100 applies bandwidth (version 1.2.0)'));
});

test('a status ends with what the node warns of', () => {
  const warnings = [{ name: 'unknown_version', text: '2 of 3 run version 1.3.0', advice: 'install a newer release' }];
  assert.equal(
    hardforkLines(report(['1.2.0'], { warnings })).at(-1),
    '2 of 3 run version 1.3.0: install a newer release',
  );
});
