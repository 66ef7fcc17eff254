import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unlessRefused } from '../../src/base/refusal.ts';
import { authorityWarnings, type AuthorityWarning } from '../../src/blocks/authority_warnings.ts';
import { AuthorityWalk } from '../../src/blocks/authority_walk.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import { operationKinds } from '../../src/operations/index.ts';
import { accountCreate } from '../../src/operations/account_create.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { recoverAccount } from '../../src/operations/recover_account.ts';
import { requestAccountRecovery } from '../../src/operations/request_account_recovery.ts';
import { resetAccount } from '../../src/operations/reset_account.ts';
import type { Operation, SetAuthority } from '../../src/operations/operation.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import type { Authority } from '../../src/values/authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testKey } from '../builders/chain.ts';

const fee = { amount: 0n, symbol: 'COIN' };

function of(
  threshold: number,
  accounts: Readonly<Record<string, number>> = {},
  keys: readonly string[] = [],
): Authority {
  return {
    weight_threshold: threshold,
    account_auths: Object.entries(accounts),
    key_auths: keys.map((name) => [name === '' ? NULL_KEY : testKey(name), 1]),
  };
}

const good = of(1, {}, ['good']);

function update(account: string, authorities: { readonly owner?: Authority; readonly active?: Authority }): Operation {
  const { owner, active } = authorities;
  return accountUpdate.of({ fee, account, owner, active, memo_key: NULL_KEY, json_metadata: '' });
}

/** The warnings about these operations on a chain with these active authorities. */
function warned(
  operations: readonly Operation[],
  actives: Readonly<Record<string, Authority>> = {},
  mostVisits = Infinity,
): AuthorityWarning[] {
  return authorityWarnings(operations, (name) => actives[name], mostVisits);
}

const chain: Readonly<Record<string, Authority>> = {
  bob: of(1, {}, ['bob']),
  carol: of(1, { alice: 1 }),
  dan: of(2, { bob: 1, carol: 1 }),
  gone: of(1, {}, ['']),
  l1: of(1, { l2: 1 }),
  l2: of(1, { l3: 1 }),
  l3: of(1, { l4: 1 }),
  l4: of(1, {}, ['deep']),
  x: of(1, { y: 1 }),
  y: of(1, { x: 1 }),
};

/** An active authority of alice: its problem, whether it is impossible, and the way to the problem. */
const cases: readonly (readonly [Authority, AuthorityWarning['problem'] | undefined, boolean, string])[] = [
  [good, undefined, false, ''],
  [of(1, { bob: 1 }), undefined, false, ''],
  [of(1, { temp: 1 }), undefined, false, ''],
  [of(0), 'open', false, ''],
  [of(0, {}, ['good']), 'open', false, ''],
  [of(1), 'empty', true, ''],
  [of(3, { bob: 1 }, ['good']), 'weights_too_small', true, ''],
  [of(1, {}, ['']), 'unusable_members', true, ''],
  [of(2, {}, ['', 'good']), 'unusable_members', true, ''],
  [of(1, { gone: 1 }), 'unusable_members', true, ''],
  [of(1, { nobody: 1 }), 'unknown_account', true, 'alice nobody'],
  [of(2, { nobody: 1 }, ['good']), 'unknown_account', true, 'alice nobody'],
  [of(1, { nobody: 1 }, ['good']), undefined, false, ''],
  [of(1, { alice: 1 }), 'circle', true, 'alice alice'],
  [of(1, { carol: 1 }), 'circle', true, 'alice carol alice'],
  [of(1, { carol: 1 }, ['good']), 'circle', false, 'alice carol alice'],
  [of(1, { dan: 1 }), 'circle', true, 'alice dan carol alice'],
  [of(1, { x: 1 }), 'circle', true, 'alice x y x'],
  // The chain follows two levels below the first.
  [of(1, { l3: 1 }), undefined, false, ''],
  [of(1, { l2: 1 }), 'too_deep', true, 'alice l2 l3 l4'],
  [of(1, { l1: 1 }), 'too_deep', true, 'alice l1 l2 l3'],
];

test('an authority that nothing can satisfy, or that goes in a circle, is warned of with the reason and the way', () => {
  for (const [active, problem, isImpossible, path] of cases) {
    const what = JSON.stringify(active);
    const [warning, ...more] = warned([update('alice', { active })], chain);
    assert.deepEqual([warning?.problem, more], [problem, []], what);
    if (warning === undefined) continue;
    assert.deepEqual([warning.isImpossible, warning.path.join(' ')], [isImpossible, path], what);
    assert.match(
      warning.text,
      isImpossible ? /^nothing can satisfy the new active authority of "alice": / : /circle|anybody can act/,
      what,
    );
    for (const name of warning.path) assert.ok(warning.text.includes(`"${name}"`), warning.text);
  }
});

test('an authority that takes more accounts to tell than a check looks at is warned of, its own account included', () => {
  const members = Array.from({ length: 9 }, (_, k) => nameFromSeed(`member ${k}`));
  const actives = Object.fromEntries(members.map((name) => [name, good]));
  const active = of(9, Object.fromEntries(members.map((name) => [name, 1])));
  const warn = (mostVisits: number, given = active): AuthorityWarning[] =>
    warned([update('alice', { active: given })], actives, mostVisits);
  assert.deepEqual(warn(10), []);
  const [warning, ...more] = warn(9);
  assert.deepEqual([warning?.problem, warning?.isImpossible, more], ['too_many_accounts', true, []]);
  assert.match(warning?.text ?? '', /more than 9 accounts to tell.*only what asks for its owner authority/);
  assert.deepEqual(warn(9, { ...active, weight_threshold: 8 }), [], 'eight suffice');
  const [owner] = warned([update('alice', { owner: active })], actives, 9);
  assert.match(owner?.text ?? '', /more than 9 accounts to tell.*can lose its owner for good/);
});

test('an owner authority may name its own account, whose active authority is meant', () => {
  const actives = { alice: good, bob: of(1, { alice: 1 }) };
  assert.deepEqual(warned([update('alice', { owner: of(1, { alice: 1 }) })], actives), []);
  assert.deepEqual(warned([update('alice', { owner: of(1, { bob: 1 }) })], actives), []);
  const [warning] = warned([update('alice', { owner: of(1, { x: 1 }) })], chain);
  assert.deepEqual([warning?.role, warning?.problem, warning?.path], ['owner', 'circle', ['x', 'y', 'x']]);
});

test('what the same transaction sets counts, whatever the order', () => {
  const operations = [update('bob', { active: of(1, { alice: 1 }) }), update('alice', { active: of(1, { bob: 1 }) })];
  for (const each of [operations, operations.toReversed()])
    assert.deepEqual(
      warned(each, chain)
        .map(({ account, problem }) => `${account} ${problem}`)
        .toSorted(),
      ['alice circle', 'bob circle'],
    );
  const mended = [update('x', { active: good }), update('alice', { active: of(1, { y: 1 }) })];
  assert.deepEqual(warned(mended, chain), []);
});

test('the members that nothing ever visits are no reason to refuse to tell: hundreds of accounts are told quickly or not at all', () => {
  const names = Array.from({ length: 260 }, (_, k) => `n${k}`);
  const all = Object.fromEntries(names.map((name) => [name, 1]));
  const actives = Object.fromEntries(names.map((name) => [name, of(1, all)]));
  const [warning] = warned([update('n0', { active: of(1, all) })], actives);
  assert.equal(warning?.problem, 'circle');
  const more = Object.fromEntries(Array.from({ length: 500 }, (_, k) => [`m${k}`, of(1, {}, ['k'])]));
  assert.deepEqual(
    warned([update('alice', { active: of(501, Object.fromEntries(Object.keys(more).map((name) => [name, 1]))) })], more)
      .length,
    1,
  );
});

/** Each kind with an authority in its body, with that authority in every member that sets one. */
const setters: Readonly<Record<string, (authority: Authority) => Operation>> = {
  account_create: (authority) =>
    accountCreate.of({
      fee,
      creator: 'bob',
      name_seed: 'new',
      owner: authority,
      active: authority,
      memo_key: NULL_KEY,
      json_metadata: '',
    }),
  account_update: (authority) => update('alice', { owner: authority, active: authority }),
  request_account_recovery: (authority) =>
    requestAccountRecovery.of({
      fee,
      recovery_account: 'bob',
      account_to_recover: 'alice',
      new_owner_authority: authority,
      extensions: [],
    }),
  recover_account: (authority) =>
    recoverAccount.of({
      fee,
      account_to_recover: 'alice',
      new_owner_authority: authority,
      recent_owner_authority: good,
      extensions: [],
    }),
  reset_account: (authority) =>
    resetAccount.of({ fee, reset_account: 'bob', account_to_reset: 'alice', new_owner_authority: authority }),
};

/** Members that name an authority and set none. */
const NOT_SET = new Set(['recover_account.recent_owner_authority']);

test('every member of every operation that sets an authority is walked', () => {
  for (const kind of Object.values(operationKinds)) {
    const members = Object.entries(kind.describe(neutralEncoding).properties ?? {});
    const names = members
      .filter(([, schema]) => JSON.stringify(schema).includes('weight_threshold'))
      .map(([name]) => name);
    const expected = names.filter((name) => !NOT_SET.has(`${kind.name}.${name}`));
    const make = setters[kind.name];
    assert.equal(make !== undefined, expected.length > 0, `${kind.name}: ${names.join(' ')}`);
    if (make !== undefined) assert.equal(make(of(1)).setAuthorities().length, expected.length, kind.name);
  }
});

test('each kind that sets an authority is warned of, for the account that gets it', () => {
  for (const [name, make] of Object.entries(setters)) {
    const warnings = warned([make(of(2, {}, ['one']))], chain);
    assert.ok(warnings.length > 0 && warnings.every(({ problem }) => problem === 'weights_too_small'), name);
    const account = name === 'account_create' ? nameFromSeed('new') : 'alice';
    assert.ok(
      warnings.every((warning) => warning.account === account),
      name,
    );
    assert.deepEqual(warned([make(good)], chain), [], name);
  }
  const cancelled = setters['request_account_recovery']?.(of(0));
  assert.deepEqual(
    warned(cancelled === undefined ? [] : [cancelled], chain),
    [],
    'a request that is taken back sets nothing',
  );
});

test('an authority is told as impossible exactly when the chain refuses it with every key at hand', () => {
  const names = ['alice', 'b', 'c', 'd', 'e'];
  const some = fc
    .record({
      threshold: fc.integer({ min: 1, max: 4 }),
      accounts: fc.dictionary(fc.constantFrom(...names, 'missing', 'temp'), fc.integer({ min: 0, max: 3 }), {
        maxKeys: 3,
      }),
      keys: fc.uniqueArray(fc.constantFrom('k1', 'k2', ''), { maxLength: 2 }),
    })
    .map(({ threshold, accounts, keys }) => of(threshold, accounts, keys));
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...names), some, { minKeys: 3 }),
      some,
      fc.constantFrom('owner', 'active'),
      fc.constantFrom(1, 2, 3, 4, Infinity),
      (actives, given, role, mostVisits) => {
        const [warning] = warned([update('alice', { [role]: given })], actives, mostVisits);
        const after = role === 'active' ? { ...actives, alice: given } : actives;
        const active = (name: string): Authority => after[name] ?? of(1);
        const walk = new AuthorityWalk({ active, owner: () => given, mostVisits }, () => true);
        const isPossible = unlessRefused(() => walk[role === 'owner' ? 'satisfiesOwner' : 'satisfiesActive']('alice'));
        assert.equal(warning?.isImpossible === true, isPossible !== true);
        if (isPossible === undefined)
          assert.match(warning?.problem ?? '', /^(?:too_many_accounts|empty|weights_too_small)$/);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a transaction that sets no authority is not looked into', () => {
  const none: { setAuthorities(): readonly SetAuthority[] }[] = [{ setAuthorities: () => [] }];
  assert.deepEqual(
    authorityWarnings(none, () => assert.fail('looked up'), Infinity),
    [],
  );
});
