import assert from 'node:assert/strict';
import { test } from 'node:test';

import { witnessUpdate } from '../../src/operations/witness_update.ts';
import { UINT128_MAX } from '../../src/values/limits.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { START, testKey } from '../builders/ledger.ts';
import { endow, requireVesting, witnessLedger, getWitness } from '../builders/witnesses.ts';

const unit = (symbol: string, amount = 1_000_000n): { amount: bigint; symbol: string } => ({ amount, symbol });
const usd = { base: unit('USD'), quote: unit('COIN', 187_331n) };
const props = {
  account_creation_fee: unit('COIN', 60_000n),
  maximum_block_size: 200_000,
  price_feeds: [['USD', usd]],
} as const;
const good = {
  fee: unit('COIN', 0n),
  owner: 'alice',
  url: 'https://example.org',
  block_signing_key: testKey(80),
  props,
};

testRefusals({
  kind: witnessUpdate,
  build: () => witnessLedger([]),
  good,
  faults: [
    { code: 'url_too_long', text: 'URL is too long', body: { url: 'a'.repeat(2049) }, alone: true },
    { code: 'url_empty', text: 'URL size must be greater than 0', body: { url: '' }, alone: true },
    { code: 'url_not_utf8', text: 'URL is not valid UTF8', body: { url: '\udc80' } },
    {
      code: 'creation_fee_too_small',
      text: 'an account_creation_fee of at least 0.050000 COIN expected, got 0.049999 COIN',
      body: {
        props: {
          ...props,
          account_creation_fee: unit('COIN', 49_999n),
          maximum_block_size: 131_071,
          price_feeds: [['EUR', usd]],
        },
      },
      alone: true,
    },
    {
      code: 'block_size_too_small',
      text: 'a maximum_block_size of at least 131072 expected, got 131071',
      body: { props: { ...props, maximum_block_size: 131_071, price_feeds: [['EUR', usd]] } },
      alone: true,
    },
    {
      code: 'feed_invalid',
      text: 'a price feed of EUR must quote COIN against EUR, both above zero, got 1.000000 USD and 0.187331 COIN',
      body: { props: { ...props, price_feeds: [['EUR', usd]] } },
    },
    { code: 'unknown_key', text: 'unknown key', body: { owner: 'nobody' }, alone: true },
    {
      code: 'insufficient_vesting',
      text: 'witness requires at least 0.000001 VESTS of vested balance',
      given: (ledger) => requireVesting(ledger, 1n),
    },
    {
      code: 'block_size_too_large',
      text: 'a maximum_block_size of at most 50331648 expected, got 50331649',
      body: { props: { ...props, maximum_block_size: 50_331_649 } },
    },
  ],
});

test('an account becomes a witness without votes; its first prices are not kept', () => {
  const ledger = witnessLedger([]);
  ledger.moveTime(7);
  ledger.apply(witnessUpdate.of({ ...good, block_signing_key: NULL_KEY }));
  const {
    url,
    signing_key,
    created,
    votes,
    account_creation_fee,
    maximum_block_size,
    submitted_exchange_rates,
    stopped,
    virtual_scheduled_time,
  } = getWitness(ledger, 'alice');
  assert.deepEqual(
    {
      url,
      signing_key,
      created,
      votes,
      account_creation_fee,
      maximum_block_size,
      submitted_exchange_rates,
      stopped,
      virtual_scheduled_time,
    },
    {
      url: good.url,
      signing_key: NULL_KEY,
      created: START + 7,
      votes: 0n,
      account_creation_fee: props.account_creation_fee,
      maximum_block_size: 200_000,
      submitted_exchange_rates: [],
      stopped: false,
      virtual_scheduled_time: UINT128_MAX,
    },
  );
});

test('an update changes what the witness says, keeps its votes and stores its prices', () => {
  const ledger = witnessLedger(['alice']);
  const before = getWitness(ledger, 'alice');
  ledger.apply(witnessUpdate.of(good));
  const { account_creation_fee, maximum_block_size } = props;
  const submitted_exchange_rates = [['USD', { rate: { base: usd.quote, quote: usd.base }, last_change: START }]];
  const said = {
    url: good.url,
    signing_key: good.block_signing_key,
    account_creation_fee,
    maximum_block_size,
    submitted_exchange_rates,
  };
  assert.deepEqual(getWitness(ledger, 'alice'), { ...before, ...said });
});

test('a null key stops a witness, and the mark stays when it goes on', () => {
  const ledger = witnessLedger(['alice']);
  ledger.apply(witnessUpdate.of({ ...good, block_signing_key: NULL_KEY }));
  assert.deepEqual([getWitness(ledger, 'alice').signing_key, getWitness(ledger, 'alice').stopped], [NULL_KEY, true]);
  ledger.apply(witnessUpdate.of(good));
  assert.deepEqual(
    [getWitness(ledger, 'alice').signing_key, getWitness(ledger, 'alice').stopped],
    [good.block_signing_key, true],
  );
});

test('enough vesting is enough', () => {
  const ledger = witnessLedger([]);
  requireVesting(ledger, 250_000n);
  endow(ledger, 'alice', 250_000n);
  ledger.apply(witnessUpdate.of(good));
});

test('the symbol of the creation fee is not looked at', () => {
  witnessLedger([]).apply(witnessUpdate.of({ ...good, props: { ...props, account_creation_fee: unit('XYZ') } }));
});

test('in a private net only an appointed witness speaks, for free and without prices', () => {
  const ledger = witnessLedger(['alice'], { isPrivateNet: true });
  const only = { code: 'not_selected', text: 'only initminer can select witnesses' };
  assertRefused(ledger, witnessUpdate.of({ ...good, owner: 'bob' }), only);
  requireVesting(ledger, 1n);
  ledger.apply(witnessUpdate.of(good));
  const { url, account_creation_fee, submitted_exchange_rates } = getWitness(ledger, 'alice');
  assert.deepEqual(
    { url, account_creation_fee, submitted_exchange_rates },
    { url: good.url, account_creation_fee: unit('COIN', 0n), submitted_exchange_rates: [] },
  );
});
