import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsText, toSeconds } from '../../../src/client/chain_time.ts';
import { readConstant } from '../../../src/pages/explorer/constants.ts';
import { agoText, durationText, withoutDate, zonedText } from '../../../src/pages/explorer/words.ts';

test('durations are told by their largest units', () => {
  const told = [0, 59, 60, 3599, 3600, 3660, 86_399, 86_400, 172_800, -5].map(durationText);
  assert.deepEqual(told, [
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '1 h 1 min',
    '23 h 59 min',
    '1 day',
    '2 days',
    '0 s',
  ]);
});

test('a time stands before or after another one', () => {
  assert.equal(agoText('2026-11-23T16:00:00', '2026-11-23T16:00:12'), '12 s ago');
  assert.equal(agoText('2026-11-25T16:00:00', '2026-11-23T16:00:00'), 'in 2 days');
  assert.equal(agoText('2026-11-23T16:00:00', '2026-11-23T16:00:00'), 'now');
  assert.equal(secondsText(toSeconds('2026-11-23T16:00:00')), '2026-11-23T16:00:00');
});

test('constants are found whatever the coin’s name', () => {
  assert.equal(readConstant({ COIN_BLOCK_INTERVAL: 3 }, 'BLOCK_INTERVAL'), 3);
  assert.equal(readConstant({ SIZE_COVERED_IN_BASE_FEE: 4096 }, 'SIZE_COVERED_IN_BASE_FEE'), 4096);
  for (const none of [null, 'text', {}, { COIN_BLOCK_INTERVAL: 'x' }])
    assert.equal(readConstant(none, 'BLOCK_INTERVAL'), undefined);
});

test('a time is told by a clock ahead of UTC or behind it, with its zone', () => {
  assert.equal(zonedText('2026-11-23T16:28:09', 0), '2026-11-23 16:28:09 UTC');
  assert.equal(zonedText('2026-12-31T23:28:09', 60), '2027-01-01 00:28:09 UTC+1');
  assert.equal(zonedText('2026-11-23T16:28:09', -210), '2026-11-23 12:58:09 UTC−3:30');
  assert.equal(withoutDate('2026-11-23T16:28:09', '2026-11-23T23:59:59'), '16:28:09 UTC');
  assert.equal(withoutDate('2026-11-23T16:28:09', '2026-11-23T23:59:59', 60), '2026-11-23');
  assert.equal(withoutDate('2026-11-23T23:28:09', '2026-11-23T23:59:59', 60), '00:28:09 UTC+1');
});
