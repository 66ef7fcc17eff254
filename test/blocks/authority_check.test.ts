import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import {
  askedSigners,
  checkAuthorities,
  potentialSigners,
  requiredSigners,
  type Required,
} from '../../src/blocks/authority_check.ts';
import type { AuthorityLookup } from '../../src/blocks/authority_walk.ts';
import { accountAuthority, keyAuthority, type Authority } from '../../src/values/authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { recordedList, recording, recordedText } from '../builders/recordings.ts';

const key = (name: string): string => Buffer.from(name.padEnd(33, '.')).toString('hex');
const open: Authority = { weight_threshold: 0, account_auths: [], key_auths: [] };
const closed: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
const twoOfThree: Authority = {
  weight_threshold: 2,
  account_auths: [],
  key_auths: [
    [key('k1'), 1],
    [key('k2'), 1],
    [key('k3'), 1],
  ],
};

const accounts = new Map<string, { readonly active: Authority; readonly owner: Authority }>([
  ['alice', { active: keyAuthority(key('alice-active')), owner: keyAuthority(key('alice-owner')) }],
  ['bob', { active: twoOfThree, owner: keyAuthority(key('bob-owner')) }],
  ['lvl1', { active: accountAuthority('alice'), owner: closed }],
  ['lvl2', { active: accountAuthority('lvl1'), owner: closed }],
  ['lvl3', { active: accountAuthority('lvl2'), owner: closed }],
  ['open', { active: open, owner: open }],
  ['temp', { active: open, owner: open }],
  ['usestemp', { active: accountAuthority('temp'), owner: closed }],
  ['none', { active: closed, owner: closed }],
]);

const lookup: AuthorityLookup = {
  active: (name) => present(accounts.get(name), name).active,
  owner: (name) => present(accounts.get(name), name).owner,
  mostVisits: Infinity,
};

const nothingSigned = { signers: [], chain_id: '', digest: '', transaction_hex: '' };
const nobody: Required = { active: [], owner: [], other: [] };

function outcome(required: Required, keys: readonly string[]): string {
  try {
    checkAuthorities(lookup, required, keys.map(key), () => ({ keyPrefix: 'PHR', details: nothingSigned }));
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return String(error.lineageCode);
  }
}

test('the recorded cases come out as recorded', () => {
  const cases = recordedList(recording('vectors-sdk.json'), 'node.authority_checks.cases');
  assert.ok(cases.length > 15);
  for (const one of cases) {
    const required = { ...nobody, [recordedText(one, 'requires')]: [recordedText(one, 'account')] };
    const keys = recordedList(one, 'keys').map(String);
    assert.equal(outcome(required, keys), recordedText(one, 'result').split(' ')[0], recordedText(one, 'label'));
  }
});

test('a key that signed twice is refused before anything else', () => {
  assert.equal(outcome({ ...nobody, active: ['none'] }, ['k1', 'k1']), '3060000');
});

test('spelt-out authorities are asked for first', () => {
  assert.equal(outcome({ active: ['none'], owner: ['none'], other: [closed] }, []), '3040000');
  assert.equal(outcome({ ...nobody, other: [twoOfThree, keyAuthority(key('k1'))] }, ['k1', 'k2']), 'ok');
});

test('of the available keys those are named that should sign, ascending, signed or not', () => {
  const required = { ...nobody, active: ['alice', 'bob'] };
  const available = ['k2', 'k1', 'k3', 'alice-active', 'alice-owner'].map(key);
  assert.deepEqual(requiredSigners(lookup, required, available, []), ['alice-active', 'k1', 'k2'].map(key));
  assert.deepEqual(requiredSigners(lookup, required, available, [key('k1')]), ['alice-active', 'k1', 'k2'].map(key));
  assert.deepEqual(requiredSigners(lookup, { ...nobody, active: ['lvl3'] }, available, []), []);
  assert.deepEqual(requiredSigners(lookup, { ...nobody, owner: ['alice'] }, available, []), [key('alice-owner')]);
});

test('potential signers are the keys that are met: no owner for an active authority, nothing that is spelt out', () => {
  assert.deepEqual(
    potentialSigners(lookup, { active: ['bob'], owner: ['alice'], other: [keyAuthority(key('k9'))] }, []),
    ['alice-owner', 'k1', 'k2', 'k3'].map(key),
  );
  assert.deepEqual(potentialSigners(lookup, { ...nobody, active: ['lvl2'] }, []), [key('alice-active')]);
  assert.deepEqual(potentialSigners(lookup, { ...nobody, active: ['lvl3'] }, []), []);
});

test('who is asked to sign are the keys that are met and those that an operation spells out, but for the one that is no point', () => {
  const spelt: Authority = {
    weight_threshold: 1,
    account_auths: [['lvl1', 1]],
    key_auths: [
      [NULL_KEY, 1],
      [key('k9'), 1],
      [key('k1'), 1],
    ],
  };
  const required = { active: ['bob'], owner: [], other: [spelt] };
  assert.deepEqual(askedSigners(lookup, required, []), ['alice-active', 'k1', 'k2', 'k3', 'k9'].map(key));
});
