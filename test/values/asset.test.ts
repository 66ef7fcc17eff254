import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import {
  addAssets,
  asset,
  assetNai,
  assetObject,
  assetSymbol,
  assetText,
  checkedInt64,
  compareSymbols,
  parseAsset,
} from '../../src/values/asset.ts';
import { INT64_MAX, INT64_MIN } from '../../src/values/limits.ts';
import { profiles } from '../../src/values/profile.ts';
import { recordedList, recording, recordedText, type Recorded } from '../builders/recordings.ts';

const encoding: EncodingOptions = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const legacy: EncodingOptions = { ...encoding, dialect: 'legacy' };
const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const has = (vector: Recorded, name: string): boolean =>
  typeof vector === 'object' && vector !== null && name in vector;

for (const vector of recordedList(recording('vectors-sdk.json'), 'node.assets')) {
  if (has(vector, 'raw_amount')) {
    const amount = BigInt(recordedText(vector, 'raw_amount'));
    test(`${amount} millionths print as recorded`, () =>
      assert.equal(assetText({ amount, symbol: 'SPHTX' }), recordedText(vector, 'printed')));
    continue;
  }
  const text = recordedText(vector, 'in');
  if (has(vector, 'rejected')) {
    test(`${JSON.stringify(text)} is no asset`, () => {
      assert.equal(parseAsset(text), undefined);
      assert.throws(() => asset.fromJson(text, encoding), { code: 'bad_value' });
    });
    continue;
  }
  test(`${JSON.stringify(text)} is an asset of the recorded bytes`, () => {
    const parsed = present(parseAsset(text), text);
    assert.equal(parsed.amount, BigInt(recordedText(vector, 'amount')));
    assert.equal(assetText(parsed), recordedText(vector, 'out'));
    const out = new ByteWriter();
    asset.write(out, parsed);
    assert.equal(Buffer.from(out.view()).toString('hex'), recordedText(vector, 'bin'));
    assert.deepEqual(asset.read(new ByteReader(out.view())), parsed);
  });
}

test('texts of up to 10^15 millionths are read exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount) =>
      assert.deepEqual(parseAsset(assetText(coins(amount))), coins(amount)),
    ),
  );
});

test('numbers with exponents are exact, rounded half up, or refused', () => {
  const amounts = {
    '1e-6 COIN': 1n,
    '5e-7 COIN': 1n,
    '4e-7 COIN': 0n,
    '1e9 COIN': 10n ** 15n,
    '0e999999 COIN': 0n,
    '0.1e1 COIN': 1_000_000n,
    '-0.0 COIN': 0n,
    '1e-999999 COIN': 0n,
  };
  for (const [text, amount] of Object.entries(amounts)) assert.equal(parseAsset(text)?.amount, amount, text);
  for (const text of [
    '1e10 COIN',
    '1e999999 COIN',
    '1e COIN',
    'e5 COIN',
    '. COIN',
    '-1e-6 COIN',
    '1.0e0.5 COIN',
    '1_0 COIN',
    '１ COIN',
  ])
    assert.equal(parseAsset(text), undefined, text);
});

test('the default dialect reads three forms, the legacy one texts only', () => {
  const forms: Json[] = [
    '1.500000 COIN',
    { amount: '1.500000', symbol: 'COIN' },
    { amount: 1.5, symbol: 'COIN' },
    { amount: '1500000', precision: 6, nai: '@@000000021' },
    { amount: 1_500_000, precision: 6, nai: '@@000000021' },
    { amount: 1_500_000n, precision: 6, nai: 'COIN' },
  ];
  for (const form of forms) assert.deepEqual(asset.fromJson(form, encoding), coins(1_500_000n));
  for (const form of forms.slice(1)) assert.throws(() => asset.fromJson(form, legacy), { code: 'bad_value' });
});

test('malformed objects are refused', () => {
  const wrong: Json[] = [
    {},
    { amount: '1' },
    { amount: null, symbol: 'COIN' },
    { amount: '1', symbol: 'X' },
    { amount: '1', precision: 3, nai: '@@000000021' },
    { amount: '1.5', precision: 6, nai: '@@000000021' },
    { amount: '-1', precision: 6, nai: '@@000000021' },
    { amount: '1', precision: 6, nai: '@@000000013' },
    { amount: '1', precision: 6 },
    { amount: (10n ** 15n + 1n).toString(), precision: 6, nai: '@@000000021' },
    null,
    1,
    ['1 COIN'],
  ];
  for (const json of wrong)
    assert.throws(() => asset.fromJson(json, encoding), { code: 'bad_value' }, JSON.stringify(json));
});

test('operations that show objects show them in the default dialect only', () => {
  assert.deepEqual(assetObject.toJson(coins(1n), encoding), { amount: '0.000001', symbol: 'COIN' });
  assert.deepEqual(assetNai.toJson(coins(1n), encoding), { amount: '1', precision: 6, nai: '@@000000021' });
  assert.deepEqual(assetNai.toJson({ amount: 1n, symbol: 'VESTS' }, encoding), {
    amount: '1',
    precision: 6,
    nai: '@@000000037',
  });
  for (const codec of [assetObject, assetNai]) assert.equal(codec.toJson(coins(1n), legacy), '0.000001 COIN');
});

test('symbols order as numbers: the last character is the most significant', () => {
  const ordered = ['USD', 'CHF', 'GBP', 'EUR', 'CNY', 'COIN', 'VESTS'];
  assert.deepEqual(ordered.toReversed().toSorted(compareSymbols), ordered);
  const numeric = (symbol: string): bigint => Buffer.from(symbol.padEnd(8, '\0'), 'latin1').readBigUInt64LE();
  const symbols = fc.stringMatching(/^[A-Za-z]{3,6}$/);
  fc.assert(
    fc.property(
      symbols,
      symbols,
      (a, b) => Math.sign(compareSymbols(a, b)) === Number(numeric(a) > numeric(b)) - Number(numeric(a) < numeric(b)),
    ),
  );
});

test('a symbol alone has 3 to 6 characters', () => {
  assert.equal(assetSymbol.fromJson('USD', encoding), 'USD');
  for (const json of ['', 'US', 'ABCDEFG', 1, null])
    assert.throws(() => assetSymbol.fromJson(json, encoding), { code: 'bad_value' });
});

test('any 16 bytes are an asset of the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const out = new ByteWriter();
      asset.write(out, asset.read(new ByteReader(bytes)));
      assert.deepEqual(out.finish(), bytes);
    }),
  );
});

test('sums stay in 64 bits and in one symbol', () => {
  assert.deepEqual(addAssets(coins(1n), coins(2n)), coins(3n));
  assert.throws(() => addAssets(coins(1n), { amount: 1n, symbol: 'USD' }), { code: 'asset_symbols_differ' });
  assert.throws(() => addAssets(coins(INT64_MAX), coins(1n)), { code: 'integer_overflow', lineageCode: 19 });
  assert.throws(() => checkedInt64(INT64_MIN - 1n), { code: 'integer_underflow', lineageCode: 20 });
  for (const bound of [INT64_MIN, INT64_MAX]) assert.equal(checkedInt64(bound), bound);
});

test('what is no asset is refused with what was expected in its place', () => {
  const expectations: readonly (readonly [Json, string])[] = [
    ['1COIN', 'a blank between amount and symbol, such as'],
    ['1', 'a symbol behind the amount, such as'],
    ['1.5', 'a symbol behind the amount, such as'],
    ['1,5 COIN', 'an amount with a point, without commas, such as'],
    ['1,000.5 COIN', 'an amount with a point, without commas, such as'],
    ['-1 COIN', 'an amount of 0 or more such as'],
    ['1.0000001 COIN', 'an amount of at most six decimals such as'],
    ['1 CO', 'a symbol of three to six characters such as'],
    ['1 COINCOIN', 'a symbol of three to six characters such as'],
    ['1000000001 COIN', 'an amount of at most 1000000000 such as'],
    ['COIN', 'an amount and a symbol such as'],
    [1, 'an amount and a symbol such as'],
  ];
  for (const [json, expected] of expectations) {
    const message = `${expected} "1.000000 COIN" expected, got ${JSON.stringify(json)}`;
    assert.throws(() => asset.fromJson(json, encoding), { code: 'bad_value', message });
  }
});

test('a symbol whose characters are not of one byte each is refused, but in the lineage, which takes its bytes', () => {
  for (const given of ['1.000000 COINé', { amount: '1.000000', symbol: 'COINé' }, '1.000000 €']) {
    assert.throws(() => asset.fromJson(given, encoding), { code: 'bad_value' }, JSON.stringify(given));
    // The object is a form of ours, which the lineage never read.
    if (typeof given === 'string')
      assert.doesNotThrow(() => asset.fromJson(given, { ...encoding, readsLineage: true }));
  }
});
