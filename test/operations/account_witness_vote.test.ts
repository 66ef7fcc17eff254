import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';
import { endow, hasVote, vote, countVotes, witnessLedger } from '../builders/witnesses.ts';

const fee = { amount: 0n, symbol: 'COIN' };
const good = { fee, account: 'alice', witness: 'carol', approve: true };
const build = (): Ledger => witnessLedger(['carol', 'dave']);
const setProxy = (ledger: Ledger): void =>
  ledger.apply(accountWitnessProxy.of({ fee, account: 'alice', proxy: 'bob' }));

testRefusals({
  kind: accountWitnessVote,
  build,
  good,
  faults: [
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' }, alone: true },
    {
      code: 'proxy_is_set',
      text: 'A proxy is currently set, please clear the proxy before voting for a witness.',
      given: setProxy,
    },
    { code: 'unknown_key', text: 'unknown key', body: { witness: 'bob' } },
    {
      code: 'too_many_votes',
      text: 'Account has voted for too many witnesses.',
      given: (ledger) => ledger.changeAccount('alice', { witnesses_voted_for: 60 }),
    },
  ],
});

test('a vote that stands already, or taking back one that does not, changes nothing; the lineage refuses it', () => {
  const ledger = witnessLedger(['carol']);
  const back = accountWitnessVote.of({ ...good, approve: false });
  const before = ledger.rows.stateHash();
  ledger.apply(back);
  assert.equal(ledger.rows.stateHash(), before);
  ledger.apply(accountWitnessVote.of(good));
  const after = ledger.rows.stateHash();
  ledger.apply(accountWitnessVote.of(good));
  assert.equal(ledger.rows.stateHash(), after);

  const lineage = witnessLedger(['carol'], { rules: 'lineage' });
  const noVote = { code: 'no_vote', text: "Vote doesn't exist, user must indicate a desire to approve witness." };
  assertRefused(lineage, back, noVote);
  lineage.apply(accountWitnessVote.of(good));
  const exists = { code: 'vote_exists', text: 'Vote currently exists, user must indicate a desire to reject witness.' };
  assertRefused(lineage, accountWitnessVote.of(good), exists);
});

for (const [rules, weight] of [
  ['interface', 500n],
  ['lineage', FUNDS + 500n],
] as const) {
  test(`a vote weighs what the account holds, until it is taken back (${rules})`, () => {
    const ledger = witnessLedger(['carol'], { rules });
    endow(ledger, 'alice', 500n);
    vote(ledger, 'alice', 'carol');
    assert.equal(countVotes(ledger, 'carol'), weight);
    assert.equal(ledger.account('alice').witnesses_voted_for, 1);
    assert.ok(hasVote(ledger, 'alice', 'carol'));
    vote(ledger, 'alice', 'carol', false);
    assert.equal(countVotes(ledger, 'carol'), 0n);
    assert.equal(ledger.account('alice').witnesses_voted_for, 0);
    assert.ok(!hasVote(ledger, 'alice', 'carol'));
  });
}

test('voting is not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), accountWitnessVote.of(good), refusal);
});
