import assert from 'node:assert/strict';
import { test } from 'node:test';

import { resetAccount } from '../../src/operations/reset_account.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { accountAuthority, keyAuthority, type Authority } from '../../src/values/authority.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger, START, testKey } from '../builders/ledger.ts';

const SIXTY_DAYS = 60 * 86_400;
const newOwner = keyAuthority(testKey(9));
const impossible: Authority = { weight_threshold: 2, account_auths: [], key_auths: [[testKey(9), 1]] };
const trivial: Authority = { weight_threshold: 0, account_auths: [], key_auths: [[testKey(9), 1]] };
const stillActive = {
  code: 'account_active',
  text: 'alice was active at 2026-11-21T00:00:00 and cannot be reset before 2027-01-20T00:00:00',
};

/** Bob may reset alice, who has been silent for 60 days. */
function build(rules: RuleSet = 'interface', silentFor = SIXTY_DAYS): Ledger {
  const ledger = new Ledger({ rules });
  ledger.changeAccount('alice', { reset_account: 'bob' });
  ledger.moveTime(silentFor);
  return ledger;
}

const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  reset_account: 'bob',
  account_to_reset: 'alice',
  new_owner_authority: newOwner,
};

testRefusals({
  kind: resetAccount,
  build,
  good,
  faults: [
    {
      code: 'new_authority_impossible',
      text: 'new owner authority cannot be impossible',
      body: { new_owner_authority: impossible },
    },
    {
      code: 'new_authority_trivial',
      text: 'new owner authority cannot be trivial',
      body: { new_owner_authority: trivial },
    },
    { code: 'unknown_key', text: 'unknown key', body: { account_to_reset: 'nobody' } },
    {
      code: 'not_reset_account',
      text: 'Reset account does not match reset account on account.',
      body: { reset_account: 'carol' },
    },
    { ...stillActive, given: (ledger) => ledger.moveTime(SIXTY_DAYS - 1) },
    {
      code: 'missing_authority_account',
      text: 'New owner authority on account alice references non-existing account nobody',
      body: { new_owner_authority: accountAuthority('nobody') },
    },
  ],
});

test('a reset replaces the owner alone and remembers the one before', () => {
  const ledger = build();
  const before = ledger.rows.get(accountAuthorities, 'alice');
  ledger.apply(resetAccount.of(good));
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice'), {
    account: 'alice',
    owner: newOwner,
    active: before?.active,
    last_owner_update: START + SIXTY_DAYS,
  });
  const history = ledger.rows.range(ownerAuthorityHistories.by_account, { from: ['alice'], to: ['alice'], limit: 10 });
  assert.deepEqual(
    history.map((entry) => entry.previous_owner_authority),
    [before?.owner],
  );
});

test('what an account does begins its 60 days anew', () => {
  const ledger = build();
  ledger.changeAccount('alice', { last_activity: START + 1 });
  assertRefused(ledger, resetAccount.of(good), {
    code: 'account_active',
    text: 'alice was active at 2026-11-21T00:00:01 and cannot be reset before 2027-01-20T00:00:01',
  });
});

test('rule set lineage lets the reset account act at once, as often as it likes', () => {
  const ledger = build('lineage', 0);
  ledger.apply(resetAccount.of(good));
  ledger.apply(resetAccount.of({ ...good, new_owner_authority: keyAuthority(testKey(10)) }));
  assert.deepEqual(ledger.rows.get(accountAuthorities, 'alice')?.owner, keyAuthority(testKey(10)));
});

test('rule set lineage accepts plain names that nobody has, and refuses generated ones', () => {
  const name = 'X7EheBFkznk4J_Hbz3WKOLtPG9s';
  build('lineage').apply(resetAccount.of({ ...good, new_owner_authority: accountAuthority('nobody') }));
  assertRefused(build('lineage'), resetAccount.of({ ...good, new_owner_authority: accountAuthority(name) }), {
    code: 'bad_authority_name',
    text: `an authority names ${name}, which is no plain account name`,
  });
});

test('the key index follows a reset, but not in rule set lineage', () => {
  for (const [rules, follows] of [
    ['interface', true],
    ['lineage', false],
  ] as const) {
    const ledger = build(rules);
    ledger.apply(resetAccount.of(good));
    assert.equal(ledger.rows.get(keyLookups, { key: testKey(9), account: 'alice' }) !== undefined, follows);
  }
});
