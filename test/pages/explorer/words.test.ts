import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constantIn } from '../../../src/pages/explorer/constants.ts';
import {
  agoText,
  amountText,
  countText,
  durationText,
  shortText,
  timeAt,
  secondsOf,
  wholeText,
} from '../../../src/pages/explorer/words.ts';

test('amounts have their thousands apart and no zeros that say nothing, and lose no unit', () => {
  assert.equal(amountText('10000000.500000 COIN'), '10,000,000.5 COIN');
  assert.equal(amountText('0.000001 COIN'), '0.000001 COIN');
  assert.equal(amountText('1234.000000 VESTS'), '1,234 VESTS');
  assert.equal(amountText('-9223372036854.775808 COIN'), '-9,223,372,036,854.775808 COIN');
  assert.equal(amountText('nonsense'), 'nonsense');
  assert.equal(wholeText('350000000.999999 COIN'), '350,000,000 COIN');
  assert.equal(
    countText(340282366920938463463374607431768211455n),
    '340,282,366,920,938,463,463,374,607,431,768,211,455',
  );
});

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
  assert.equal(timeAt(secondsOf('2026-11-23T16:00:00')), '2026-11-23T16:00:00');
});

test('long ids are known by their ends', () => {
  assert.equal(shortText('00000001e932340631faaa559c8c843d19e34370'), '00000001…19e34370');
  assert.equal(shortText('alice'), 'alice');
});

test('constants are found whatever the coin’s name', () => {
  assert.equal(constantIn({ COIN_BLOCK_INTERVAL: 3 }, 'BLOCK_INTERVAL'), 3);
  assert.equal(constantIn({ SIZE_COVERED_IN_BASE_FEE: 4096 }, 'SIZE_COVERED_IN_BASE_FEE'), 4096);
  for (const none of [null, 'text', {}, { COIN_BLOCK_INTERVAL: 'x' }])
    assert.equal(constantIn(none, 'BLOCK_INTERVAL'), undefined);
});
