import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareNames } from '../../src/values/account_name.ts';
import type { Authority } from '../../src/values/authority.ts';
import { compareKeys } from '../../src/values/public_key.ts';
import { shortfallOf, type Required } from '../../src/blocks/authority_check.ts';
import { keysToSign, suffices, type AuthoritiesOf } from '../../src/wallet/signing_keys.ts';

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
const NAMES = ['alice', 'bob', 'carol', 'dave'];
const by = (threshold: number, keys: Record<string, number>, accounts: Record<string, number> = {}): Authority => ({
  weight_threshold: threshold,
  key_auths: Object.entries(keys).sort(([a], [b]) => compareKeys(a, b)),
  account_auths: Object.entries(accounts).sort(([a], [b]) => compareNames(a, b)),
});
const world =
  (accounts: Record<string, { owner: Authority; active: Authority }>): AuthoritiesOf =>
  (name) =>
    accounts[name];
const active = (...names: string[]): Required => ({ active: names, owner: [], other: [] });
const all = (): boolean => true;

test('the active key signs, the owner key only where it must', () => {
  const accounts = world({ alice: { owner: by(1, { k1: 1 }), active: by(1, { k2: 1 }) } });
  assert.deepEqual(keysToSign(active('alice'), accounts, [], all), ['k2']);
  assert.deepEqual(
    keysToSign(active('alice'), accounts, [], (key) => key === 'k1'),
    ['k1'],
  );
  assert.deepEqual(keysToSign({ active: [], owner: ['alice'], other: [] }, accounts, [], all), ['k1']);
  assert.deepEqual(
    keysToSign(active('alice'), accounts, [], () => false),
    [],
  );
});

test('one of several signers gives what he has, the last one no more than is missing', () => {
  const accounts = world({ alice: { owner: by(1, { k1: 1 }), active: by(2, { k2: 1, k3: 1, k4: 1 }) } });
  assert.deepEqual(
    keysToSign(active('alice'), accounts, [], (key) => key === 'k3'),
    ['k3'],
  );
  assert.deepEqual(
    keysToSign(active('alice'), accounts, ['k3'], (key) => key === 'k2' || key === 'k4'),
    ['k2'],
  );
  assert.deepEqual(
    keysToSign(active('alice'), accounts, ['k3', 'k4'], (key) => key === 'k2'),
    [],
  );
});

test('accounts within accounts count to a depth of two', () => {
  const key = (name: string): { owner: Authority; active: Authority } => ({ owner: by(1, { k6: 1 }), active: by(1, {}, { [name]: 1 }) });
  const accounts = world({
    alice: key('bob'),
    bob: key('carol'),
    carol: { owner: by(1, { k6: 1 }), active: by(1, { k1: 1 }) },
    dave: key('alice'),
  });
  assert.deepEqual(
    keysToSign(active('alice'), accounts, [], (each) => each === 'k1'),
    ['k1'],
  );
  assert.equal(suffices(active('dave'), accounts, new Set(['k1'])), false);
});

const authority: fc.Arbitrary<Authority> = fc
  .record({
    threshold: fc.integer({ min: 1, max: 4 }),
    keys: fc.dictionary(fc.constantFrom(...KEYS), fc.integer({ min: 1, max: 3 }), { maxKeys: 3 }),
    accounts: fc.dictionary(fc.constantFrom(...NAMES), fc.integer({ min: 1, max: 3 }), { maxKeys: 2 }),
  })
  .map(({ threshold, keys, accounts }) => by(threshold, keys, accounts));
const accountsOfWorld = fc
  .tuple(...NAMES.map(() => fc.record({ owner: authority, active: authority })))
  .map((list) => world(Object.fromEntries(NAMES.map((name, k) => [name, list[k]])) as never));
const required: fc.Arbitrary<Required> = fc.record({
  active: fc.subarray(NAMES),
  owner: fc.subarray(NAMES),
  other: fc.array(authority, { maxLength: 1 }),
});

test('whatever the authorities are: enough is found where the chosen keys of all people together are enough, and none of it is superfluous', () => {
  fc.assert(
    fc.property(accountsOfWorld, required, fc.subarray(KEYS), (accounts, needs, mine) => {
      const chosen = keysToSign(needs, accounts, [], (key) => mine.includes(key));
      assert.ok(chosen.every((key) => mine.includes(key)));
      if (!suffices(needs, accounts, new Set(chosen))) return;
      for (const key of chosen)
        assert.equal(suffices(needs, accounts, new Set(chosen.filter((other) => other !== key))), false, `${key} is needed`);
    }),
    { numRuns: 3000 },
  );
});

test('with one account to sign for, keys are found whenever they are enough', () => {
  fc.assert(
    fc.property(accountsOfWorld, fc.constantFrom(...NAMES), fc.subarray(KEYS), (accounts, name, mine) => {
      const isEnough = suffices(active(name), accounts, new Set(mine));
      const chosen = keysToSign(active(name), accounts, [], (key) => mine.includes(key));
      assert.equal(suffices(active(name), accounts, new Set(chosen)), isEnough);
    }),
    { numRuns: 3000 },
  );
});

test('what is found to be enough, the chain takes: nothing is missing, and no signature is too many', () => {
  fc.assert(
    fc.property(accountsOfWorld, required, fc.subarray(KEYS), (accounts, needs, mine) => {
      const chosen = keysToSign(needs, accounts, [], (key) => mine.includes(key));
      fc.pre(suffices(needs, accounts, new Set(chosen)));
      const found = (name: string): ReturnType<AuthoritiesOf> & {} => accounts(name) ?? assert.fail(name);
      const lookup = { active: (name: string) => found(name).active, owner: (name: string) => found(name).owner, mostVisits: Infinity };
      assert.equal(shortfallOf(lookup, needs, chosen), undefined);
    }),
    { numRuns: 3000 },
  );
});
