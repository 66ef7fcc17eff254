import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import {
  accountAuthority,
  authority,
  isImpossible,
  keyAuthority,
  namesPlainAccounts,
  sameAuthority,
} from '../../src/values/authority.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';

const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;
const key = (digit: string): string => `02${digit.repeat(64)}`;
const keyText = (digit: string): string => publicKeyText(key(digit), encoding.keyPrefix);

test('members are held in the order of names and keys, the first of equals counts', () => {
  const read = authority.fromJson(
    {
      weight_threshold: 2,
      account_auths: [
        ['zed', 1],
        ['Bob', 2],
        ['zed', 9],
        ['0zed', 3],
      ],
      key_auths: [
        [keyText('b'), 1],
        [keyText('a'), 2],
      ],
    },
    encoding,
  );
  const sorted = [
    ['Bob', 2],
    ['zed', 1],
    ['0zed', 3],
  ];
  assert.deepEqual(read.account_auths, sorted);
  assert.deepEqual(read.key_auths, [
    [key('a'), 2],
    [key('b'), 1],
  ]);
  const out = new ByteWriter();
  authority.write(out, read);
  assert.deepEqual(authority.read(new ByteReader(out.view())), read);
});

test('weights fit 16 bits', () => {
  const withWeight = (weight: number): object =>
    authority.fromJson({ weight_threshold: 1, account_auths: [['bob', weight]], key_auths: [] }, encoding);
  assert.ok(withWeight(65_535));
  for (const weight of [65_536, -1, 1.5])
    assert.throws(() => withWeight(weight), { code: 'bad_value', message: /^account_auths\[0\]\[1\]: / });
});

test('an authority whose weights stay below its threshold is impossible', () => {
  assert.ok(isImpossible({ ...keyAuthority(key('a')), weight_threshold: 2 }));
  assert.ok(!isImpossible({ ...keyAuthority(key('a')), account_auths: [['bob', 1]], weight_threshold: 2 }));
  assert.ok(!isImpossible({ weight_threshold: 0, account_auths: [], key_auths: [] }));
});

test('plain names are told from generated ones, and keys do not matter', () => {
  assert.ok(namesPlainAccounts(accountAuthority('bob')) && namesPlainAccounts(keyAuthority(key('a'))));
  assert.ok(!namesPlainAccounts(accountAuthority('8I1Pt6T2ovPJgEhTaMPP3Qv4uCo')));
});

test('authorities are the same when threshold, members and weights are', () => {
  const one = { ...keyAuthority(key('a')), account_auths: [['bob', 1]] } as const;
  assert.ok(sameAuthority(one, structuredClone(one)));
  const others = [
    { ...one, weight_threshold: 2 },
    { ...one, account_auths: [] },
    { ...one, account_auths: [['bob', 2]] },
    {
      ...one,
      account_auths: [
        ['bob', 1],
        ['carol', 1],
      ],
    },
    { ...one, key_auths: [[key('b'), 1]] },
  ] as const;
  for (const other of others) assert.ok(!sameAuthority(one, other));
});
