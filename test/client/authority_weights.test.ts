import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { AuthorityWalk } from '../../src/blocks/authority_walk.ts';
import { reachedWeight, type ShownAuthority } from '../../src/client/authority_weights.ts';
import { RandomSource } from '../builders/random_source.ts';

function authority(
  weight_threshold: number,
  keys: ShownAuthority['key_auths'],
  accounts: ShownAuthority['account_auths'] = [],
): ShownAuthority {
  return { weight_threshold, key_auths: keys, account_auths: accounts };
}

test('the weights of keys that have signed add up to the threshold, through accounts of an authority', () => {
  const actives = new Map([
    ['bob', authority(2, [['B', 2]])],
    ['carol', authority(1, [['C', 1]])],
  ]);
  const shop = authority(3, [['A', 1]], [...[['bob', 2] as const], ['carol', 2], ['nobody', 5]]);
  assert.deepEqual(reachedWeight(shop, new Set(['A', 'B']), actives), {
    ...{ threshold: 3, weight: 3, isSatisfied: true },
    members: [
      { key: 'A', weight: 1 },
      {
        ...{ account: 'bob', weight: 2 },
        by: { threshold: 2, weight: 2, isSatisfied: true, members: [{ key: 'B', weight: 2 }], uncounted: [] },
      },
    ],
    uncounted: [
      { account: 'carol', weight: 2 },
      { account: 'nobody', weight: 5 },
    ],
  });
  assert.deepEqual(reachedWeight(shop, new Set(['B']), actives).uncounted[0], { key: 'A', weight: 1 });
  assert.equal(reachedWeight(shop, new Set(['A']), actives).isSatisfied, false);
});

test('accounts are looked into as deep as the chain looks', () => {
  const names = ['one', 'two', 'three'];
  const actives = new Map(names.map((name, at) => [name, authority(1, [[name, 1]], [[names[at + 1] ?? 'none', 1]])]));
  const top = authority(1, [], [['one', 1]]);
  const reach = names.map((name) => reachedWeight(top, new Set([name]), actives).isSatisfied);
  assert.deepEqual(reach, [true, true, false]);
  const active = (name: string): never | ReturnType<AuthorityWalk['lookup']['active']> => {
    const { weight_threshold, key_auths, account_auths } = present(actives.get(name), name);
    return { weight_threshold, key_auths: key_auths.map(([key, weight]) => [key, weight]), account_auths };
  };
  for (const [at, name] of names.entries()) {
    const walk = new AuthorityWalk({ active, owner: active, mostVisits: 10 }, (key) => key === name);
    assert.equal(walk.satisfies({ ...top, key_auths: [], account_auths: [['one', 1]] }), reach[at], name);
  }
});

test('members that have not signed never count, whatever the weights', () => {
  const random = new RandomSource(1);
  for (let round = 0; round < 200; round++) {
    const keys = ['A', 'B', 'C'].map((key) => [key, 1 + random.roll(3)] as const);
    const signed = new Set(keys.filter(() => random.chance(50)).map(([key]) => key));
    const expected = keys.reduce((sum, [key, weight]) => sum + (signed.has(key) ? weight : 0), 0);
    const { weight, isSatisfied } = reachedWeight(authority(4, keys), signed, new Map());
    assert.deepEqual([weight, isSatisfied], [expected, expected >= 4]);
  }
});
