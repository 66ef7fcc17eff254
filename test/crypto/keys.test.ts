import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { normalizeBrainKey, secretOfBrainKey, secretOfSeed } from '../../src/crypto/brain_key.ts';
import { isPoint, derivePublicKey } from '../../src/crypto/keys.ts';
import { decodeWif, encodeWif } from '../../src/crypto/wif.ts';
import { base58Encode } from '../../src/crypto/base58.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { hexBytes, toHex, keyOfText, secretOfWif } from '../builders/recorded_keys.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';
import type { Recorded } from '../builders/recordings.ts';

const sdk = recording('vectors-sdk.json');
const lineage = recording('vectors.json');

function assertKey(secret: Uint8Array, wif: string, key: string): void {
  assert.equal(encodeWif(secret), wif);
  assert.equal(toHex(secretOfWif(wif)), toHex(secret));
  assert.equal(toHex(derivePublicKey(secret)), toHex(keyOfText(key)));
}

const recordedMembers = (value: Recorded): [string, Recorded][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

test('the recorded private keys have the recorded WIF and public key', () => {
  for (const [name, vector] of recordedMembers(member(sdk, 'keys'))) {
    assert.equal(toHex(secretOfSeed(name)), recordedText(vector, 'secret'));
    assertKey(hexBytes(recordedText(vector, 'secret')), recordedText(vector, 'wif'), recordedText(vector, 'pub'));
  }
  for (const [, vector] of recordedMembers(member(lineage, 'test_keys'))) {
    assertKey(hexBytes(recordedText(vector, 'secret_hex')), recordedText(vector, 'wif'), recordedText(vector, 'pub'));
  }
});

test('brain keys derive the recorded secrets', () => {
  for (const vector of recordedList(sdk, 'node.brain_keys')) {
    const secret = secretOfBrainKey(recordedText(vector, 'brain_key'), Number(member(vector, 'sequence')));
    assert.equal(toHex(secret), recordedText(vector, 'secret'));
    assertKey(secret, recordedText(vector, 'wif'), recordedText(vector, 'pub'));
  }
  for (const vector of recordedList(lineage, 'brain_keys')) {
    assertKey(
      secretOfBrainKey(recordedText(vector, 'brain_key')),
      recordedText(vector, 'wif_priv_key'),
      recordedText(vector, 'pub_key'),
    );
  }
});

test('a brain key is normalised to capitals and single blanks, and nothing else is changed', () => {
  assert.equal(normalizeBrainKey(' \t one\n\n two\v\f žlutý\r'), 'ONE TWO žLUTý');
});

test('a WIF is read with a single or double checksum, any version byte and a compression byte', () => {
  const secret = secretOfSeed('alice');
  const withChecksum = (body: Uint8Array, checksum: Uint8Array): string =>
    base58Encode(Buffer.concat([body, checksum.subarray(0, 4)]));
  const body = Buffer.concat([Buffer.from([0x80]), secret]);
  const other = Buffer.concat([Buffer.from([0x12]), secret, Buffer.from([1])]);
  assert.equal(toHex(decodeWif(withChecksum(body, sha256(body)))), toHex(secret));
  assert.equal(toHex(decodeWif(withChecksum(other, sha256(sha256(other))))), toHex(secret));
  assert.equal(decodeWif(withChecksum(body, new Uint8Array(4))), undefined);
  for (const text of ['', '1', '0OIl', encodeWif(secret).slice(1), `${encodeWif(secret)}1`])
    assert.equal(decodeWif(text), undefined);
});

test('a point is recognised as noble recognises it', () => {
  const key = fc.uint8Array({ minLength: 33, maxLength: 33 }).map((bytes) => {
    bytes[0] = 2 + ((bytes[0] ?? 0) % 3);
    return bytes;
  });
  const isNoblePoint = (bytes: Uint8Array): boolean => {
    try {
      secp256k1.Point.fromBytes(bytes);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(key, (bytes) => isPoint(bytes) === isNoblePoint(bytes)),
    { numRuns: 300 },
  );
  assert.ok(!isPoint(new Uint8Array(33)));
  assert.ok(!isPoint(hexBytes('02fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc30')));
  assert.ok(!isPoint(secp256k1.Point.BASE.toBytes(false)));
});

test('public keys are those of noble', () => {
  for (let i = 0; i < 200; i++) {
    const secret = sha256(Buffer.from(`secret ${i}`));
    assert.deepEqual(Buffer.from(derivePublicKey(secret) ?? []), Buffer.from(secp256k1.getPublicKey(secret)));
  }
});
