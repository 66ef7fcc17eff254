import assert from 'node:assert/strict';
import { test } from 'node:test';

import { recoverAccount } from '../../src/operations/recover_account.ts';
import { resetAccount } from '../../src/operations/reset_account.ts';
import { changeOwnerAuthority } from '../../src/state/authorities.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { accountAuthority, keyAuthority, type Authority } from '../../src/values/authority.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger, START, testKey } from '../builders/ledger.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const former = keyAuthority(testKey(1)); // what the builder gives the first account
const stolen = keyAuthority(testKey(66));
const wanted = keyAuthority(testKey(9));
const impossible: Authority = { weight_threshold: 2, account_auths: [], key_auths: [[testKey(9), 1]] };
const trivial: Authority = { weight_threshold: 0, account_auths: [], key_auths: [[testKey(9), 1]] };

function ledgerTime(ledger: Ledger): number {
  return ledger.rows.only(dynamicGlobalProperties).time;
}

function offer(ledger: Ledger, new_owner_authority: Authority): void {
  ledger.change(({ rows }) =>
    rows.put(accountRecoveryRequests, {
      id: 0n,
      account_to_recover: 'alice',
      new_owner_authority,
      expires: ledgerTime(ledger) + DAY,
    }),
  );
}

/** A thief has replaced the owner authority of alice, and her recovery account has offered her another one. */
function build(rules: 'interface' | 'lineage' = 'interface'): Ledger {
  const ledger = new Ledger({ rules });
  ledger.moveTime(10);
  ledger.change((state) => changeOwnerAuthority(state, 'alice', stolen));
  offer(ledger, wanted);
  ledger.moveTime(2 * HOUR);
  return ledger;
}

const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  account_to_recover: 'alice',
  new_owner_authority: wanted,
  recent_owner_authority: former,
  extensions: [],
};

testRefusals({
  kind: recoverAccount,
  build,
  good,
  faults: [
    {
      code: 'authorities_equal',
      text: 'Cannot set new owner authority to the recent owner authority',
      body: { new_owner_authority: impossible, recent_owner_authority: impossible },
    },
    {
      code: 'new_authority_impossible',
      text: 'new owner authority cannot be impossible',
      body: { new_owner_authority: impossible },
    },
    {
      code: 'recent_authority_impossible',
      text: 'recent owner authority cannot be impossible',
      body: { recent_owner_authority: { ...impossible, weight_threshold: 3 } },
    },
    {
      code: 'new_authority_trivial',
      text: 'new owner authority cannot be trivial',
      body: { new_owner_authority: trivial },
    },
    { code: 'unknown_key', text: 'unknown key', body: { account_to_recover: 'nobody' } },
    {
      code: 'owner_changed_recently',
      text: 'Owner authority can only be updated once an hour.',
      given: (ledger) => ledger.changeAccount('alice', { last_account_recovery: START + HOUR }),
    },
    {
      code: 'no_recovery_request',
      text: 'There are no active recovery requests for this account.',
      given: (ledger) => ledger.change(({ rows }) => void rows.remove(accountRecoveryRequests, 'alice')),
    },
    {
      code: 'authority_not_requested',
      text: 'New owner authority does not match recovery request.',
      body: { new_owner_authority: accountAuthority('bob') },
    },
    {
      code: 'authority_not_in_history',
      text: 'Recent authority not found in authority history.',
      body: { recent_owner_authority: stolen },
    },
  ],
});

test('a recovery replaces the owner, remembers the one before and uses the request up', () => {
  const ledger = build();
  const active = ledger.rows.get(accountAuthorities, 'alice')?.active;
  ledger.apply(recoverAccount.of(good));
  const now = START + 2 * HOUR;
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice'), {
    account: 'alice',
    owner: wanted,
    active,
    last_owner_update: now,
  });
  assert.equal(ledger.account('alice').last_account_recovery, now);
  assert.equal(ledger.rows.get(accountRecoveryRequests, 'alice'), undefined);
  assert.deepEqual(
    ledger.rows
      .range(ownerAuthorityHistories.by_account, { from: ['alice'], to: ['alice'], limit: 10 })
      .map((entry) => entry.previous_owner_authority),
    [former, stolen],
  );
});

test('a recovery counts as something that the account did, so nobody can reset it at once', () => {
  const ledger = build();
  ledger.changeAccount('alice', { reset_account: 'bob' });
  ledger.moveTime(90 * DAY);
  ledger.change((state) => changeOwnerAuthority(state, 'alice', former));
  ledger.change((state) => changeOwnerAuthority(state, 'alice', stolen));
  offer(ledger, wanted);
  ledger.apply(recoverAccount.of(good));
  const reset = resetAccount.of({
    fee: good.fee,
    reset_account: 'bob',
    account_to_reset: 'alice',
    new_owner_authority: keyAuthority(testKey(6)),
  });
  const text = 'alice was active at 2027-02-19T00:00:00 and cannot be reset before 2027-04-20T00:00:00';
  assertRefused(ledger, reset, { code: 'account_active', text });
  ledger.moveTime(150 * DAY);
  ledger.apply(reset);
});

test('an account can be recovered again after more than an hour', () => {
  const ledger = build();
  ledger.apply(recoverAccount.of(good));
  const next = keyAuthority(testKey(10));
  offer(ledger, next);
  const again = recoverAccount.of({ ...good, new_owner_authority: next, recent_owner_authority: stolen });
  ledger.moveTime(3 * HOUR);
  assertRefused(ledger, again, {
    code: 'owner_changed_recently',
    text: 'Owner authority can only be updated once an hour.',
  });
  ledger.moveTime(3 * HOUR + 1);
  ledger.apply(again);
});

test('any owner of the last 30 days proves a recovery, however many there were', () => {
  const ledger = build();
  for (let change = 0; change < 150; change++)
    ledger.change((state) => changeOwnerAuthority(state, 'alice', keyAuthority(testKey(1000 + change))));
  for (const proof of [former, keyAuthority(testKey(1000)), keyAuthority(testKey(1148))]) {
    offer(ledger, wanted);
    ledger.changeAccount('alice', { last_account_recovery: 0 });
    ledger.apply(recoverAccount.of({ ...good, recent_owner_authority: proof }));
  }
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`the key index follows a recovery in rule set ${rules}`, () => {
    const ledger = build(rules);
    ledger.apply(recoverAccount.of(good));
    assert.notEqual(ledger.rows.get(keyLookups, { key: testKey(9), account: 'alice' }), undefined);
    assert.equal(ledger.rows.get(keyLookups, { key: testKey(66), account: 'alice' }), undefined);
  });
}

test('rule set lineage refuses authorities that name generated names', () => {
  const ledger = build('lineage');
  const name = 'X7EheBFkznk4J_Hbz3WKOLtPG9s';
  const refused = { code: 'bad_authority_name', text: `an authority names ${name}, which is no plain account name` };
  assertRefused(ledger, recoverAccount.of({ ...good, new_owner_authority: accountAuthority(name) }), refused);
  assertRefused(ledger, recoverAccount.of({ ...good, recent_owner_authority: accountAuthority(name) }), refused);
});

test('both authorities of the body must have signed, and nobody else', () => {
  assert.deepEqual(recoverAccount.of(good).authorities(), { other: [wanted, former] });
});
