import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import {
  certificate,
  compareViews,
  requireCertificate,
  type Certificate,
} from '../../../src/blocks/finality/certificate.ts';
import { NO_VOTERS, voteDigest, voteSubject, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { ByteReader, ByteWriter } from '../../../src/codec/bytes.ts';
import { sha512 } from '../../../src/crypto/hashes.ts';
import { derivePublicKey } from '../../../src/crypto/keys.ts';
import { verify } from '../../../src/crypto/verify.ts';
import type { PublicKey } from '../../../src/values/public_key.ts';
import { encoding, testSecret } from '../../builders/chain.ts';
import { quickSignature } from '../../builders/quick_signature.ts';

const CHAIN = 'ab'.repeat(32);
const secrets = new Map(
  ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace'].map((name) => [
    Buffer.from(present(derivePublicKey(testSecret(name)), 'a key')).toString('hex'),
    testSecret(name),
  ]),
);
const voters = epochVoters(CHAIN, 5, [...secrets.keys()]);
const subject: VoteSubject = {
  epoch: 5,
  voters: voters.digest,
  view: 600_000_000,
  kind: 'commit',
  block: '00000101'.padEnd(40, '7'),
  header: '11'.repeat(32),
  root: '22'.repeat(32),
  next_voters: NO_VOTERS,
};

const verifies = (digest: Uint8Array, signature: string, key: PublicKey): boolean =>
  verify(digest, Buffer.from(signature, 'hex'), Buffer.from(key, 'hex'));

function signed(signers: readonly number[], what = subject, chain = CHAIN, by: Voters = voters): Certificate {
  const digest = voteDigest(chain, what);
  const signatures = signers.map((voter) => ({
    voter,
    signature: quickSignature(digest, present(secrets.get(by.keys[voter] ?? ''), 'a secret')),
  }));
  return { subject: what, signatures };
}

const refusedAs = (given: Certificate, by = voters): string | undefined =>
  catchRefusal(() => requireCertificate(CHAIN, given, by, verifies))?.code;

test('five of seven voters make a certificate, whoever they are', () => {
  for (const signers of [
    [0, 1, 2, 3, 4],
    [2, 3, 4, 5, 6],
    [0, 1, 2, 3, 4, 5, 6],
  ])
    assert.equal(refusedAs(signed(signers)), undefined);
});

test('a certificate with fewer votes, of other voters, of another chain or with a forged signature is refused', () => {
  const five = [0, 1, 2, 3, 4];
  const right = signed(five);
  assert.equal(refusedAs(signed([0, 1, 2, 3])), 'certificate_lacks_votes');
  assert.equal(refusedAs({ subject, signatures: [] }), 'certificate_lacks_votes');
  assert.equal(refusedAs(signed(five, { ...subject, epoch: 6 })), 'certificate_of_other_voters');
  assert.equal(refusedAs(right, epochVoters(CHAIN, 5, voters.keys.slice(1))), 'certificate_of_other_voters');
  assert.equal(refusedAs(signed(five, subject, 'cd'.repeat(32))), 'certificate_is_forged');
  const forged = { voter: 7, signature: present(right.signatures[0], 'a signature').signature };
  assert.equal(refusedAs({ subject, signatures: [...right.signatures, forged] }), 'certificate_names_no_voter');
  assert.equal(
    refusedAs({ subject, signatures: right.signatures.with(4, { ...forged, voter: 5 }) }),
    'certificate_is_forged',
  );
});

test('each thing that is stated is signed', () => {
  const right = signed([0, 1, 2, 3, 4]);
  const changes: Partial<VoteSubject>[] = [
    { view: subject.view + 1 },
    { kind: 'prepare' },
    { block: '00000102'.padEnd(40, '7') },
    { header: '12'.repeat(32) },
    { root: '23'.repeat(32) },
    { next_voters: '34'.repeat(32) },
  ];
  for (const change of changes)
    assert.equal(
      refusedAs({ ...right, subject: { ...subject, ...change } }),
      'certificate_is_forged',
      JSON.stringify(change),
    );
  const digests = [{}, { epoch: 6 }, { voters: '56'.repeat(32) }, ...changes].map((change) =>
    voteDigest(CHAIN, { ...subject, ...change }),
  );
  assert.equal(new Set(digests.map((digest) => Buffer.from(digest).toString('hex'))).size, digests.length);
});

test('what a voter signs is half of a sha512, so that it is the signature of no block and no transaction', () => {
  const out = new ByteWriter();
  out.bytes(Buffer.from('pharos vote'));
  out.hex(CHAIN);
  voteSubject.write(out, subject);
  assert.deepEqual(Buffer.from(voteDigest(CHAIN, subject)), Buffer.from(sha512(out.finish()).subarray(0, 32)));
});

const encodeCertificate = (value: Certificate): Uint8Array => {
  const out = new ByteWriter();
  certificate.write(out, value);
  return out.finish();
};

test('a certificate comes back from its bytes and from its JSON, and of 35 voters has less than 2.5 KiB', () => {
  const signature = 'ab'.repeat(65);
  const some = fc
    .uniqueArray(fc.nat({ max: 254 }), { maxLength: 40 })
    .map((list) => list.sort((one, other) => one - other));
  fc.assert(
    fc.property(some, (list) => {
      const value = { subject, signatures: list.map((voter) => ({ voter, signature })) };
      const bytes = encodeCertificate(value);
      assert.deepEqual(certificate.read(new ByteReader(bytes)), value);
      assert.deepEqual(certificate.fromJson(certificate.toJson(value, encoding), encoding), value);
    }),
    { numRuns: 50 },
  );
  const signatures = Array.from({ length: 35 }, (_, voter) => ({ voter: voter + 16, signature }));
  assert.ok(
    encodeCertificate({ subject, signatures }).length < 2560,
    `${encodeCertificate({ subject, signatures }).length} bytes`,
  );
});

test('other bytes for the same certificate, unknown kinds and missing signatures are refused', () => {
  const read = (bytes: Uint8Array): string | undefined =>
    catchRefusal(() => void certificate.read(new ByteReader(bytes)))?.code;
  const right = Buffer.from(encodeCertificate(signed([0, 1, 2, 3, 4])));
  const at = 4 + 32 + 4 + 1 + 20 + 3 * 32;
  assert.deepEqual([...right.subarray(at, at + 2)], [1, 0b11111]);
  const padded = Buffer.concat([right.subarray(0, at), Buffer.from([2, 0b11111, 0]), right.subarray(at + 2)]);
  assert.equal(read(padded), 'malformed_bytes');
  for (const kind of [0, 3, 255])
    assert.equal(read(Buffer.from(right).fill(kind, 40, 41)), 'malformed_bytes', `kind ${kind}`);
  for (let length = 0; length < right.length; length += 13)
    assert.equal(read(right.subarray(0, length)), 'malformed_bytes', `${length}`);
  const manyBits = Buffer.concat([right.subarray(0, at), Buffer.alloc(1, 255), Buffer.alloc(255, 255)]);
  assert.equal(read(manyBits), 'malformed_bytes', 'a bitmap of 2040 voters without a signature');
  const unknown = catchRefusal(
    () => void certificate.fromJson({ subject: { kind: 'propose' }, signatures: [] }, encoding),
  );
  assert.equal(unknown?.code, 'bad_value');
});

test('the later epoch is higher, then the later view', () => {
  const order = [
    { epoch: 1, view: 90 },
    { epoch: 2, view: 3 },
    { epoch: 2, view: 4 },
  ];
  assert.deepEqual([...order].reverse().sort(compareViews), order);
});
