import assert from 'node:assert/strict';
import { test } from 'node:test';

import { base58Encode } from '../../src/crypto/base58.ts';
import { KeySearch, MOST_WIFS, findSecrets } from '../../src/crypto/leaked_keys.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { encodeWif } from '../../src/crypto/wif.ts';

const findSpelledSecrets = (text: string): readonly Uint8Array[] => new KeySearch().secretsIn(text);

const hex = (secrets: readonly Uint8Array[]): string[] => secrets.map((secret) => Buffer.from(secret).toString('hex'));

// The first test vector of BIP 32: the master key of seed 000102030405060708090a0b0c0d0e0f.
const EXTENDED =
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
const EXTENDED_PUBLIC =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';

test('an extended key of BIP 32 gives its private key away, an extended public key and a misspelt one nothing', () => {
  assert.deepEqual(hex(findSecrets(EXTENDED, 'alice', [])), [
    'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35',
  ]);
  assert.deepEqual(findSecrets(EXTENDED_PUBLIC, 'alice', []), []);
  assert.deepEqual(findSecrets(EXTENDED.replace('9', '8'), 'alice', []), []);
});

test('a WIF gives its key away, whatever checksum it has', () => {
  const wif = '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt';
  assert.equal(findSecrets(wif, 'alice', []).length, 1);
  assert.deepEqual(findSecrets(`${wif.slice(0, -1)}x`, 'alice', []), []);
});

test('any text is a password, which makes one key for each role of the account', () => {
  const made = ['aliceownertext', 'aliceactivetext'].map((seed) => sha256(Buffer.from(seed)));
  assert.deepEqual(hex(findSecrets('text', 'alice', ['owner', 'active'])), hex(made));
});

test('texts that nobody would write cost no time', () => {
  assert(findSecrets('1'.repeat(2047), 'alice', []).length <= 64);
  assert(findSecrets(base58Encode(new Uint8Array(82)), 'alice', []).length <= 8);
});

const SECRET = sha256(Buffer.from('a key that somebody pastes'));
const WIF = encodeWif(SECRET);
const HEX = Buffer.from(SECRET).toString('hex');
const RECORD = Buffer.concat([Uint8Array.of(0x80), SECRET]);
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
const asHex = (text: string): string => Buffer.from(text).toString('hex');
const compressed = Buffer.concat([RECORD, Uint8Array.of(1)]);
const COMPRESSED_WIF = base58Encode(Buffer.concat([compressed, sha256(sha256(compressed)).subarray(0, 4)]));

/** The spellings of a key, by people and programs. */
const spellings: Readonly<Record<string, string>> = {
  'a WIF': WIF,
  'a compressed WIF': `the key: ${COMPRESSED_WIF}.`,
  'a WIF with blanks around it': `  ${WIF}\n`,
  'a WIF in a sentence': `my key is ${WIF}, keep it`,
  'a WIF at the end of a sentence': `Here it is: ${WIF}.`,
  'a WIF in quotes': `"${WIF}"`,
  'a WIF in brackets': `(${WIF})`,
  'a WIF in JSON': JSON.stringify({ user: 'alice', wif: WIF }),
  'a WIF in the query of a URL': `https://wallet.example/import?key=${WIF}&account=alice`,
  'a WIF in the path of a URL': `https://wallet.example/import/${WIF}/alice`,
  'a WIF behind a word': `wif=${WIF};`,
  'a WIF stuck to a word': `key${WIF}key`,
  'a WIF in lines': `owner\n${WIF}\nactive`,
  'the hex of the key': HEX,
  'the hex of the key in capitals': `KEY ${HEX.toUpperCase()}`,
  'the hex of the key behind 0x': `{"privateKey":"0x${HEX}"}`,
  'the hex of the record of a WIF': Buffer.concat([RECORD, sha256(sha256(RECORD)).subarray(0, 4)]).toString('hex'),
  'the hex of a WIF': `seed ${asHex(WIF)}`,
  'the hex of a text with a WIF': asHex(`my key: ${WIF}`),
  'the base64 of the key': base64(SECRET),
  'the base64 of a WIF': base64(WIF),
  'the base64 of a sentence with a WIF': `data:text/plain;base64,${base64(`keep ${WIF} safe`)}`,
  'the base64url of JSON with the hex of the key': Buffer.from(JSON.stringify({ key: HEX })).toString('base64url'),
  'the base64 of the key in a URL': `https://wallet.example/k/${Buffer.from(SECRET).toString('base64url')}`,
};

for (const [name, text] of Object.entries(spellings)) {
  test(`${name} gives the key away`, () => assert(hex(findSpelledSecrets(text)).includes(HEX), text));
}

test('what is cut into pieces, reversed or encoded otherwise is not found, as the documents say', () => {
  for (const text of [
    `${WIF.slice(0, 25)} ${WIF.slice(25)}`,
    [...WIF].toReversed().join(''),
    base64(base64(base64(WIF))),
    WIF.replace('5', '5\u200b'),
  ]) {
    assert(!hex(findSpelledSecrets(text)).includes(HEX), text);
  }
});

test('plain texts hold no candidate, and the worst ones few', () => {
  assert.deepEqual(
    findSpelledSecrets('invoice 4711, thank you for the quick delivery of the spare parts; see you in spring'),
    [],
  );
  for (const piece of ['5H', '5J5K', 'L', 'ab', HEX, 'f'.repeat(63), `${WIF} `, base64(WIF)]) {
    const text = piece.repeat(5000).slice(0, 200_000);
    const search = new KeySearch();
    const found = [text, text, text].flatMap((each) => search.secretsIn(each));
    assert(found.length <= 112, `${found.length} of ${piece}`);
  }
});

test('a key is found at every place of a text, whatever surrounds it', () => {
  for (let before = 0; before < 120; before++) {
    for (const filler of [' ', 'é', 'plain words, ']) {
      const around = filler.repeat(120).slice(0, before);
      assert(hex(findSpelledSecrets(`${around} ${WIF} ${around}`)).includes(HEX), `${before} of ${filler}`);
      assert(hex(findSpelledSecrets(`${around} ${HEX}`)).includes(HEX), `${before} of ${filler}`);
    }
  }
});

test('texts with more WIFs than an account has keys are told from others, together as alone', () => {
  const wifs = Array.from({ length: MOST_WIFS + 1 }, (_, index) => encodeWif(sha256(Buffer.from(`key ${index}`))));
  const growsLinearly = (texts: readonly string[]): boolean => {
    const search = new KeySearch();
    for (const text of texts) search.secretsIn(text);
    return search.holdsTooMany;
  };
  assert(growsLinearly([wifs.join('\n')]));
  assert(growsLinearly([JSON.stringify(wifs)]));
  assert(growsLinearly(wifs));
  assert(!growsLinearly([wifs.slice(1).join('\n')]));
  assert(!growsLinearly([`${'0'.repeat(64)} `.repeat(1000)]), 'hashes are no WIFs');
});
