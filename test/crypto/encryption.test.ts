import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base58Decode, base58Encode } from '../../src/crypto/base58.ts';
import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { decryptData, encryptData } from '../../src/crypto/encrypted_data.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { messageCheck, messageKey } from '../../src/crypto/memo_cipher.ts';
import { sharedSecret } from '../../src/crypto/shared_secret.ts';
import { decryptMemo, encryptMemo, parseMemo } from '../../src/crypto/wallet_memo.ts';
import { present } from '../../src/base/assert.ts';
import { toHex, keyOfText, secretOfWif } from '../builders/recorded_keys.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const sdk = recording('vectors-sdk.json');
const keyNamed = (name: string): Uint8Array => present(derivePublicKey(secretOfSeed(name)), 'the key');
const toText = (data: Uint8Array | string): string =>
  typeof data === 'string' ? `failure: ${data}` : Buffer.from(data).toString('utf8');

test('encrypted data is that of the recorded node in every step', () => {
  const vectors = recordedList(sdk, 'node.encrypt_data');
  for (const vector of vectors) {
    const [from, to] = [recordedText(vector, 'from'), recordedText(vector, 'to')];
    const nonce = BigInt(recordedText(vector, 'nonce'));
    const shared = present(sharedSecret(secretOfSeed(from), keyNamed(to)), 'the shared secret');
    const key = messageKey(nonce, shared);
    assert.equal(toHex(shared), recordedText(vector, 'shared_secret'));
    assert.equal(toHex(key), recordedText(vector, 'encryption_key'));
    assert.equal(Buffer.from(messageCheck(key)).readBigUInt64LE().toString(), recordedText(vector, 'check'));
    const message = Buffer.from(recordedText(vector, 'message'));
    assert.equal(encryptData(message, secretOfSeed(from), keyNamed(to), nonce), recordedText(vector, 'base58'));
    assert.equal(
      toText(decryptData(recordedText(vector, 'base58'), secretOfSeed(to), keyNamed(from))),
      message.toString(),
    );
  }
});

test('wallet memos are those of the recorded node, and both sides read them', () => {
  for (const vector of recordedList(sdk, 'node.encrypt_data')) {
    const [from, to] = [recordedText(vector, 'from'), recordedText(vector, 'to')];
    const text = recordedText(vector, 'message');
    const memo = recordedText(vector, 'wallet_memo');
    assert.equal(encryptMemo(text, secretOfSeed(from), keyNamed(to), BigInt(recordedText(vector, 'nonce'))), memo);
    const parsed = present(parseMemo(memo), 'the memo');
    assert.equal(Buffer.from(parsed.check).readUInt32LE(), member(vector, 'wallet_check'));
    assert.equal(decryptMemo(parsed, secretOfSeed(to), parsed.from), text);
    assert.equal(decryptMemo(parsed, secretOfSeed(from), parsed.to), text);
    assert.equal(decryptMemo(parsed, secretOfSeed('stranger'), parsed.to), undefined);
  }
});

test('records of the recorded API are read by sender and recipient', () => {
  for (const vector of recordedList(recording('vectors.json'), 'encryption')) {
    const sender = secretOfWif(recordedText(vector, 'sender_private'));
    const recipient = secretOfWif(recordedText(vector, 'recipient_private'));
    const record = recordedText(vector, 'encrypted');
    assert.equal(
      toText(decryptData(record, sender, keyOfText(recordedText(vector, 'recipient_public')))),
      recordedText(vector, 'data'),
    );
    assert.equal(
      toText(decryptData(record, recipient, keyOfText(recordedText(vector, 'sender_public')))),
      recordedText(vector, 'data'),
    );
  }
});

test('the shared secret of the SDK is the same', () => {
  for (const vector of recordedList(sdk, 'sdk.encrypt')) {
    const shared = sharedSecret(secretOfSeed(recordedText(vector, 'from')), keyNamed(recordedText(vector, 'to')));
    assert.equal(toHex(shared), recordedText(vector, 'shared_secret'));
  }
});

test('any data comes back, and a stranger gets nothing', () => {
  const [alice, bob] = [secretOfSeed('alice'), secretOfSeed('bob')];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (data, nonce) => {
      const record = present(encryptData(data, alice, keyNamed('bob'), nonce), 'the record');
      const read = decryptData(record, bob, keyNamed('alice'));
      assert.ok(typeof read !== 'string');
      assert.deepEqual(Buffer.from(read), Buffer.from(data));
      assert.equal(decryptData(record, bob, keyNamed('carol')), 'wrong_key');
    }),
    { numRuns: 30 },
  );
});

test('a damaged record is refused without an exception', () => {
  const record = present(encryptData(Buffer.from('hello'), secretOfSeed('alice'), keyNamed('bob'), 1n), 'the record');
  const bytes = present(base58Decode(record), 'the bytes');
  const read = (damaged: Uint8Array): unknown =>
    decryptData(base58Encode(damaged), secretOfSeed('bob'), keyNamed('alice'));
  assert.equal(read(Buffer.concat([bytes, new Uint8Array(1)])), 'not_a_record');
  assert.equal(read(bytes.subarray(0, 32)), 'not_a_record');
  assert.equal(decryptData('1'.repeat(40), secretOfSeed('bob'), keyNamed('alice')), 'not_a_record');
  assert.equal(decryptData('0'.repeat(60), secretOfSeed('bob'), keyNamed('alice')), 'not_a_record');
  for (let i = 0; i < bytes.length; i++) {
    const damaged = Uint8Array.from(bytes);
    damaged[i] = (damaged[i] ?? 0) ^ 1;
    read(damaged);
  }
  assert.equal(sharedSecret(secretOfSeed('bob'), new Uint8Array(33)), undefined);
});
