import assert from 'node:assert/strict';
import { test } from 'node:test';

import { base58Encode } from '../../src/crypto/base58.ts';
import { secretsIn } from '../../src/crypto/leaked_keys.ts';
import { sha256 } from '../../src/crypto/hashes.ts';

const hex = (secrets: readonly Uint8Array[]): string[] => secrets.map((secret) => Buffer.from(secret).toString('hex'));

// The first test vector of BIP 32: the master key of seed 000102030405060708090a0b0c0d0e0f.
const EXTENDED = 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
const EXTENDED_PUBLIC = 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';

test('an extended key of BIP 32 gives its private key away, an extended public key and a misspelt one nothing', () => {
  assert.deepEqual(hex(secretsIn(EXTENDED, 'alice', [])), ['e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35']);
  assert.deepEqual(secretsIn(EXTENDED_PUBLIC, 'alice', []), []);
  assert.deepEqual(secretsIn(EXTENDED.replace('9', '8'), 'alice', []), []);
});

test('a WIF gives its key away, whatever checksum it has', () => {
  const wif = '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt';
  assert.equal(secretsIn(wif, 'alice', []).length, 1);
  assert.deepEqual(secretsIn(`${wif}x`, 'alice', []), []);
});

test('any text is a password, which makes one key for each role of the account', () => {
  const made = ['aliceownertext', 'aliceactivetext'].map((seed) => sha256(Buffer.from(seed)));
  assert.deepEqual(hex(secretsIn('text', 'alice', ['owner', 'active'])), hex(made));
});

test('texts that nobody would write cost no time', () => {
  assert.deepEqual(secretsIn('1'.repeat(2047), 'alice', []), []);
  assert.deepEqual(secretsIn(base58Encode(new Uint8Array(82)), 'alice', []), []);
});
