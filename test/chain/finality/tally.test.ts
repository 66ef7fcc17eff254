import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { NO_VOTERS, voteDigest, type Vote, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { epochVoters } from '../../../src/blocks/finality/voters.ts';
import { isCountedView } from '../../../src/blocks/finality/counted_views.ts';
import { Tally } from '../../../src/chain/finality/tally.ts';

const CHAIN = 'ab'.repeat(32);
const voters = epochVoters(
  CHAIN,
  3,
  Array.from({ length: 7 }, (_, index) => `02${index.toString(16).padStart(64, '0')}`),
);
const subject: VoteSubject = {
  epoch: 3,
  voters: voters.digest,
  view: 500,
  kind: 'prepare',
  block: '0000001e'.padEnd(40, '1'),
  header: '11'.repeat(32),
  root: '22'.repeat(32),
  next_voters: NO_VOTERS,
};
const otherBlock: VoteSubject = { ...subject, block: '0000001e'.padEnd(40, '2') };

function vote(voter: number, what = subject): Vote {
  return { subject: what, voter, signature: `${voter}`.padStart(2, '0').repeat(65) };
}

test('the fifth of seven votes that state the same completes a certificate, and only that one', () => {
  const tally = new Tally(CHAIN);
  for (const voter of [6, 2, 0, 4]) assert.equal(tally.add(vote(voter), voters).certificate, undefined);
  const certificate = present(tally.add(vote(1), voters).certificate, 'a certificate');
  assert.deepEqual(certificate.subject, subject);
  assert.deepEqual(
    certificate.signatures,
    [0, 1, 2, 4, 6].map((voter) => ({ voter, signature: vote(voter).signature })),
  );
  assert.equal(tally.add(vote(3), voters).certificate, undefined);
});

test('votes that differ in anything that is signed are not counted together', () => {
  const changes: Partial<VoteSubject>[] = [
    { view: 501 },
    { kind: 'commit' },
    { block: otherBlock.block },
    { header: '12'.repeat(32) },
    { root: '23'.repeat(32) },
    { next_voters: '34'.repeat(32) },
    { epoch: 4 },
    { voters: '45'.repeat(32) },
  ];
  const tally = new Tally(CHAIN);
  for (const voter of [0, 1, 2, 3]) tally.add(vote(voter), voters);
  for (const change of changes)
    assert.equal(tally.add(vote(4, { ...subject, ...change }), voters).certificate, undefined, JSON.stringify(change));
  assert.ok(tally.add(vote(5), voters).certificate !== undefined);
});

test('a voter that contradicts itself counts for each block, is shown once, and is heard of no more', () => {
  const tally = new Tally(CHAIN);
  const withBlock = (digit: string): VoteSubject => ({ ...subject, block: '0000001e'.padEnd(40, digit) });
  const blocks = ['1', '2', '3', '4', '5'].map(withBlock);
  const counted = blocks.slice(0, 4).map((what) => {
    assert.ok(tally.isNew(vote(0, what)));
    return tally.add(vote(0, what), voters);
  });
  assert.deepEqual(
    counted.map(({ isNew: isNews }) => isNews),
    [true, true, false, false],
  );
  assert.deepEqual(
    counted.map(({ contradicted }) => contradicted?.subject.block),
    [undefined, subject.block, undefined, undefined],
  );
  assert.ok(!tally.isNew(vote(0, blocks[4])), 'a fifth block');
  assert.ok(tally.isNew(vote(1, blocks[4])), 'another voter has said nothing');
  for (const voter of [1, 2, 3]) tally.add(vote(voter, otherBlock), voters);
  assert.ok(tally.add(vote(4, otherBlock), voters).certificate !== undefined, 'with the vote of the liar');
});

test('a prepare and a commit of one view, and votes of two views, contradict nothing', () => {
  const tally = new Tally(CHAIN);
  tally.add(vote(0), voters);
  for (const what of [
    { ...otherBlock, kind: 'commit' as const },
    { ...otherBlock, view: 501 },
    { ...otherBlock, epoch: 4 },
  ])
    assert.equal(tally.add(vote(0, what), voters).contradicted, undefined);
});

test('a vote is new once, and its digest is that of what it states', () => {
  const tally = new Tally(CHAIN);
  assert.deepEqual(tally.digestOf(subject), voteDigest(CHAIN, subject));
  tally.add(vote(0), voters);
  assert.ok(!tally.isNew(vote(0)));
  assert.deepEqual(tally.digestOf(subject), voteDigest(CHAIN, subject));
});

test('votes count from ten slots before the current one to the next, and are forgotten with their epoch', () => {
  const slots = [489, 490, 500, 501, 502];
  assert.deepEqual(
    slots.map((view) => isCountedView(view, 500)),
    [false, true, true, true, false],
  );
  for (const [slot, epoch, isKept] of [
    [510, 3, true],
    [511, 3, false],
    [500, 4, false],
  ] as const) {
    const tally = new Tally(CHAIN);
    tally.add(vote(0), voters);
    tally.forget(slot, epoch);
    assert.equal(!tally.isNew(vote(0)), isKept, `slot ${slot}, epoch ${epoch}`);
  }
});
