import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accountUpdate } from '../../src/operations/account_update.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { accountAuthority, keyAuthority } from '../../src/values/authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger, START, testKey } from '../builders/ledger.ts';

const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  account: 'alice',
  owner: keyAuthority(testKey(60)),
  active: keyAuthority(testKey(61)),
  memo_key: testKey(62),
  json_metadata: '[1 2]',
};
const unchanged = { ...good, owner: undefined, active: undefined, memo_key: NULL_KEY, json_metadata: '' };
const missing = (role: string): string =>
  `New ${role} authority on account alice references non-existing account nobody`;

testRefusals({
  kind: accountUpdate,
  build: () => new Ledger({ names: ['alice', 'bob', 'temp'] }),
  good,
  faults: [
    { code: 'json_not_utf8', text: 'JSON Metadata not formatted in UTF8', body: { json_metadata: '"\udc80"' } },
    { code: 'json_malformed', text: 'JSON Metadata is malformed at character 1', body: { json_metadata: '{bad' } },
    { code: 'json_not_valid', text: 'JSON Metadata not valid JSON', body: { json_metadata: '{}\n' } },
    { code: 'temp_account', text: 'Cannot update temp account.', body: { account: 'temp' }, alone: true },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' }, alone: true },
    {
      code: 'owner_changed_recently',
      text: 'Owner authority can only be updated once an hour.',
      given: (ledger) => ledger.apply(accountUpdate.of({ ...good, active: undefined })),
    },
    { code: 'missing_authority_account', text: missing('owner'), body: { owner: accountAuthority('nobody') } },
    { code: 'missing_authority_account', text: missing('active'), body: { active: accountAuthority('nobody') } },
  ],
});

test('authorities, memo key and metadata are replaced, and the old owner is remembered', () => {
  const ledger = new Ledger();
  const before = ledger.rows.get(accountAuthorities, 'alice');
  ledger.moveTime(100);
  ledger.apply(accountUpdate.of(good));
  const { owner, active } = good;
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice'), {
    account: 'alice',
    owner,
    active,
    last_owner_update: START + 100,
  });
  assert.equal(ledger.account('alice').memo_key, testKey(62));
  assert.equal(ledger.account('alice').last_account_update, START + 100);
  assert.equal(ledger.rows.get(accountMetadata, 'alice')?.json_metadata, '[1 2]');
  const history = { id: 0n, account: 'alice', previous_owner_authority: before?.owner, last_valid_time: START + 100 };
  assert.deepEqual(ledger.rows.get(ownerAuthorityHistories, 0n), history);
});

test('what is left out stays', () => {
  const ledger = new Ledger();
  const before = { account: ledger.account('alice'), authorities: ledger.rows.get(accountAuthorities, 'alice') };
  ledger.apply(accountUpdate.of(unchanged));
  assert.deepEqual(ledger.account('alice'), { ...before.account, last_account_update: START });
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice'), before.authorities);
  assert.equal(ledger.rows.get(accountMetadata, 'alice'), undefined);
});

test('the active authority can change at any time and leaves no history', () => {
  const ledger = new Ledger();
  ledger.apply(accountUpdate.of(good));
  ledger.apply(accountUpdate.of({ ...unchanged, active: keyAuthority(testKey(70)) }));
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice')?.active, keyAuthority(testKey(70)));
  assert.equal(ledger.rows.get(ownerAuthorityHistories, 1n), undefined);
});

test('the key index names the new keys and no longer the old ones', () => {
  const ledger = new Ledger();
  ledger.apply(accountUpdate.of(good));
  ledger.moveTime(3601);
  ledger.apply(accountUpdate.of({ ...good, owner: keyAuthority(testKey(61)) }));
  const listed = [60, 61].map(
    (key) => ledger.rows.get(keyLookups, { key: testKey(key), account: 'alice' }) !== undefined,
  );
  assert.deepEqual(listed, [false, true]);
});

test('the owner authority changes again once more than an hour has passed', () => {
  const ledger = new Ledger();
  ledger.apply(accountUpdate.of(good));
  const again = accountUpdate.of({ ...good, owner: keyAuthority(testKey(63)) });
  ledger.moveTime(3600);
  assert.throws(() => ledger.apply(again), { code: 'owner_changed_recently' });
  ledger.moveTime(3601);
  ledger.apply(again);
});

test('an account of a generated or odd name may stand in the authority, in both rule sets', () => {
  const name = '8I1Pt6T2ovPJgEhTaMPP3Qv4uCo';
  for (const rules of ['interface', 'lineage'] as const)
    new Ledger({ rules, names: ['alice', name] }).apply(accountUpdate.of({ ...good, active: accountAuthority(name) }));
});

test('authorities need the owner, the rest only the active authority', () => {
  assert.deepEqual(accountUpdate.of(good).authorities(), { owner: ['alice'] });
  assert.deepEqual(accountUpdate.of({ ...unchanged, active: good.active }).authorities(), { owner: ['alice'] });
  assert.deepEqual(accountUpdate.of(unchanged).authorities(), { active: ['alice'] });
});

test('an update lists the keys that were absent before it, and no other', () => {
  const ledger = new Ledger({ rules: 'lineage' });
  // As genesis leaves its accounts in the lineage: in no index.
  const before = ledger.rows.get(accountAuthorities, 'alice') ?? assert.fail('the authorities of alice');
  const [[ownerKey] = assert.fail('a key of alice')] = before.owner.key_auths;
  ledger.change(({ rows }) => rows.remove(keyLookups, { key: ownerKey, account: 'alice' }));
  ledger.apply(accountUpdate.of({ ...unchanged, active: keyAuthority(testKey(61)) }));
  const isListed = (key: string): boolean => ledger.rows.get(keyLookups, { key, account: 'alice' }) !== undefined;
  assert.deepEqual([isListed(ownerKey), isListed(testKey(61))], [false, true]);
});
