import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import { rangePath } from '../../../src/blocks/finality/block_range.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import type { EndedEpoch } from '../../../src/blocks/finality/ended_epoch.ts';
import { diffVoters, finalityProof } from '../../../src/blocks/finality/finality_proof.ts';
import { NO_VOTERS, voteDigest, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { isMoreThanThird, quorumSize, epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { neutralEncoding } from '../../../src/codec/encoding_options.ts';
import { MOST_STEPS } from '../../../src/blocks/finality/trust.ts';
import { proofSteps } from '../../../src/queries/finality/proof_steps.ts';
import { testKey, testSecret } from '../../builders/chain.ts';
import { formSize } from '../../builders/forms.ts';
import { computeRangeRoot, verifyProof, type ProofJson, type Trust } from '../../builders/proof_verifier.ts';
import { quickSignature } from '../../builders/quick_signature.ts';
import { RandomSource } from '../../builders/random_source.ts';

const CHAIN = 'c'.repeat(64);
const INTERVAL = 3;
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 3, long: 60 });
const FIRST_VIEW = 600_000_000;

const secrets = new Map<string, Uint8Array>();
const namedKeys: string[] = [];

/** The keys with these numbers, each made once. */
function makeKeys(numbers: readonly number[]): string[] {
  return numbers.map((number) => {
    const known = namedKeys[number];
    if (known !== undefined) return known;
    const [key, secret] = [testKey(`voter ${number}`), testSecret(`voter ${number}`)];
    secrets.set(key, secret);
    namedKeys[number] = key;
    return key;
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface History {
  readonly round: number;
  readonly ended: readonly EndedEpoch[];
}

/** Epochs with these voters, each ended by a certificate of `signers` of them, a quorum unless said. */
function makeHistory(
  lists: readonly (readonly number[])[],
  round: number,
  signers: (voters: Voters, epoch: number) => readonly number[] = (voters) => [...Array(quorumSize(voters)).keys()],
  offset = 0,
): History {
  const all = lists.map((list, epoch) => epochVoters(CHAIN, epoch + offset, makeKeys(list)));
  const ended = all.map((voters, at) =>
    signed(voters, round * (voters.epoch + 1), signers(voters, at), all[at + 1]?.digest ?? NO_VOTERS),
  );
  return { round, ended };
}

/** A header of block `number`, and a node of the range, made of their places. */
const makeHeader = (number: number): Buffer =>
  Buffer.concat([Buffer.from((number - 1).toString(16).padStart(8, '0'), 'hex'), Buffer.alloc(135, number % 251)]);
const nodeHash = (height: number, index: number): string => sha256(`${height} ${index}`);

/** Certifies a block of a range in which one older block is looked for. */
function signed(voters: Voters, number: number, signers: readonly number[], next_voters: string): EndedEpoch {
  const subject: VoteSubject = {
    ...{ epoch: voters.epoch, voters: voters.digest, kind: 'commit', view: FIRST_VIEW + number },
    ...{
      block: number.toString(16).padStart(8, '0') + 'b'.repeat(32),
      header: sha256(`header ${number}`),
      next_voters,
    },
    root: rangeRoot(number),
  };
  const digest = voteDigest(CHAIN, subject);
  const signatures = signers.map((voter) => ({
    voter,
    signature: quickSignature(digest, present(secrets.get(voters.keys[voter] ?? ''), 'a secret')),
  }));
  return { voters, certificate: { subject, signatures } };
}

/** The block that is proven in these tests. */
const PROVEN = 2;

function makePath(count: number): string[] {
  return rangePath(PROVEN, count, nodeHash);
}

function rangeRoot(count: number): string {
  if (count < PROVEN) return NO_VOTERS;
  const header = createHash('sha256').update(makeHeader(PROVEN)).digest();
  return computeRangeRoot(PROVEN, count, header, Buffer.from(makePath(count).join(''), 'hex'));
}

function makeSource(ended: readonly EndedEpoch[]) {
  return { boundaryFrom: (epoch: number) => ended.find(({ voters }) => voters.epoch >= epoch) };
}

/** The proof that these certificates make of the block, as a node answers it. */
function makeProof(steps: readonly EndedEpoch[], trusted: Voters): ProofJson {
  const [first, last] = [present(steps[0], 'a certificate'), present(steps.at(-1), 'a certificate')];
  const json = finalityProof.toJson(
    {
      header: makeHeader(PROVEN),
      path: makePath(certificateNumber(last.certificate)),
      certificate: last.certificate,
      voters: last.voters.keys,
      trusted: first.voters.epoch === trusted.epoch ? undefined : diffVoters(first.voters.keys, trusted.keys),
      steps: steps.slice(0, -1).map(({ certificate, voters }) => ({ certificate, voters: voters.keys })),
    },
    neutralEncoding,
  );
  const text: ProofJson = JSON.parse(JSON.stringify(json));
  return text;
}

const certificateNumber = ({ subject }: Certificate): number => Number.parseInt(subject.block.slice(0, 8), 16);

function makeTrust({ epoch, digest }: Voters, last: EndedEpoch): Trust {
  const now = (last.certificate.subject.view + 1) * INTERVAL;
  return { chainId: CHAIN, epoch, voters: digest, since: now - 86_400, now, intervalSeconds: INTERVAL };
}

/** The smallest number of certificates that lead from an epoch to the last one, found by trying all. */
function leastSteps(ended: readonly EndedEpoch[], from: number): number {
  let reached = new Set([-1]);
  for (let steps = 1; steps <= ended.length; steps++) {
    const next = new Set<number>();
    for (const at of reached)
      ended.forEach((each, index) => {
        if (canFollow(each, at === -1 ? present(ended[from], 'it') : present(ended[at], 'it'), at !== -1))
          next.add(index);
      });
    if (next.has(ended.length - 1)) return steps;
    reached = next;
  }
  return Infinity;
}

function canFollow({ voters, certificate }: EndedEpoch, before: EndedEpoch, hasEnded: boolean): boolean {
  const signers = new Set(certificate.signatures.map(({ voter }) => voters.keys[voter]));
  const common = before.voters.keys.filter((key) => signers.has(key)).length;
  const distance = voters.epoch - before.voters.epoch;
  return (
    (distance === 0 && !hasEnded) ||
    (distance === 1 && hasEnded) ||
    (distance > 0 && isMoreThanThird(common, before.voters))
  );
}

test('where voters change one after the other, no way from any epoch has fewer certificates', () => {
  for (const speed of [1, 2, 4, 7]) {
    const lists = Array.from({ length: Math.trunc(24 / speed) }, (_none, epoch) =>
      Array.from({ length: 7 }, (_, at) => epoch * speed + at),
    );
    const { ended } = makeHistory(lists, 5);
    const last = present(ended.at(-1), 'an epoch');
    for (const { voters } of ended) {
      const wanted = { trusted: voters, number: certificateNumber(last.certificate), newest: last };
      const least = leastSteps(ended, voters.epoch);
      if (least > MOST_STEPS + 1) {
        assert.equal(catchRefusal(() => proofSteps(makeSource(ended), wanted))?.code, 'checkpoint_too_far');
        continue;
      }
      const steps = proofSteps(makeSource(ended), wanted);
      assert.equal(steps.length, least, `from epoch ${voters.epoch}, ${speed} an epoch`);
      assert.equal(verifyProof(makeProof(steps, voters), makeTrust(voters, last)).number, PROVEN);
    }
  }
});

test('random changes of voters, with old epochs that are gone, leave a way to the newest certificate', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new RandomSource(seed);
    let list = [0, 1, 2, 3, 4, 5, 6];
    const lists = Array.from({ length: 40 }, () => {
      if (random.chance(40))
        list = random.shuffle([...random.shuffle(list).slice(random.roll(3)), ...pickSome(random, 12)]);
      return [...new Set(list)].slice(0, 7);
    });
    const { ended } = makeHistory(lists, 3, (voters) => pickSigners(random, voters));
    const kept = thinned(ended, random);
    const last = present(kept.at(-1), 'an epoch');
    for (const { voters } of kept) {
      let [trusted, reached] = [voters, 0];
      // Whoever is too far away goes on from what was reached.
      for (let turn = 0; reached < certificateNumber(last.certificate); turn++) {
        assert.ok(turn < 10, `seed ${seed}: it comes nearer`);
        let number = certificateNumber(last.certificate);
        const wanted = { trusted, newest: last };
        const refusal = catchRefusal(() => proofSteps(makeSource(kept), { ...wanted, number }));
        if (refusal !== undefined) assert.equal(refusal.code, 'checkpoint_too_far', `seed ${seed}: ${refusal.message}`);
        number = refusal === undefined ? number : Number(refusal.details['reached']);
        const steps = proofSteps(makeSource(kept), { ...wanted, number });
        verifyProof(makeProof(steps, trusted), makeTrust(trusted, last));
        const end = present(steps.at(-1), 'a certificate');
        for (const { certificate, voters: each } of steps)
          assert.equal(certificate.signatures.length, quorumSize(each));
        [trusted, reached] = [end.voters, certificateNumber(end.certificate)];
      }
    }
  }
});

function pickSome(random: RandomSource, below: number): number[] {
  return [random.roll(below), random.roll(below), random.roll(below)];
}

function pickSigners(random: RandomSource, voters: Voters): number[] {
  const count = quorumSize(voters) + random.roll(voters.keys.length - quorumSize(voters) + 1);
  return random
    .shuffle([...voters.keys.keys()])
    .slice(0, count)
    .toSorted((a, b) => a - b);
}

/** Leaves out what the next one does not need, as nodes do. */
function thinned(ended: readonly EndedEpoch[], random: RandomSource): EndedEpoch[] {
  const kept: EndedEpoch[] = [];
  ended.forEach((each, at) => {
    const [before, next] = [kept.at(-1), ended[at + 1]];
    const isNeeded = before === undefined || next === undefined || !canFollow(next, before, true);
    if (isNeeded || random.chance(20)) kept.push(each);
  });
  return kept;
}

test('a proof of 51 voters has at most 8 KB while 23 of them are the same, and 5.5 KB for each step', () => {
  const first = 2 ** 24 / 51;
  const sizes: Record<string, number> = {};
  for (const same of [51, 50, 40, 30, 23, 18]) {
    const lists = [Array.from({ length: 51 }, (_, at) => at), Array.from({ length: 51 }, (_, at) => at + 51 - same)];
    // All have signed, and the proof chooses whom the client trusts.
    const { ended } = makeHistory(lists, 51, (voters) => [...voters.keys.keys()], Math.trunc(first));
    const [{ voters }, last] = [present(ended[0], 'an epoch'), present(ended[1], 'an epoch')];
    const steps = proofSteps(makeSource([]), { trusted: voters, number: PROVEN, newest: last });
    assert.equal(steps.length, 1);
    const proof = makeProof(steps, voters);
    const { signatures } = verifyProof(proof, makeTrust(voters, last));
    assert.ok(signatures <= 60);
    sizes[same] = JSON.stringify(proof).length;
    const step = JSON.stringify({ certificate: proof.certificate, voters: proof.voters }).length + 1;
    assert.ok(step <= 5.5 * 1024, `a step has ${step} bytes`);
  }
  for (const same of [51, 50, 40, 30, 23]) assert.ok((sizes[same] ?? Infinity) <= 8 * 1024, JSON.stringify(sizes));
  assert.ok((sizes[18] ?? Infinity) <= 8.3 * 1024, JSON.stringify(sizes));
});
