import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationCodec } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { getRules } from '../../src/state/rules/index.ts';
import { accountAuthority, keyAuthority } from '../../src/values/authority.ts';
import { profiles } from '../../src/values/profile.ts';
import { packedProperties, type PackedProperties } from '../../src/values/witness_properties.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { START, testKey } from '../builders/ledger.ts';
import { SIGNING_KEY, witnessLedger, getWitness } from '../builders/witnesses.ts';

const encoding: EncodingOptions = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });

/** The properties that an object of plain values packs to. */
function packed(plain: Json): PackedProperties {
  return packedProperties.fromJson(plain, encoding);
}

const key = SIGNING_KEY;
const props = packed({ key, url: 'http://new', maximum_block_size: 200_000 });
const good = { fee: coins(0n), owner: 'alice', props, extensions: [] };
const without = (name: string): typeof props => props.filter(([one]) => one !== name);

testRefusals({
  kind: witnessSetProperties,
  build: () => witnessLedger(['alice']),
  good,
  faults: [
    {
      code: 'property_malformed',
      text: 'the value of the property maximum_block_size cannot be unpacked: malformed bytes at position 0: 4 bytes wanted, 2 are left',
      body: { props: [['maximum_block_size', '0000']] },
      alone: true,
    },
    {
      code: 'property_name_not_utf8',
      text: 'property 3 has a name that is no valid UTF-8',
      body: { props: [...without('url'), ['z\udcff', '00']] },
      alone: true,
    },
    {
      code: 'creation_fee_symbol',
      text: 'account_creation_fee must be in COIN',
      body: { props: packed({ key, account_creation_fee: '0 USD', maximum_block_size: 1 }) },
      alone: true,
    },
    {
      code: 'creation_fee_too_small',
      text: 'account_creation_fee smaller than minimum account creation fee',
      body: { props: packed({ key, account_creation_fee: '0.049999 COIN', maximum_block_size: 1 }) },
      alone: true,
    },
    {
      code: 'block_size_too_small',
      text: 'maximum_block_size smaller than minimum max block size',
      body: {
        props: packed({
          key,
          maximum_block_size: 131_071,
          url: '',
          exchange_rates: [{ base: '1 USD', quote: '1 EUR' }],
        }),
      },
      alone: true,
    },
    {
      code: 'not_a_price',
      text: 'an exchange rate quotes COIN against one of USD, EUR, CHF, CNY, GBP, both above zero, got 1.000000 USD and 1.000000 EUR',
      body: { props: packed({ key, url: '', exchange_rates: [{ base: '1 USD', quote: '1 EUR' }] }) },
      alone: true,
    },
    {
      code: 'url_empty',
      text: 'URL size must be greater than 0',
      body: { props: packed({ key, url: '' }) },
      alone: true,
    },
    { code: 'unknown_key', text: 'unknown key', body: { owner: 'bob' }, alone: true },
    {
      code: 'wrong_signing_key',
      text: "'key' does not match witness signing key.",
      body: { props: packed({ key: testKey(1), maximum_block_size: 50_331_649 }) },
    },
    {
      code: 'block_size_too_large',
      text: 'a maximum_block_size of at most 50331648 expected, got 50331649',
      body: { props: packed({ key, maximum_block_size: 50_331_649 }) },
      alone: true,
    },
  ],
});

test('what is given is replaced, and nothing else', () => {
  const ledger = witnessLedger(['alice']);
  const before = getWitness(ledger, 'alice');
  ledger.apply(witnessSetProperties.of(good));
  assert.deepEqual(getWitness(ledger, 'alice'), { ...before, url: 'http://new', maximum_block_size: 200_000 });
});

test('fee, prices and a new key are replaced; of two prices of one currency the last counts', () => {
  const ledger = witnessLedger(['alice']);
  const exchange_rates = ['1 EUR', '2 EUR', '3 USD'].map((base) => ({ base, quote: '1 COIN' }));
  ledger.apply(
    witnessSetProperties.of({
      ...good,
      props: packed({ key, account_creation_fee: '0.07 COIN', new_signing_key: NULL_KEY, exchange_rates }),
    }),
  );
  const { account_creation_fee, signing_key, stopped, submitted_exchange_rates } = getWitness(ledger, 'alice');
  assert.deepEqual([account_creation_fee, signing_key, stopped], [coins(70_000n), NULL_KEY, false]);
  const quotes = submitted_exchange_rates.map(([symbol, { rate, last_change }]) => [
    symbol,
    rate.base,
    rate.quote.amount,
    last_change,
  ]);
  assert.deepEqual(quotes, [
    ['USD', coins(1_000_000n), 3_000_000n, START],
    ['EUR', coins(1_000_000n), 2_000_000n, START],
  ]);
});

test('in a private net fee and prices are ignored', () => {
  const ledger = witnessLedger(['alice'], { isPrivateNet: true });
  const before = getWitness(ledger, 'alice');
  const plain = {
    key,
    account_creation_fee: '0.07 COIN',
    exchange_rates: [{ base: '1 EUR', quote: '1 COIN' }],
    url: 'http://new',
  };
  ledger.apply(witnessSetProperties.of({ ...good, props: packed(plain) }));
  assert.deepEqual(getWitness(ledger, 'alice'), { ...before, url: 'http://new' });
});

test('the signing key that it names has to sign, without one the owner; in the lineage then nobody can', () => {
  const keyless = witnessSetProperties.of({ ...good, props: without('key') });
  assert.deepEqual(witnessSetProperties.of(good).authorities(), { other: [keyAuthority(key)] });
  assert.deepEqual(keyless.authorities(), { active: ['alice'] });
  assert.deepEqual(keyless.authorities(getRules('lineage')), { other: [accountAuthority('none')] });
  assert.deepEqual(witnessSetProperties.of(good).impacted(), []);
});

test('a witness that signs as its owner keeps its signing key, or takes a new one', () => {
  const ledger = witnessLedger(['alice']);
  ledger.apply(witnessSetProperties.of({ ...good, props: packed({ url: 'http://other' }) }));
  assert.deepEqual(
    [getWitness(ledger, 'alice').url, getWitness(ledger, 'alice').signing_key],
    ['http://other', SIGNING_KEY],
  );
  ledger.apply(witnessSetProperties.of({ ...good, props: packed({ new_signing_key: testKey(5) }) }));
  assert.equal(getWitness(ledger, 'alice').signing_key, testKey(5));
  const lineage = witnessLedger(['alice'], { rules: 'lineage' });
  const refusal = { code: 'no_signing_key', text: 'No signing key provided' };
  assertRefused(
    lineage,
    witnessSetProperties.of({ ...good, props: packed({ account_creation_fee: '1 USD' }) }),
    refusal,
  );
});

test('a key that cannot be unpacked is refused before anybody asks who has to sign', () => {
  const operation = witnessSetProperties.of({ ...good, props: [['key', '02']] });
  assertRefused(witnessLedger(['alice']), operation, {
    code: 'property_malformed',
    text: 'the value of the property key cannot be unpacked: malformed bytes at position 0: 33 bytes wanted, 1 are left',
  });
});

function read(said: Json): Operation {
  return operationCodec.fromJson(['witness_set_properties', { owner: 'alice', props: said }], encoding);
}

test('the form of the interface is read, with addresses and keys as hex digits', () => {
  const url = Buffer.from('http://new').toString('hex');
  const forms = [url, `0a${url}`, 'http://new'].map((one) => read({ key, url: one, maximum_block_size: '200000' }));
  for (const form of forms) assert.deepEqual(form.body, good);
});

test('hex digits of a long address are told from its packed form', () => {
  const long = Buffer.from(`http://${'a'.repeat(200)}`).toString('hex');
  const urls = [long, `cf01${long}`].map((url) => new Map(packed({ url })).get('url'));
  assert.deepEqual(urls, [`cf01${long}`, `cf01${long}`]);
  assert.deepEqual(packed({ url: 'ffffffffffff' }), [['url', `12${'efbfbd'.repeat(6)}`]]);
});

test('members of the interface that mean nothing on this chain are left out, unknown ones are refused by name', () => {
  const meaningless = {
    account_subsidy_budget: 797,
    account_subsidy_decay: 347_321,
    sbd_interest_rate: '0 USD',
    sbd_exchange_rate: {},
  };
  assert.deepEqual(read({ key, url: 'http://new', maximum_block_size: 200_000, ...meaningless }).body, good);
  assert.throws(() => read({ key, colour: 'red' }), {
    code: 'bad_value',
    message: /^\[1\]\.props\.colour: unknown property/,
  });
  assert.throws(() => read({ key: 'red' }), { code: 'bad_value', message: /^\[1\]\.props\.key: a public key/ });
});

test('packed names that nobody knows travel along and change nothing', () => {
  const ledger = witnessLedger(['alice']);
  const before = getWitness(ledger, 'alice');
  const unknown = read([
    ['zzz', 'ff'],
    ['key', key],
    ['constructor', ''],
  ]);
  assert.deepEqual(operationCodec.toJson(unknown, encoding), [
    'witness_set_properties',
    {
      fee: '0.000000 COIN',
      owner: 'alice',
      props: [
        ['constructor', ''],
        ['key', key],
        ['zzz', 'ff'],
      ],
      extensions: [],
    },
  ]);
  ledger.apply(unknown);
  assert.deepEqual(getWitness(ledger, 'alice'), before);
});

test('bytes behind a value are not looked at', () => {
  const ledger = witnessLedger(['alice']);
  ledger.apply(
    witnessSetProperties.of({
      ...good,
      props: [
        ['key', `${key}ff`],
        ['maximum_block_size', '000003000000'],
      ],
    }),
  );
  assert.equal(getWitness(ledger, 'alice').maximum_block_size, 196_608);
});

test('the legacy dialect reads pairs only', () => {
  assert.throws(() => witnessSetProperties.bodyFromJson({ props: { key } }, { ...encoding, dialect: 'legacy' }), {
    code: 'bad_value',
  });
});

test('a name of a property that is no valid UTF-8 is kept by the lineage', () => {
  const named = witnessSetProperties.of({ ...good, props: [...props, ['z\udcff', '00']] });
  witnessLedger(['alice'], { rules: 'lineage' }).apply(named);
});
