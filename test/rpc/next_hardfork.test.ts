import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardforkPropertyRecord, makeHardforkPropertyRecord } from '../../src/queries/records/hardfork_property.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import type { RowReader } from '../../src/storage/rows.ts';
import { parseTime } from '../../src/values/time.ts';
import { parseVersion } from '../../src/values/version.ts';

const requireSeconds = (text: string): number => parseTime(text) ?? assert.fail(text);
const requireVersion = (text: string): number => parseVersion(text) ?? assert.fail(text);

/** Returns the report of a chain at 1.2.0 that awaits this version. */
function told(next: string, due: string, isPlain: boolean): unknown {
  const row = {
    processed_hardforks: [requireSeconds('2018-07-13T20:13:20'), requireSeconds('2019-02-26T12:00:00')],
    last_hardfork: 2,
    current_hardfork_version: requireVersion('1.2.0'),
    next_hardfork: requireVersion(next),
    next_hardfork_time: requireSeconds(due),
  };
  // Only this table is read.
  const rows = { only: () => row } as unknown as RowReader;
  const { next_hardfork: version, next_hardfork_time: time } = Object(
    hardforkPropertyRecord.toJson(makeHardforkPropertyRecord(rows, isPlain), neutralEncoding),
  ) as Record<string, unknown>;
  return [version, time];
}

test('while no hardfork is pending the next one is the current one, and to the lineage what the chain began with', () => {
  assert.deepEqual(told('0.0.0', '2018-07-13T20:13:20', true), ['1.2.0', '2019-02-26T12:00:00']);
  assert.deepEqual(told('1.2.0', '2018-07-13T20:13:20', true), ['1.2.0', '2019-02-26T12:00:00']);
  assert.deepEqual(told('0.0.0', '2018-07-13T20:13:20', false), ['0.0.0', '2018-07-13T20:13:20']);
});

test('a hardfork that the witnesses have agreed on is told to everybody', () => {
  for (const isPlain of [true, false])
    assert.deepEqual(told('1.3.0', '2027-01-01T00:00:00', isPlain), ['1.3.0', '2027-01-01T00:00:00']);
});
