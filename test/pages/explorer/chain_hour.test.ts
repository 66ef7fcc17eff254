import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChainHour, minuteFullness, minuteRates, roughText } from '../../../src/pages/explorer/chain_hour.ts';

test('an hour of the chain is read, and what is none is left out', () => {
  const hour = readChainHour({ bucket_seconds: 60, transactions: [0, 30], bytes: [0, 5000], blocks: [0, 10] });
  assert.ok(hour !== undefined);
  assert.deepEqual(minuteRates(hour), [0, 0.5]);
  assert.deepEqual(minuteFullness(hour, 1000), [0, 50]);
  for (const json of [undefined, null, 'x', {}, { bucket_seconds: 60, transactions: [1], bytes: [], blocks: [] }])
    assert.equal(readChainHour(json), undefined);
});

test('figures beside a chart have two digits', () => {
  assert.deepEqual([0, 0.0351, 7.25, 123.4].map(roughText), ['0', '0.035', '7.3', '123']);
});
