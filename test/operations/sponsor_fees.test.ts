import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sponsorFees } from '../../src/operations/sponsor_fees.ts';
import { accountFeeSponsors } from '../../src/state/tables/account_fee_sponsor.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const good = { fee: { amount: 0n, symbol: 'COIN' }, sponsor: 'alice', sponsored: 'bob', is_sponsoring: true };
const begin = sponsorFees.of(good);
const notSponsoring = { code: 'not_sponsoring', text: 'You are not sponsoring this account' };
const unknown = { code: 'unknown_key', text: 'unknown key' };

testRefusals({
  kind: sponsorFees,
  build: () => new Ledger(),
  good,
  faults: [
    { ...unknown, body: { sponsor: 'nobody' } },
    { ...unknown, body: { sponsored: 'nobody' } },
    {
      code: 'sponsored_already',
      text: 'This account is already sponsored',
      given: (ledger) => ledger.apply(sponsorFees.of({ ...good, sponsor: 'carol' })),
    },
  ],
});

test('a sponsor pays for another account, which did not have to agree, until it ends that', () => {
  const ledger = new Ledger();
  ledger.apply(begin);
  assert.equal(ledger.payerFor('bob'), 'alice');
  assert.equal(ledger.account('alice').sponsoring, 1);
  ledger.apply(sponsorFees.of({ ...good, is_sponsoring: false }));
  assert.equal(ledger.payerFor('bob'), 'bob');
  assert.equal(ledger.account('alice').sponsoring, 0);
});

test('with an empty sponsor the sponsored account ends it, whatever is_sponsoring says', () => {
  for (const is_sponsoring of [true, false]) {
    const ledger = new Ledger();
    ledger.apply(begin);
    ledger.apply(sponsorFees.of({ ...good, sponsor: '', is_sponsoring }));
    assert.equal(ledger.rows.get(accountFeeSponsors, 'bob'), undefined);
    assert.equal(ledger.account('alice').sponsoring, 0);
  }
});

test('nobody ends what is not there, or is another one’s', () => {
  const ledger = new Ledger();
  assertRefused(ledger, sponsorFees.of({ ...good, sponsor: '' }), unknown);
  assertRefused(ledger, sponsorFees.of({ ...good, is_sponsoring: false }), notSponsoring);
  ledger.apply(begin);
  assertRefused(ledger, sponsorFees.of({ ...good, sponsor: 'carol', is_sponsoring: false }), notSponsoring);
});

test('an account may sponsor itself, and one may sponsor several', () => {
  const ledger = new Ledger();
  for (const sponsored of ['alice', 'bob', 'carol']) ledger.apply(sponsorFees.of({ ...good, sponsored }));
  assert.equal(ledger.account('alice').sponsoring, 3);
  assert.equal(ledger.payerFor('alice'), 'alice');
});

test('who signs, pays and remembers it is the sponsor, or the sponsored account when the sponsor is empty', () => {
  const end = sponsorFees.of({ ...good, sponsor: '' });
  assert.deepEqual(
    [begin.authorities(), begin.feeAccount(), begin.impacted()],
    [{ active: ['alice'] }, 'alice', ['alice', 'bob']],
  );
  assert.deepEqual([end.authorities(), end.feeAccount(), end.impacted()], [{ active: ['bob'] }, 'bob', ['bob']]);
});

test('nobody sponsors in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, begin, {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
