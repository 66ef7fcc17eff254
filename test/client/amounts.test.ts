import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/refusal.ts';
import {
  addAmounts,
  coin,
  compareAmounts,
  comparePrices,
  convertAmount,
  formatAmount,
  formatCoin,
  multiplyAmount,
  parseAmount,
  parseCoin,
  subtractAmounts,
  vests,
} from '../../src/client/index.ts';
import { assetText, parseAsset } from '../../src/values/asset.ts';
import { comparePrices as compareOnChain, convert } from '../../src/values/price.ts';

const millionths = fc.bigInt({ min: 0n, max: 10n ** 15n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 15n });
const symbol = fc.constantFrom('COIN', 'VESTS', 'USD');

function refusedAs(code: string): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === code;
}

/** Passes a value as programs without types do. */
function untyped(value: unknown): string {
  return JSON.parse(JSON.stringify(value));
}

test('an amount is what the chain reads and writes, exact to a millionth', () => {
  assert.equal(coin('1.5'), '1.500000 COIN');
  assert.equal(coin('7'), '7.000000 COIN');
  assert.equal(coin(1n), '0.000001 COIN');
  assert.equal(coin('0.1', 'GLD'), '0.100000 GLD');
  assert.equal(vests('2'), '2.000000 VESTS');
  fc.assert(
    fc.property(millionths, symbol, (amount, name) => {
      const text = coin(amount, name);
      assert.equal(text, assetText({ amount, symbol: name }));
      assert.deepEqual(parseAsset(text), { amount, symbol: name });
      assert.deepEqual(parseAmount(text), { millionths: amount, symbol: name });
      assert.equal(formatAmount(parseAmount(text)), text);
      assert.equal(parseCoin(formatCoin(amount)), amount);
    }),
  );
});

test('the shortest number is shown, whole thousands included', () => {
  assert.deepEqual([0n, 1n, 10n, 1_500_000n, 1_000_000n, 20_000_000n, 1_000_000_000n].map(formatCoin), [
    '0',
    '0.000001',
    '0.00001',
    '1.5',
    '1',
    '20',
    '1000',
  ]);
});

for (const given of [
  '',
  ' 1',
  '1 ',
  '-1',
  '+1',
  '1e3',
  '1,5',
  '1.',
  '.5',
  '0.0000001',
  '1_000',
  '٣',
  'NaN',
  '1.5 COIN',
  1.5,
  7,
  null,
  true,
])
  test(`what is no decimal number is no amount: ${JSON.stringify(given)}`, () => {
    for (const read of [parseCoin, coin]) assert.throws(() => read(untyped(given)), refusedAs('not_an_amount'));
  });

for (const given of ['1', '1 coin', '1  COIN', 'COIN', '1 COIN ', '1 COIN 2', '1 TOOLONGX', '1 €', '-1 COIN', 1])
  test(`what has not a number and a symbol is refused: ${JSON.stringify(given)}`, () => {
    assert.throws(() => parseAmount(untyped(given)), refusedAs('not_an_amount'));
    assert.throws(() => addAmounts('1 COIN', untyped(given)), refusedAs('not_an_amount'));
  });

test('sums, differences and orders keep the symbol, and are refused between two', () => {
  assert.equal(addAmounts('0.1 COIN', '0.2 COIN', '0.7 COIN'), '1.000000 COIN');
  assert.equal(subtractAmounts('1 COIN', '0.000001 COIN'), '0.999999 COIN');
  assert.throws(() => subtractAmounts('1 COIN', '1.000001 COIN'), refusedAs('amount_out_of_range'));
  for (const calculate of [addAmounts, subtractAmounts, compareAmounts])
    assert.throws(() => calculate('1 COIN', '1 VESTS'), refusedAs('amounts_differ'));
  assert.deepEqual(['10 COIN', '9 COIN', '9.1 COIN'].toSorted(compareAmounts), ['9 COIN', '9.1 COIN', '10 COIN']);
  assert.throws(() => addAmounts('9223372036854.775807 COIN', '0.000001 COIN'), refusedAs('amount_out_of_range'));
});

test('an amount is multiplied by a ratio of integers, rounded down', () => {
  assert.equal(multiplyAmount('10 COIN', 1n, 3n), '3.333333 COIN');
  assert.equal(multiplyAmount('0.000001 COIN', 5n), '0.000005 COIN');
  for (const [numerator, denominator] of [
    [-1n, 1n],
    [1n, 0n],
    [1n, -1n],
  ] as const)
    assert.throws(() => multiplyAmount('1 COIN', numerator, denominator), refusedAs('not_a_ratio'));
});

test('prices convert both ways and have the order that the chain gives them', () => {
  assert.equal(convertAmount('3 COIN', { base: '1 COIN', quote: '0.5 USD' }), '1.500000 USD');
  assert.equal(convertAmount('3 USD', { base: '1 COIN', quote: '0.5 USD' }), '6.000000 COIN');
  fc.assert(
    fc.property(millionths, fc.tuple(positive, positive, positive, positive), fc.boolean(), (amount, parts, turned) => {
      const [base, quote, otherBase, otherQuote] = parts;
      const first = { base: { amount: base, symbol: 'COIN' }, quote: { amount: quote, symbol: 'USD' } };
      const straight = { base: { amount: otherBase, symbol: 'COIN' }, quote: { amount: otherQuote, symbol: 'USD' } };
      const second = turned ? { base: straight.quote, quote: straight.base } : straight;
      const [one, two] = [first, second].map((price) => ({
        base: assetText(price.base),
        quote: assetText(price.quote),
      }));
      assert.ok(one !== undefined && two !== undefined);
      // The chain orders by what one unit of the quote is worth.
      assert.equal(comparePrices(one, two), -(compareOnChain(first, straight) ?? Number.NaN) || 0);
      if ((amount * quote) / base >= 2n ** 63n) return;
      assert.equal(
        convertAmount(assetText({ amount, symbol: 'COIN' }), one),
        assetText(convert({ amount, symbol: 'COIN' }, first)),
      );
    }),
  );
});

test('a price of other symbols, of nothing or of one symbol is refused', () => {
  const price = { base: '1 COIN', quote: '2 USD' };
  assert.throws(() => convertAmount('1 VESTS', price), refusedAs('price_of_others'));
  assert.throws(() => convertAmount('1 COIN', { base: '0 COIN', quote: '2 USD' }), refusedAs('not_a_price'));
  assert.throws(() => convertAmount('1 COIN', { base: '1 COIN', quote: '2 COIN' }), refusedAs('not_a_price'));
  assert.throws(() => comparePrices(price, { base: '1 COIN', quote: '2 EUR' }), refusedAs('amounts_differ'));
});
