import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requestAccountRecovery } from '../../src/operations/request_account_recovery.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { addWitness } from '../../src/state/witnesses.ts';
import { adjustWitnessVotes } from '../../src/state/votes.ts';
import { accountAuthority, keyAuthority, type Authority } from '../../src/values/authority.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger, START, testKey } from '../builders/ledger.ts';

const GENERATED = 'X7EheBFkznk4J_Hbz3WKOLtPG9s'; // a name that the chain made, which the strict check of names refuses
const DAY = 86_400;
const open: Authority = { weight_threshold: 0, account_auths: [], key_auths: [] };
const impossible: Authority = { weight_threshold: 2, account_auths: [], key_auths: [[testKey(9), 1]] };
const newOwner = keyAuthority(testKey(9));

function build(): Ledger {
  const ledger = new Ledger({ names: ['alice', 'bob', 'initminer', GENERATED] });
  ledger.changeAccount('alice', { recovery_account: 'bob' });
  return ledger;
}

const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  recovery_account: 'bob',
  account_to_recover: 'alice',
  new_owner_authority: newOwner,
  extensions: [],
};

const request = (ledger: Ledger): unknown => ledger.rows.get(accountRecoveryRequests, 'alice');

testRefusals({
  kind: requestAccountRecovery,
  build,
  good,
  faults: [
    { code: 'unknown_key', text: 'unknown key', body: { account_to_recover: 'nobody' } },
    {
      code: 'not_recovery_account',
      text: 'Cannot recover an account that does not have you as there recovery partner.',
      body: { recovery_account: 'initminer' },
    },
    {
      code: 'impossible_authority',
      text: 'Cannot recover using an impossible authority.',
      body: { new_owner_authority: impossible },
    },
    {
      code: 'open_authority',
      text: 'Cannot recover using an open authority.',
      body: { new_owner_authority: open },
      alone: true,
    },
    {
      code: 'missing_authority_account',
      text: 'New owner authority on account alice references non-existing account nobody',
      body: { new_owner_authority: accountAuthority('nobody') },
    },
  ],
});

test('a request is kept for a day', () => {
  const ledger = build();
  ledger.moveTime(60);
  ledger.apply(requestAccountRecovery.of(good));
  assert.deepEqual(request(ledger), {
    id: 0n,
    account_to_recover: 'alice',
    new_owner_authority: newOwner,
    expires: START + 60 + DAY,
  });
});

test('a second request replaces the first and begins its day anew', () => {
  const ledger = build();
  ledger.apply(requestAccountRecovery.of(good));
  ledger.moveTime(1000);
  ledger.apply(requestAccountRecovery.of({ ...good, new_owner_authority: accountAuthority('bob') }));
  assert.deepEqual(request(ledger), {
    id: 0n,
    account_to_recover: 'alice',
    new_owner_authority: accountAuthority('bob'),
    expires: START + 1000 + DAY,
  });
});

test('an open authority withdraws a request', () => {
  const ledger = build();
  ledger.apply(requestAccountRecovery.of(good));
  ledger.apply(requestAccountRecovery.of({ ...good, new_owner_authority: open }));
  assert.equal(request(ledger), undefined);
});

test('a replacement is checked as a first request is', () => {
  const ledger = build();
  ledger.apply(requestAccountRecovery.of(good));
  assertRefused(ledger, requestAccountRecovery.of({ ...good, new_owner_authority: impossible }), {
    code: 'impossible_authority',
    text: 'Cannot recover using an impossible authority.',
  });
});

test('an account without recovery account is recovered by the witness with most votes, of equals by the first name', () => {
  const ledger = build();
  ledger.changeAccount('alice', { recovery_account: '' });
  const refused = { code: 'not_top_witness', text: 'Top witness must recover an account with no recovery partner.' };
  assertRefused(ledger, requestAccountRecovery.of(good), refused);
  ledger.change((state) => {
    const update = {
      url: 'u',
      block_signing_key: testKey(1),
      props: { account_creation_fee: ledger.coins(0n), maximum_block_size: 0 },
    };
    for (const owner of ['initminer', 'bob']) addWitness(state, owner, update, START);
  });
  ledger.apply(requestAccountRecovery.of(good));
  ledger.change((state) => adjustWitnessVotes(state, 'initminer', 1n));
  assertRefused(ledger, requestAccountRecovery.of(good), refused);
  ledger.apply(requestAccountRecovery.of({ ...good, recovery_account: 'initminer' }));
});

test('an authority may name an account with a generated name, but not in rule set lineage', () => {
  const named = requestAccountRecovery.of({ ...good, new_owner_authority: accountAuthority(GENERATED) });
  build().apply(named);
  assertRefused(new Ledger({ rules: 'lineage' }), named, {
    code: 'bad_authority_name',
    text: `an authority names ${GENERATED}, which is no plain account name`,
  });
});

test('the name check of rule set lineage comes before all that needs the state', () => {
  const ledger = new Ledger({ rules: 'lineage' });
  const body = { ...good, account_to_recover: 'nobody', new_owner_authority: accountAuthority('ab') };
  assertRefused(ledger, requestAccountRecovery.of(body), {
    code: 'bad_authority_name',
    text: 'an authority names ab, which is no plain account name',
  });
});
