import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasValidHeader, isFcCanonical, isLooselyCanonical, isLowS } from '../../src/crypto/canonical.ts';
import { hexBytes, toHex, keyOfText } from '../builders/recorded_keys.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const aboveHalf = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1';
const looseBound = 'a0201b68462fe9df1d50a457736e575dffffffffffffffffffffffffffffff7f';
const aboveLoose = 'a0201b68462fe9df1d50a457736e575dffffffffffffffffffffffffffffff80';
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const largest = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140';
const zero = '0'.repeat(64);
const plain = '11'.repeat(32);

const signature = (r: string, s: string, header = '1f'): Uint8Array => hexBytes(header + r + s);

test('the recorded verdicts about the first byte of s hold for both rules', () => {
  for (const vector of recordedList(recording('vectors-sdk.json'), 'node.canonical_rule')) {
    const first = Number(member(vector, 's_first_byte')).toString(16).padStart(2, '0');
    const candidate = signature(plain, first + '11'.repeat(31));
    assert.equal(isLooselyCanonical(candidate), member(vector, 'bip_rule_accepts'));
    assert.equal(isFcCanonical(candidate), member(vector, 'fc_rule_accepts'));
  }
});

test('the recorded node accepts exactly the signatures that pass the loose bound and recover to the key', () => {
  for (const vector of recordedList(recording('vectors.json'), 'signature_canonicality')) {
    const recorded = typeof vector === 'object' && vector !== null && 'signed_transaction' in vector;
    const text = recorded
      ? String(recordedList(vector, 'signed_transaction.signatures')[0])
      : recordedText(vector, 'signature');
    const candidate = hexBytes(text);
    const isAccepted = hasValidHeader(candidate) && isLooselyCanonical(candidate);
    assert.equal(isAccepted, member(vector, recorded ? 'accepted' : 'valid_per_node'));
    if (recorded) continue;
    const key = recoverKey(hexBytes(recordedText(vector, 'digest')), candidate);
    assert.equal(toHex(key), toHex(keyOfText(recordedText(vector, 'pub_key'))));
  }
});

test('low s is decided at n/2, and r and s lie in 1..n−1', () => {
  assert.ok(isLowS(signature(plain, halfOrder)));
  assert.ok(!isLowS(signature(plain, aboveHalf)));
  assert.ok(isLowS(signature(largest, plain)));
  for (const [r, s] of [
    [zero, plain],
    [plain, zero],
    [order, plain],
    [plain, order],
  ] as const)
    assert.ok(!isLowS(signature(r, s)));
});

test('the loose bound accepts its own bytes and refuses the next, whatever r is', () => {
  for (const r of [plain, zero, order, 'ff'.repeat(32)]) {
    assert.ok(isLooselyCanonical(signature(r, looseBound)));
    assert.ok(isLooselyCanonical(signature(r, halfOrder)));
    assert.ok(!isLooselyCanonical(signature(r, aboveLoose)));
  }
});

test('the fc rule wants r and s to fill 32 bytes of DER exactly', () => {
  const numbers: [string, boolean][] = [
    ['7f' + 'ff'.repeat(31), true],
    ['80' + '00'.repeat(31), false],
    ['0080' + '00'.repeat(30), true],
    ['007f' + 'ff'.repeat(30), false],
    ['01' + '00'.repeat(31), true],
    [zero, false],
  ];
  for (const [number, fits] of numbers) {
    assert.equal(isFcCanonical(signature(number, plain)), fits);
    assert.equal(isFcCanonical(signature(plain, number)), fits);
  }
});

test('a header byte is accepted from 27 to 34, and a signature has 65 bytes', () => {
  for (let header = 0; header < 256; header++) {
    const candidate = signature(plain, plain, header.toString(16).padStart(2, '0'));
    assert.equal(hasValidHeader(candidate), header >= 27 && header <= 34);
  }
  assert.ok(!hasValidHeader(new Uint8Array(64).fill(31)));
  assert.ok(!hasValidHeader(new Uint8Array(66).fill(31)));
});
