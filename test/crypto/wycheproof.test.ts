import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { isLowS } from '../../src/crypto/canonical.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { verifySigners } from '../../src/crypto/verify_signers.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import { verify } from '../../src/crypto/verify.ts';
import { hexBytes, toHex } from '../builders/recorded_keys.ts';
import { recordedList, member, recordedText } from '../builders/recordings.ts';
import type { Recorded } from '../builders/recordings.ts';

interface Vector {
  name: string;
  digest: Uint8Array;
  /** r and s, 64 bytes, or undefined where the encoding is wrong. */
  rs: Uint8Array | undefined;
  key: Uint8Array;
  isValid: boolean;
}

function compress(uncompressed: string): Uint8Array {
  const isOdd = Number.parseInt(uncompressed.slice(-1), 16) % 2 === 1;
  return hexBytes((isOdd ? '03' : '02') + uncompressed.slice(2, 66));
}

function vectors(file: string, readSignature: (bytes: Uint8Array) => Uint8Array | undefined): Vector[] {
  // From build/test/crypto/ to test/crypto/wycheproof/.
  const parsed: Recorded = JSON.parse(
    readFileSync(new URL(`../../../test/crypto/wycheproof/${file}`, import.meta.url), 'utf8'),
  );
  return recordedList(parsed, 'testGroups').flatMap((group) =>
    recordedList(group, 'tests').map((vector) => ({
      name: `${String(member(vector, 'tcId'))} ${recordedText(vector, 'comment')}`,
      digest: sha256(hexBytes(recordedText(vector, 'msg'))),
      rs: readSignature(hexBytes(recordedText(vector, 'sig'))),
      key: compress(recordedText(group, 'publicKey.uncompressed')),
      isValid: recordedText(vector, 'result') === 'valid',
    })),
  );
}

/** One integer of strict DER, as 32 bytes; undefined when negative, padded or too long. */
function readInteger(der: Uint8Array, at: number): { number: Uint8Array; end: number } | undefined {
  const length = der[at + 1] ?? 0;
  const first = der[at + 2] ?? 0x80;
  const end = at + 2 + length;
  const isPadded = length > 1 && first === 0 && (der[at + 3] ?? 0) < 0x80;
  if (der[at] !== 2 || length === 0 || length > 33 || end > der.length || first >= 0x80 || isPadded) return undefined;
  const digits = der.subarray(first === 0 ? at + 3 : at + 2, end);
  return digits.length > 32 ? undefined : { number: Buffer.concat([new Uint8Array(32 - digits.length), digits]), end };
}

function readDer(der: Uint8Array): Uint8Array | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der.length > 72) return undefined;
  const r = readInteger(der, 2);
  const s = r && readInteger(der, r.end);
  return r === undefined || s?.end !== der.length ? undefined : Buffer.concat([r.number, s.number]);
}

const withHeader = (header: number, rs: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(header), rs]);

/** The headers under which recovery gives the key. */
function signatureHeaders({ digest, rs, key }: Vector): number[] {
  return rs === undefined
    ? []
    : [31, 32, 33, 34].filter((header) => toHex(recoverKey(digest, withHeader(header, rs))) === toHex(key));
}

const plain = vectors('ecdsa_secp256k1_sha256_p1363_test.json', (bytes) => (bytes.length === 64 ? bytes : undefined));
const bitcoin = vectors('ecdsa_secp256k1_sha256_bitcoin_test.json', readDer);

test('verification and recovery give the published verdicts (r and s in 64 bytes)', () => {
  assert.equal(plain.length, 252);
  for (const vector of plain) {
    const isVerified = vector.rs !== undefined && verify(vector.digest, withHeader(31, vector.rs), vector.key);
    assert.equal(isVerified, vector.isValid, vector.name);
    assert.equal(signatureHeaders(vector).length, vector.isValid ? 1 : 0, vector.name);
  }
});

test('with low s demanded, they give the published verdicts for DER signatures', () => {
  assert.equal(bitcoin.length, 463);
  for (const vector of bitcoin) {
    const isLow = vector.rs !== undefined && isLowS(withHeader(31, vector.rs));
    assert.equal(isLow && signatureHeaders(vector).length === 1, vector.isValid, vector.name);
  }
});

test('one batch of all vectors proves exactly the valid ones, under any header', () => {
  const items = plain.filter(({ rs }) => rs !== undefined);
  const headers = items.map((vector) => signatureHeaders(vector)[0] ?? 31);
  const batch = {
    count: items.length,
    digests: Buffer.concat(items.map(({ digest }) => digest)),
    signatures: Buffer.concat(items.map(({ rs }, i) => withHeader(headers[i] ?? 31, present(rs, 'r and s')))),
    expected: Uint16Array.from(items.keys()),
    keys: Buffer.concat(items.map(({ key }) => key)),
  };
  assert.deepEqual(
    [...verifySigners(batch).verified],
    items.map(({ isValid }) => (isValid ? 1 : 0)),
  );
  const valid = items.flatMap(({ isValid }, i) => (isValid ? [i] : []));
  const pick = (list: Uint8Array, size: number): Uint8Array =>
    Buffer.concat(valid.map((i) => list.subarray(i * size, i * size + size)));
  const proof = verifySigners({
    count: valid.length,
    digests: pick(batch.digests, 32),
    signatures: pick(batch.signatures, 65),
    expected: Uint16Array.from(valid.keys()),
    keys: pick(batch.keys, 33),
  });
  assert.ok(proof.verified.every((verdict) => verdict === 1));
});
