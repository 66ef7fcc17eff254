import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  changedBack,
  diffVoters,
  finalityProof,
  transactionProof,
  type FinalityProof,
  type ProofStep,
  type TransactionProof,
} from '../../../src/blocks/finality/finality_proof.ts';
import type { VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { neutralEncoding } from '../../../src/codec/encoding_options.ts';
import type { Json } from '../../../src/codec/json.ts';
import { RandomSource } from '../../builders/random_source.ts';

const random = new RandomSource(51);
const hex = (bytes: number): string =>
  Array.from({ length: 2 * bytes }, () => random.pick([...'0123456789abcdef'])).join('');
const makeKeys = (count: number): string[] => Array.from({ length: count }, () => `02${hex(32)}`).toSorted();

test('a list of voters comes back from what differs from another one, and from nothing else', () => {
  for (let run = 0; run < 200; run++) {
    const all = makeKeys(1 + random.roll(60));
    const [one, other] = [all.filter(() => random.chance(70)), all.filter(() => random.chance(70))];
    const changed = diffVoters(one, other);
    assert.deepEqual(changedBack(one, changed), other);
    const { kept, others } = changed;
    // Another length, a bit for no key, and keys in another order describe nothing.
    assert.equal(changedBack(one, { kept: Buffer.concat([kept, Buffer.of(0)]), others }), undefined);
    if (one.length % 8 !== 0) {
      const last = kept.at(-1) ?? 0;
      const wrong = Buffer.concat([kept.subarray(0, -1), Buffer.of(last | 0x80)]);
      assert.equal(changedBack(one, { kept: wrong, others }), undefined);
    }
    if (others.length > 1) assert.equal(changedBack(one, { kept, others: others.toReversed() }), undefined);
    if (others.length > 0) assert.equal(changedBack(one, { kept, others: [...others, ...others] }), undefined);
  }
});

function step(): ProofStep {
  const subject: VoteSubject = {
    ...{ epoch: random.roll(1000), voters: hex(32), view: random.roll(1e9), kind: 'commit', block: hex(20) },
    ...{ header: hex(32), root: hex(32), next_voters: hex(32) },
  };
  const signatures = [0, 3, 9].map((voter) => ({ voter, signature: hex(65) }));
  return { certificate: { subject, signatures }, voters: makeKeys(10) };
}

function proof(): FinalityProof {
  const { certificate, voters } = step();
  const path = Array.from({ length: random.roll(30) }, () => hex(32));
  const trusted = random.chance(50) ? diffVoters(voters, makeKeys(9)) : undefined;
  const steps = Array.from({ length: random.roll(3) }, step);
  return { header: Buffer.from(hex(140), 'hex'), ...{ path, certificate, voters, trusted, steps } };
}

test('a proof is read as it was written, but for the header bytes of signatures', () => {
  const told = (of: FinalityProof): unknown => finalityProof.toJson(of, neutralEncoding);
  for (let run = 0; run < 50; run++) {
    const finality = proof();
    const whole: TransactionProof = {
      ...{ transaction: Buffer.from(hex(200), 'hex'), finality },
      branch: Array.from({ length: random.roll(8) }, () => ({ is_first: random.chance(50), hash: hex(32) })),
    };
    const json: Json = JSON.parse(JSON.stringify(transactionProof.toJson(whole, neutralEncoding)));
    const read = transactionProof.fromJson(json, neutralEncoding);
    assert.deepEqual(told(read.finality), told(finality));
    assert.deepEqual(read.branch, whole.branch);
    for (const { certificate } of [read.finality, ...read.finality.steps])
      assert.ok(certificate.signatures.every(({ signature }) => signature.startsWith('1f')));
  }
});

test('what is no proof is refused: another base64, a member more or less, other header bytes, further bytes', () => {
  const json = Object(JSON.parse(JSON.stringify(finalityProof.toJson(proof(), neutralEncoding))));
  const refused = (changes: { readonly [member: string]: Json | undefined }): void =>
    assert.throws(() => finalityProof.fromJson(JSON.parse(JSON.stringify({ ...json, ...changes })), neutralEncoding), {
      name: 'Refusal',
    });
  const { certificate, voters, header }: { certificate: string; voters: string; header: string } = json;
  const bytes = Buffer.from(certificate, 'base64');
  const withByte = (at: number, byte: number): string => {
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy.toString('base64');
  };
  for (const member of ['header', 'path', 'certificate', 'voters', 'steps']) refused({ [member]: undefined });
  refused({ more: 1 });
  refused({ header: `${header} ` });
  refused({ header: header.replace(/=*$/, '') + (header.endsWith('=') ? '' : '=') });
  refused({ voters: voters.slice(0, -4) });
  refused({ certificate: Buffer.concat([bytes, Buffer.of(0)]).toString('base64') });
  // Behind what is signed and the bitmap of two bytes stands the first signature.
  refused({ certificate: withByte(157 + 3, 32) });
  refused({ certificate: withByte(40, 3) });
});
