import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accountDelete } from '../../src/operations/account_delete.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { keyAuthority } from '../../src/values/authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger, START, testKey, type LedgerOptions } from '../builders/ledger.ts';

const good = { fee: { amount: 0n, symbol: 'COIN' }, account: 'alice' };

testRefusals({
  kind: accountDelete,
  build: () => new Ledger({ names: ['alice', 'temp'] }),
  good,
  faults: [
    { code: 'temp_account', text: 'Cannot update temp account.', body: { account: 'temp' }, alone: true },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' }, alone: true },
    {
      code: 'owner_changed_recently',
      text: 'Owner authority can only be updated once an hour.',
      given: (ledger) => ledger.apply(accountDelete.of(good)),
    },
  ],
});

test('the account is locked with the null key; name and balances stay, the old owner can recover it', () => {
  const ledger = new Ledger();
  const before = { account: ledger.account('alice'), owner: ledger.rows.get(accountAuthorities, 'alice')?.owner };
  ledger.moveTime(5);
  ledger.apply(accountDelete.of(good));
  const nobody = keyAuthority(NULL_KEY);
  assert.deepEqual(ledger.account('alice'), { ...before.account, memo_key: NULL_KEY, last_account_update: START + 5 });
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice'), {
    account: 'alice',
    owner: nobody,
    active: nobody,
    last_owner_update: START + 5,
  });
  assert.equal(ledger.rows.get(accountMetadata, 'alice')?.json_metadata, '{"deleted_account"}');
  assert.deepEqual(ledger.rows.get(ownerAuthorityHistories, 0n)?.previous_owner_authority, before.owner);
});

function isStillListed(options: LedgerOptions): boolean {
  const ledger = new Ledger(options);
  const keys = { owner: keyAuthority(testKey(60)), active: keyAuthority(testKey(61)) };
  ledger.apply(accountUpdate.of({ ...good, ...keys, memo_key: NULL_KEY, json_metadata: '' }));
  ledger.moveTime(3601);
  ledger.apply(accountDelete.of(good));
  return ledger.rows.get(keyLookups, { key: testKey(60), account: 'alice' }) !== undefined;
}

test('the key index forgets the keys, but not in the lineage', () => {
  assert.equal(isStillListed({ rules: 'interface' }), false);
  assert.equal(isStillListed({ rules: 'lineage' }), true);
});

function listsNullKey(options: LedgerOptions): boolean {
  const ledger = new Ledger(options);
  ledger.apply(
    accountUpdate.of({
      ...good,
      owner: undefined,
      active: keyAuthority(NULL_KEY),
      memo_key: NULL_KEY,
      json_metadata: '',
    }),
  );
  return ledger.rows.get(keyLookups, { key: NULL_KEY, account: 'alice' }) !== undefined;
}

test('the null key is listed for nobody, but in the lineage for whoever set it', () => {
  assert.equal(listsNullKey({ rules: 'interface' }), false);
  assert.equal(listsNullKey({ rules: 'lineage' }), true);
});

test('the owner has to sign', () => assert.deepEqual(accountDelete.of(good).authorities(), { owner: ['alice'] }));
