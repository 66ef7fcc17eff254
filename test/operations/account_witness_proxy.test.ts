import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';
import { endow, hasVote, vote, countVotes, witnessLedger } from '../builders/witnesses.ts';

const fee = { amount: 0n, symbol: 'COIN' };
const good = { fee, account: 'alice', proxy: 'bob' };
const setProxy = (ledger: Ledger, account: string, proxy: string): void =>
  ledger.apply(accountWitnessProxy.of({ fee, account, proxy }));

testRefusals({
  kind: accountWitnessProxy,
  build: () => witnessLedger([]),
  good,
  faults: [
    { code: 'proxy_is_self', text: 'Cannot proxy to self', body: { proxy: 'alice' }, alone: true },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' }, alone: true },
    {
      code: 'proxy_unchanged',
      text: 'Proxy must change.',
      given: (ledger) => setProxy(ledger, 'alice', 'bob'),
      alone: true,
    },
    { code: 'unknown_key', text: 'unknown key', body: { proxy: 'nobody' } },
    {
      code: 'proxy_loop',
      text: 'This proxy would create a proxy loop.',
      given: (ledger) => {
        setProxy(ledger, 'carol', 'alice');
        setProxy(ledger, 'bob', 'carol');
      },
      alone: true,
    },
    {
      code: 'proxy_chain_too_long',
      text: 'Proxy chain is too long.',
      given: (ledger) => {
        setProxy(ledger, 'dave', 'erin');
        setProxy(ledger, 'carol', 'dave');
        setProxy(ledger, 'bob', 'carol');
      },
      alone: true,
    },
  ],
});

test('an empty proxy that is empty already does not change', () => {
  assertRefused(witnessLedger([]), accountWitnessProxy.of({ ...good, proxy: '' }), {
    code: 'proxy_unchanged',
    text: 'Proxy must change.',
  });
});

test('with a proxy the account’s own votes stay but do not count, without one they count again', () => {
  const ledger = witnessLedger(['carol', 'dave'], { rules: 'interface' });
  endow(ledger, 'alice', 5n);
  endow(ledger, 'bob', 100n);
  vote(ledger, 'alice', 'carol');
  vote(ledger, 'bob', 'dave');
  setProxy(ledger, 'alice', 'bob');
  assert.deepEqual([countVotes(ledger, 'carol'), countVotes(ledger, 'dave')], [0n, 105n]);
  assert.ok(hasVote(ledger, 'alice', 'carol'));
  assert.equal(ledger.account('alice').witnesses_voted_for, 1);
  setProxy(ledger, 'alice', '');
  assert.deepEqual([countVotes(ledger, 'carol'), countVotes(ledger, 'dave')], [5n, 100n]);
});

test('in the lineage setting a proxy deletes the votes for good', () => {
  const ledger = witnessLedger(['carol', 'dave'], { rules: 'lineage' });
  vote(ledger, 'alice', 'carol');
  vote(ledger, 'bob', 'dave');
  setProxy(ledger, 'alice', 'bob');
  assert.deepEqual([countVotes(ledger, 'carol'), countVotes(ledger, 'dave')], [0n, 2n * FUNDS]);
  assert.ok(!hasVote(ledger, 'alice', 'carol'));
  assert.equal(ledger.account('alice').witnesses_voted_for, 0);
  setProxy(ledger, 'alice', '');
  assert.deepEqual([countVotes(ledger, 'carol'), countVotes(ledger, 'dave')], [0n, FUNDS]);
});

test('what others proxied to an account moves with it, by depth', () => {
  const ledger = witnessLedger(['carol'], { rules: 'interface' });
  for (const [index, name] of ['alice', 'bob', 'dave'].entries()) endow(ledger, name, 10n ** BigInt(index));
  setProxy(ledger, 'alice', 'bob');
  setProxy(ledger, 'bob', 'dave');
  vote(ledger, 'dave', 'carol');
  assert.deepEqual(ledger.account('dave').proxied_vsf_votes, [10n, 1n, 0n, 0n]);
  assert.equal(countVotes(ledger, 'carol'), 111n);
  setProxy(ledger, 'bob', 'erin');
  assert.deepEqual(ledger.account('dave').proxied_vsf_votes, [0n, 0n, 0n, 0n]);
  assert.deepEqual(ledger.account('erin').proxied_vsf_votes, [10n, 1n, 0n, 0n]);
  assert.equal(countVotes(ledger, 'carol'), 100n);
});

test('a chain of three proxies above the account is the longest', () => {
  const ledger = witnessLedger([]);
  setProxy(ledger, 'carol', 'dave');
  setProxy(ledger, 'bob', 'carol');
  setProxy(ledger, 'alice', 'bob');
  assert.equal(ledger.account('alice').proxy, 'bob');
});

test('the account and its proxy get it into their histories', () =>
  assert.deepEqual(accountWitnessProxy.of(good).impacted(), ['alice', 'bob']));

test('proxies are not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), accountWitnessProxy.of(good), refusal);
});
