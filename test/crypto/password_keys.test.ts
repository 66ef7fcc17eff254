import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { passwordKeyEnds, secretKeyEnds, type Password } from '../../src/crypto/password_keys.ts';
import { cryptoModule } from '../../src/crypto/wasm.ts';
import { isLong } from '../builders/forms.ts';

const ROLES = ['owner', 'active', 'posting'];

type KeyOf = (secret: Uint8Array) => Uint8Array;
const ours: KeyOf = (secret) => derivePublicKey(secret) ?? assert.fail('a key');
const nobles: KeyOf = (secret) => secp256k1.getPublicKey(secret, true);

/** Returns the ends of keys that are each made alone. */
const passwordEnds = (keyOf: KeyOf, passwords: readonly Password[], roles = ROLES): number[] =>
  passwords.flatMap(({ account, text }) =>
    roles.map((role) => Buffer.from(keyOf(secretOfSeed(account + role + text))).readUInt32BE(29)),
  );

const numbered = (count: number, from = 0): Password[] =>
  Array.from({ length: count }, (_, index) => ({ account: `account-${index % 7}`, text: `payment ${from + index}` }));

test('the keys of many passwords are those of each alone, however many there are', () => {
  for (const count of [0, 1, 2, 3, 42, 43, 341, 1024, 1025, ...(isLong ? [128, 1023, 2500] : [])]) {
    const passwords = numbered(count, count * 10_000);
    assert.deepEqual([...passwordKeyEnds(passwords, ROLES)], passwordEnds(ours, passwords), `${count} passwords`);
  }
});

test('one role makes one key of each text, in any number', () => {
  for (const count of [1, 4, 5, 127, 128, 129, 255, 256, 257]) {
    const passwords = numbered(count, count * 1000);
    assert.deepEqual(
      [...passwordKeyEnds(passwords, ['memo'])],
      passwordEnds(ours, passwords, ['memo']),
      `${count} passwords`,
    );
  }
});

test('noble makes the same keys', () => {
  const passwords = numbered(60);
  assert.deepEqual([...passwordKeyEnds(passwords, ROLES)], passwordEnds(nobles, passwords));
});

test('names, roles and texts of any length and alphabet are taken as their UTF-8 bytes', () => {
  const password = fc.record({
    account: fc.string({ maxLength: 40, unit: 'binary' }),
    text: fc.oneof(
      fc.string({ maxLength: 2047, unit: 'binary' }),
      fc.nat(2047).map((length) => 'ж'.repeat(length)),
    ),
  });
  const roles = fc.array(fc.string({ maxLength: 16, unit: 'grapheme-ascii' }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(password, { maxLength: 40 }), roles, (passwords, names) => {
      assert.deepEqual([...passwordKeyEnds(passwords, names)], passwordEnds(ours, passwords, names));
    }),
    { numRuns: 30 },
  );
});

test('texts are left nowhere where they were read', () => {
  passwordKeyEnds(numbered(1500), ROLES);
  const { texts, keyEnds } = cryptoModule();
  assert.ok(texts.every((byte) => byte === 0));
  assert.ok(keyEnds.every((end) => end === 0));
});

test('private keys make the ends of their public keys, in any number; those out of range make none', () => {
  for (const count of [0, 1, 128, 129, 2049]) {
    const secrets = Array.from({ length: count }, (_, index) => secretOfSeed(`secret ${count} ${index}`));
    assert.deepEqual(
      [...secretKeyEnds(secrets)],
      secrets.map((secret) => Buffer.from(ours(secret)).readUInt32BE(29)),
    );
  }
  const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
  const over = Uint8Array.from(order).with(31, 0x42);
  const last = Uint8Array.from(order).with(31, 0x40);
  const ends = [...secretKeyEnds([new Uint8Array(32), order, over, new Uint8Array(32).fill(0xff), last])];
  assert.deepEqual(ends, [0, 0, 0, 0, Buffer.from(ours(last)).readUInt32BE(29)]);
  assert(
    cryptoModule().texts.every((byte) => byte === 0),
    'no secret stays',
  );
});
