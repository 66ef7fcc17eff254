import assert from 'node:assert/strict';
import { test } from 'node:test';

import { feedPublish } from '../../src/operations/feed_publish.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger, START } from '../builders/ledger.ts';
import { schedule, witnessLedger, getWitness } from '../builders/witnesses.ts';
import { shownAsset } from '../../src/values/asset.ts';

const unit = (symbol: string, amount = 1_000_000n): { amount: bigint; symbol: string } => ({ amount, symbol });
const usd = { base: unit('USD'), quote: unit('COIN', 187_331n) };
const good = { fee: unit('COIN', 0n), publisher: 'alice', exchange_rate: usd };

function scheduled(): Ledger {
  const ledger = witnessLedger(['alice', 'bob']);
  schedule(ledger, ['alice']);
  return ledger;
}

testRefusals({
  kind: feedPublish,
  build: scheduled,
  good,
  faults: [
    {
      code: 'not_a_price',
      text: 'a price quotes COIN against one of USD, EUR, CHF, CNY, GBP, both above zero, got 1.000000 USD and 1.000000 VESTS',
      body: { exchange_rate: { base: unit('USD'), quote: unit('VESTS') } },
    },
    { code: 'unknown_key', text: 'unknown key', body: { publisher: 'carol' }, alone: true },
    {
      code: 'publisher_not_in_round',
      text: 'witness bob is not in the running round, whose witnesses alone publish prices',
      body: { publisher: 'bob' },
    },
  ],
});

for (const [title, exchange_rate] of Object.entries({
  'of the same symbol': { base: unit('USD'), quote: unit('USD') },
  'of zero': { base: unit('USD', 0n), quote: unit('COIN') },
  'below zero': { base: unit('USD'), quote: unit('COIN', -1n) },
  'without the coin': { base: unit('USD'), quote: unit('EUR') },
})) {
  test(`a price ${title} is refused`, () => {
    const got = `${shownAsset(exchange_rate.base)} and ${shownAsset(exchange_rate.quote)}`;
    const text = `a price quotes COIN against one of USD, EUR, CHF, CNY, GBP, both above zero, got ${got}`;
    assertRefused(scheduled(), feedPublish.of({ ...good, exchange_rate }), { code: 'not_a_price', text });
  });
}

test('a price is stored with the coin as base, in the place of the earlier one of its currency', () => {
  const ledger = scheduled();
  ledger.apply(feedPublish.of({ ...good, exchange_rate: { base: unit('COIN'), quote: unit('EUR') } }));
  ledger.apply(feedPublish.of(good));
  ledger.moveTime(60);
  ledger.apply(feedPublish.of({ ...good, exchange_rate: { base: unit('USD', 2n), quote: unit('COIN', 3n) } }));
  assert.deepEqual(getWitness(ledger, 'alice').submitted_exchange_rates, [
    ['USD', { rate: { base: unit('COIN', 3n), quote: unit('USD', 2n) }, last_change: START + 60 }],
    ['EUR', { rate: { base: unit('COIN'), quote: unit('EUR') }, last_change: START }],
  ]);
});

test('in the lineage every witness may publish', () => {
  const ledger = witnessLedger(['bob'], { rules: 'lineage' });
  ledger.apply(feedPublish.of({ ...good, publisher: 'bob' }));
  assert.equal(getWitness(ledger, 'bob').submitted_exchange_rates.length, 1);
});

test('prices are not published in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), feedPublish.of(good), refusal);
});
