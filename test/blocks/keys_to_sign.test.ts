import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { compareNames } from '../../src/values/account_name.ts';
import type { Authority } from '../../src/values/authority.ts';
import { compareKeys } from '../../src/values/public_key.ts';
import { missingAuthority, findShortfall, type Required } from '../../src/blocks/authority_check.ts';
import { AuthorityWalk, type AuthorityLookup } from '../../src/blocks/authority_walk.ts';
import { keysToSign as chosenKeys, minimalSigners } from '../../src/blocks/keys_to_sign.ts';
import { isLong } from '../builders/forms.ts';

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
const NAMES = ['alice', 'bob', 'carol', 'dave'];
const by = (threshold: number, keys: Record<string, number>, accounts: Record<string, number> = {}): Authority => ({
  weight_threshold: threshold,
  key_auths: Object.entries(keys).sort(([a], [b]) => compareKeys(a, b)),
  account_auths: Object.entries(accounts).sort(([a], [b]) => compareNames(a, b)),
});
const world = (accounts: Record<string, { owner: Authority; active: Authority }>): AuthorityLookup => ({
  active: (name) => present(accounts[name], name).active,
  owner: (name) => present(accounts[name], name).owner,
  mostVisits: Infinity,
});
const active = (...names: string[]): Required => ({ active: names, owner: [], other: [] });
const all = (): boolean => true;

function keysToSign(
  needs: Required,
  lookup: AuthorityLookup,
  signed: readonly string[],
  owns: (key: string) => boolean,
): string[] {
  return chosenKeys(lookup, needs, { signed, owns });
}

function suffices(needs: Required, lookup: AuthorityLookup, keys: ReadonlySet<string>): boolean {
  return missingAuthority(new AuthorityWalk(lookup, (key) => keys.has(key)), needs) === undefined;
}

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
  const key = (name: string): { owner: Authority; active: Authority } => ({
    owner: by(1, { k6: 1 }),
    active: by(1, {}, { [name]: 1 }),
  });
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
        assert.equal(
          suffices(needs, accounts, new Set(chosen.filter((other) => other !== key))),
          false,
          `${key} is needed`,
        );
    }),
    { numRuns: isLong ? 3000 : 800 },
  );
});

test('whoever is to sign, keys are found whenever they are enough, with what has signed already', () => {
  fc.assert(
    fc.property(accountsOfWorld, required, fc.subarray(KEYS), fc.subarray(KEYS), (accounts, needs, mine, signed) => {
      const isEnough = suffices(needs, accounts, new Set([...mine, ...signed]));
      const chosen = keysToSign(needs, accounts, signed, (key) => mine.includes(key));
      assert.ok(chosen.every((key) => !signed.includes(key)));
      // A key too many leads the walk astray now and then: some are enough where all are not.
      if (isEnough) assert.ok(suffices(needs, accounts, new Set([...chosen, ...signed])));
    }),
    { numRuns: isLong ? 3000 : 800 },
  );
});

test('what is found to be enough, the chain takes: nothing is missing, and no signature is too many', () => {
  fc.assert(
    fc.property(accountsOfWorld, required, fc.subarray(KEYS), (accounts, needs, mine) => {
      const chosen = keysToSign(needs, accounts, [], (key) => mine.includes(key));
      fc.pre(suffices(needs, accounts, new Set(chosen)));
      assert.equal(findShortfall(accounts, needs, chosen), undefined);
    }),
    { numRuns: isLong ? 3000 : 800 },
  );
});

test('the minimal subset for a transaction is what its signatures lack, and those of the available keys that have signed and count', () => {
  const accounts = world({
    alice: { owner: by(1, { k1: 1 }), active: by(2, { k2: 1, k3: 1, k4: 2 }) },
    bob: { owner: by(1, { k1: 1 }), active: by(1, { k5: 1 }, { alice: 1 }) },
  });
  const subset = (needs: Required, available: readonly string[], signed: readonly string[] = []): string[] =>
    minimalSigners(accounts, needs, available, { signed });
  assert.deepEqual(subset(active('alice'), ['k2', 'k4']), ['k4'], 'k2 is met first, but k4 suffices');
  assert.deepEqual(subset(active('alice', 'bob'), ['k5', 'k4']), ['k4'], 'who acts for alice acts for bob');
  assert.deepEqual(
    subset(active('alice', 'bob'), ['k1', 'k2', 'k3', 'k4', 'k5', 'k6']),
    ['k2', 'k3'],
    'not the owner, nor bob',
  );
  assert.deepEqual(subset(active('alice'), ['k2', 'k3'], ['k2']), ['k2', 'k3']);
  assert.deepEqual(subset(active('alice'), ['k3'], ['k2']), ['k3']);
  assert.deepEqual(subset(active('alice'), ['k2', 'k6'], ['k2', 'k6']), ['k2'], 'k6 signed for nothing');
  assert.deepEqual(
    subset(active('alice', 'bob'), ['k3', 'k5']),
    ['k3', 'k5'],
    'somebody else will add what alice lacks',
  );
});

test('whatever is asked for, the part of it that can be met is met without a key too many', () => {
  fc.assert(
    fc.property(accountsOfWorld, required, fc.subarray(KEYS), (accounts, needs, mine) => {
      const keys = new Set(minimalSigners(accounts, needs, mine, { signed: [] }));
      assert.ok([...keys].every((key) => mine.includes(key)));
      const isEnough = suffices(needs, accounts, new Set(mine));
      if (!suffices(needs, accounts, keys)) return assert.ok(!isEnough);
      for (const key of keys)
        assert.ok(!suffices(needs, accounts, new Set([...keys].filter((other) => other !== key))));
    }),
    { numRuns: isLong ? 3000 : 800 },
  );
});

test('a choice that would take too long is refused', () => {
  const keys = Array.from({ length: 300 }, (_, k) => `key${k}`);
  const accounts = world({
    alice: { owner: by(1, { k1: 1 }), active: by(300, Object.fromEntries(keys.map((key) => [key, 1]))) },
  });
  const choose = (mostLooks: number): string[] =>
    minimalSigners(accounts, active('alice'), keys, { signed: [], mostLooks });
  assert.equal(choose(100_000).length, 300);
  assert.throws(
    () => choose(10_000),
    (error) => error instanceof Refusal && error.code === 'too_many_keys_to_try',
  );
});
