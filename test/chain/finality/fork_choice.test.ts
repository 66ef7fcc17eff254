import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { NO_VOTERS, type VoteKind } from '../../../src/blocks/finality/vote.ts';
import { HeldCertificates } from '../../../src/chain/finality/fork_choice.ts';
import type { BlockId } from '../../../src/values/hash.ts';

function certified(epoch: number, view: number, number = view, kind: VoteKind = 'prepare', branch = 'a'): Certificate {
  const [voters, header, root] = ['00'.repeat(32), '11'.repeat(32), '22'.repeat(32)];
  return {
    subject: { epoch, voters, view, kind, block: makeBlockId(number, branch), header, root, next_voters: NO_VOTERS },
    signatures: [],
  };
}

function makeBlockId(number: number, branch: string): BlockId {
  return number.toString(16).padStart(8, '0') + branch.repeat(32);
}

const heldViews = (held: HeldCertificates): string[] =>
  [...held].map(({ certificate: { subject } }) => `${subject.kind} ${subject.epoch}/${subject.view}`);

test('certificates are held from the highest epoch and view on, and a higher one is told from one that is not', () => {
  const held = new HeldCertificates();
  assert.deepEqual(
    [certified(1, 50), certified(1, 60), certified(1, 55), certified(2, 40), certified(2, 40, 40, 'commit')].map(
      (each) => held.add(each, 0),
    ),
    [true, true, false, true, false],
  );
  assert.deepEqual(heldViews(held), ['prepare 2/40', 'commit 2/40', 'prepare 1/60', 'prepare 1/55', 'prepare 1/50']);
});

test('of either kind the 64 highest are held', () => {
  const held = new HeldCertificates();
  held.add(certified(1, 1, 1, 'commit'), 0);
  for (let view = 1; view <= 80; view++) held.add(certified(1, view), 0);
  const views = heldViews(held);
  assert.equal(views.length, 65);
  assert.equal(views[0], 'prepare 1/80');
  assert.deepEqual(views.slice(-2), ['prepare 1/17', 'commit 1/1']);
});

test('certificates below the final block are dropped, and that of the block itself stays', () => {
  const held = new HeldCertificates();
  for (const view of [3, 4, 5]) held.add(certified(1, view), 0);
  held.forget(4);
  assert.deepEqual(heldViews(held), ['prepare 1/5', 'prepare 1/4']);
});

test('two certificates of one view contradict each other when their blocks differ, whatever their kinds', () => {
  const held = new HeldCertificates();
  const own = certified(1, 5);
  held.add(own, 0);
  assert.equal(held.contradicting(certified(1, 5, 5, 'commit')), undefined);
  assert.equal(held.contradicting(certified(1, 6, 5, 'prepare', 'b')), undefined);
  assert.equal(held.contradicting(certified(2, 5, 5, 'prepare', 'b')), undefined);
  for (const kind of ['prepare', 'commit'] as const)
    assert.equal(held.contradicting(certified(1, 5, 5, kind, 'b')), own);
  assert.equal(held.like(certified(1, 5)), own);
  for (const other of [certified(1, 5, 5, 'commit'), certified(1, 6, 5), certified(1, 5, 6)])
    assert.equal(held.like(other), undefined);
});
