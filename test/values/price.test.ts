import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import {
  comparePrices,
  convert,
  quotedFiat,
  invertPrice,
  isNullPrice,
  isValidPrice,
  type Price,
} from '../../src/values/price.ts';

const price = (base: bigint, baseSymbol: string, quote: bigint, quoteSymbol: string): Price => ({
  base: { amount: base, symbol: baseSymbol },
  quote: { amount: quote, symbol: quoteSymbol },
});
const amounts = fc.bigInt({ min: 1n, max: 10n ** 15n });
const usd = fc.tuple(amounts, amounts).map(([coin, fiat]) => price(coin, 'COIN', fiat, 'USD'));

test('a valid price has two symbols and two positive amounts', () => {
  assert.ok(isValidPrice(price(1n, 'COIN', 1n, 'USD')));
  for (const wrong of [
    price(0n, 'COIN', 1n, 'USD'),
    price(1n, 'COIN', 0n, 'USD'),
    price(-1n, 'COIN', 1n, 'USD'),
    price(1n, 'USD', 1n, 'USD'),
  ])
    assert.ok(!isValidPrice(wrong));
  assert.ok(isNullPrice(price(0n, 'COIN', 0n, 'COIN')));
});

test('a price names the fiat currency that it quotes the coin against', () => {
  for (const fiat of ['USD', 'EUR', 'CHF', 'CNY', 'GBP']) {
    assert.equal(quotedFiat(price(1n, 'COIN', 2n, fiat), 'COIN'), fiat);
    assert.equal(quotedFiat(price(1n, fiat, 2n, 'COIN'), 'COIN'), fiat);
  }
  for (const none of [
    price(1n, 'COIN', 1n, 'VESTS'),
    price(1n, 'USD', 1n, 'EUR'),
    price(1n, 'COIN', 0n, 'USD'),
    price(1n, 'COIN', 1n, 'usd'),
  ])
    assert.equal(quotedFiat(none, 'COIN'), undefined);
});

test('conversion rounds down, both ways', () => {
  const rate = price(3n, 'COIN', 2n, 'USD');
  assert.deepEqual(convert({ amount: 10n, symbol: 'COIN' }, rate), { amount: 6n, symbol: 'USD' });
  assert.deepEqual(convert({ amount: 10n, symbol: 'USD' }, rate), { amount: 15n, symbol: 'COIN' });
  assert.deepEqual(convert({ amount: 10n, symbol: 'USD' }, invertPrice(rate)), { amount: 15n, symbol: 'COIN' });
  assert.throws(() => convert({ amount: 1n, symbol: 'EUR' }, rate), { code: 'price_does_not_fit' });
  assert.throws(() => convert({ amount: 1n, symbol: 'USD' }, price(1n, 'COIN', 0n, 'USD')), {
    code: 'price_does_not_fit',
  });
  assert.throws(() => convert({ amount: 2n ** 62n, symbol: 'COIN' }, price(1n, 'COIN', 4n, 'USD')), {
    code: 'integer_overflow',
  });
});

test('prices of one pair order by value, whichever way round they are said', () => {
  fc.assert(
    fc.property(usd, usd, (a, b) => {
      const order = comparePrices(a, b) ?? assert.fail('one pair');
      assert.equal(Math.sign(order), -Math.sign(comparePrices(b, a) ?? 0) + 0);
      assert.equal(comparePrices(invertPrice(a), b), order);
      assert.equal(comparePrices(a, a), 0);
    }),
  );
});

test('prices of different pairs have no order, an invalid one is refused', () => {
  assert.equal(comparePrices(price(1n, 'COIN', 1n, 'USD'), price(1n, 'COIN', 1n, 'EUR')), undefined);
  assert.throws(() => comparePrices(price(0n, 'COIN', 1n, 'USD'), price(1n, 'COIN', 1n, 'USD')), {
    code: 'invalid_price',
  });
});
