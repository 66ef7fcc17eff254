import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageText } from '../../../src/rpc/alexandria_api/age_text.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

test('an age is told in the unit that fits, rounded as the lineage rounds', () => {
  const ages: readonly [seconds: number, text: string][] = [
    [0, '0 second old'],
    [1, '1 second old'],
    [3, '3 seconds old'],
    [89, '89 seconds old'],
    [90, '2 minutes old'],
    [89 * minute, '89 minutes old'],
    [90 * minute, '2 hours old'],
    [20 * day, '20 days old'],
    [90 * day, '13 weeks old'],
    [400 * day, '57 weeks old'],
    [600 * day, '1 years8 months old'],
    [7 * 365 * day + 100 * day, '7 years old'],
  ];
  for (const [seconds, text] of ages) assert.equal(ageText(10_000_000_000, 10_000_000_000 - seconds, ' old'), text);
});

test('what lies ahead is in the future', () => {
  assert.equal(ageText(100, 103, ' ago'), '3 seconds in the future');
});
