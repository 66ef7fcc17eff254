import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteReader } from '../../src/codec/bytes.ts';
import { accountCreate } from '../../src/operations/account_create.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import { accountAuthority, keyAuthority } from '../../src/values/authority.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START, testKey } from '../builders/ledger.ts';
import { setMedian } from '../builders/prices.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = {
  fee: coins(50_000n),
  creator: 'alice',
  name_seed: 'zoe',
  owner: keyAuthority(testKey(50)),
  active: keyAuthority(testKey(51)),
  memo_key: testKey(52),
  json_metadata: '{"a":1}',
};
const zoe = nameFromSeed('zoe');
/** Decodes a block with these bytes. */
const decodeText = (bytes: Uint8Array): string =>
  new ByteReader(Buffer.concat([Buffer.from([bytes.length]), bytes])).text();
const byNobody = accountAuthority('nobody');
const missing = (role: string): string =>
  `New ${role} authority on account ${zoe} references non-existing account nobody`;

testRefusals({
  kind: accountCreate,
  build: () => new Ledger(),
  good,
  faults: [
    { code: 'name_seed_not_utf8', text: 'the name seed is no valid UTF-8', body: { name_seed: 'z\udcff' } },
    { code: 'json_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { json_metadata: '"\udc80"' } },
    { code: 'json_malformed', text: 'JSON Metadata is malformed at character 1', body: { json_metadata: '{bad' } },
    { code: 'json_not_valid', text: 'JSON Metadata not valid JSON', body: { json_metadata: '{} ' } },
    { code: 'unknown_key', text: 'unknown key', body: { creator: 'nobody' } },
    {
      code: 'name_seed_too_large',
      text: 'Name seed is too large',
      body: { name_seed: 'é'.repeat(16) + 'a' },
      alone: true,
    },
    {
      code: 'insufficient_balance',
      text: 'Insufficient balance to create account.',
      body: { fee: coins(FUNDS + 1n) },
      alone: true,
    },
    {
      code: 'insufficient_fee',
      text: 'Insufficient Fee: 0.050000 COIN required, 0.049999 COIN provided.',
      body: { fee: coins(49_999n) },
    },
    { code: 'missing_authority_account', text: missing('owner'), body: { owner: byNobody } },
    { code: 'missing_authority_account', text: missing('active'), body: { active: byNobody } },
    {
      code: 'uniqueness',
      text: 'could not insert object, most likely a uniqueness constraint was violated',
      given: (ledger) => ledger.apply(accountCreate.of({ ...good, creator: 'bob' })),
    },
  ],
});

test('the account has the name of its seed, and the creator recovers it', () => {
  const ledger = new Ledger();
  ledger.moveTime(90);
  ledger.apply(accountCreate.of(good));
  const { created, mined, recovery_account, reset_account, memo_key, balance, last_activity } = ledger.account(zoe);
  assert.deepEqual(
    { created, mined, recovery_account, reset_account, memo_key, balance, last_activity },
    {
      created: START + 90,
      mined: false,
      recovery_account: 'alice',
      reset_account: 'none',
      memo_key: testKey(52),
      balance: 0n,
      last_activity: START + 90,
    },
  );
  const authorities = { account: zoe, owner: good.owner, active: good.active, last_owner_update: 0 };
  assert.deepEqual(ledger.rows.get(accountAuthorities, zoe), authorities);
  assert.equal(ledger.rows.get(accountMetadata, zoe)?.json_metadata, '{"a":1}');
  for (const key of [50, 51]) assert.ok(ledger.rows.get(keyLookups, { key: testKey(key), account: zoe }));
  assert.deepEqual(accountCreate.of(good).impacted(), ['alice', zoe]);
});

test('the creation fee goes to the pools, what exceeds it to the new account', () => {
  const ledger = new Ledger();
  const supply = ledger.supply();
  ledger.apply(accountCreate.of({ ...good, fee: coins(75_000n) }));
  assert.deepEqual([ledger.account('alice').balance, ledger.account(zoe).balance], [FUNDS - 75_000n, 25_000n]);
  assert.equal(ledger.supply(), supply - 50_000n);
  const { burn_pool, mining_pool_from_fees, interest_pool_from_fees } = ledger.rows.only(economicModel);
  assert.deepEqual([burn_pool, mining_pool_from_fees, interest_pool_from_fees], [5_000n, 11_250n, 29_250n]);
});

test('a fee in a fiat currency is worth what the median says', () => {
  const ledger = new Ledger();
  const inUsd = accountCreate.of({ ...good, fee: { amount: 10_000n, symbol: 'USD' } });
  assertRefused(ledger, inUsd, { code: 'symbol_history_not_found', text: 'Symbol history not found' });
  setMedian(ledger, 'USD', 0n);
  assertRefused(ledger, inUsd, {
    code: 'no_price',
    text: 'the witnesses have not agreed on a price of USD yet; pay in COIN',
  });
  setMedian(ledger, 'USD', 200_000n);
  ledger.apply(inUsd);
  assert.equal(ledger.account('alice').balance, FUNDS - 50_000n);
});

test('accounts cost nothing in a private net, and keep what is offered', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  ledger.apply(accountCreate.of({ ...good, fee: coins(7n) }));
  assert.deepEqual([ledger.account('alice').balance, ledger.account(zoe).balance], [FUNDS - 7n, 7n]);
});

test('before the first hardfork a seed may be of any length', () => {
  const ledger = new Ledger();
  ledger.change(({ rows }) =>
    rows.put(hardforkProperty, { ...rows.only(hardforkProperty), processed_hardforks: [START] }),
  );
  ledger.apply(accountCreate.of({ ...good, name_seed: 'a'.repeat(33) }));
  assert.ok(ledger.account(nameFromSeed('a'.repeat(33))));
});

test('32 bytes of seed are not too many', () => {
  const ledger = new Ledger();
  ledger.apply(accountCreate.of({ ...good, name_seed: 'é'.repeat(16) }));
  assert.ok(ledger.account(nameFromSeed('é'.repeat(16))));
});

test('an account of a generated name may stand in an authority, but not in the lineage', () => {
  const withManager = (name_seed: string): ReturnType<typeof accountCreate.of> =>
    accountCreate.of({ ...good, name_seed, owner: accountAuthority(zoe) });
  const ledger = new Ledger();
  ledger.apply(accountCreate.of(good));
  ledger.apply(withManager('yan'));
  assert.deepEqual(ledger.rows.get(accountAuthorities, nameFromSeed('yan'))?.owner, accountAuthority(zoe));
  const lineage = new Ledger({ rules: 'lineage' });
  lineage.apply(accountCreate.of(good));
  assertRefused(lineage, withManager('yan'), {
    code: 'bad_authority_name',
    text: `an authority names ${zoe}, which is no plain account name`,
  });
});

test('a seed that is no valid UTF-8 makes an account in the lineage only', () => {
  const notUtf8 = ['ff', '7aff', 'c3', 'c080', 'eda080', 'f4908080', '7ac3287a'];
  for (const name_seed of notUtf8.map((digits) => decodeText(Buffer.from(digits, 'hex')))) {
    const refused = { code: 'name_seed_not_utf8', text: 'the name seed is no valid UTF-8' };
    assertRefused(new Ledger(), accountCreate.of({ ...good, name_seed }), refused);
    const lineage = new Ledger({ rules: 'lineage' });
    lineage.apply(accountCreate.of({ ...good, name_seed }));
    assert.ok(lineage.account(nameFromSeed(name_seed)));
  }
});

test('any valid UTF-8 is a seed, control characters among it', () => {
  for (const name_seed of ['\0', '\u0085\u202e', '\ufffd', '\ufdd0\uffff', '\u{10ffff}']) {
    const ledger = new Ledger();
    ledger.apply(accountCreate.of({ ...good, name_seed }));
    assert.ok(ledger.account(nameFromSeed(name_seed)));
  }
});

test('impossible and open authorities, a null key and an empty seed are accepted', () => {
  const nobody = { weight_threshold: 1, account_auths: [], key_auths: [] };
  const anybody = { weight_threshold: 0, account_auths: [], key_auths: [] };
  const ledger = new Ledger();
  ledger.apply(
    accountCreate.of({
      ...good,
      name_seed: '',
      owner: nobody,
      active: anybody,
      memo_key: '0'.repeat(66),
      json_metadata: '',
    }),
  );
  assert.equal(ledger.rows.get(accountMetadata, nameFromSeed('')), undefined);
});
