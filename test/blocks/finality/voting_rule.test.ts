import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { NO_VOTERS, type VoteKind } from '../../../src/blocks/finality/vote.ts';
import { epochVoters } from '../../../src/blocks/finality/voters.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import {
  isTimely,
  isWhole,
  mayCommit,
  mayPrepare,
  withCommit,
  withPrepare,
  type Epoch,
  type Voter,
} from '../../../src/blocks/finality/voting_rule.ts';
import { getBlockNumber, type BlockId } from '../../../src/values/hash.ts';

const INTERVAL = 3000;
const EPOCH = 4;
const START_SLOT = 1000;
const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `02${index.toString(16).padStart(64, '0')}`);
const makeEpoch = (voters: number, epoch = EPOCH): Epoch => ({
  voters: epochVoters('ab'.repeat(32), epoch, keys(voters)),
  start: START,
  startSlot: START_SLOT,
});

// Two branches on the block with which the epoch begins.
const START = makeBlockId(40, 'a');
const [LEFT, ABOVE_LEFT, RIGHT, ABOVE_RIGHT] = [
  makeBlockId(41, 'b'),
  makeBlockId(42, 'b'),
  makeBlockId(41, 'c'),
  makeBlockId(42, 'c'),
];

function makeBlockId(number: number, branch: string): BlockId {
  return number.toString(16).padStart(8, '0') + branch.repeat(32);
}

/** Of one branch the higher block descends from the lower one, and all descend from the start. */
function descends(block: BlockId, from: BlockId): boolean {
  if (block === from) return true;
  return getBlockNumber(block) > getBlockNumber(from) && (from === START || block.at(-1) === from.at(-1));
}

const whole: VotingRecord = { begun: 900, signed_first_block: false, last_prepare: undefined, lock: undefined };

function certified(
  block: BlockId,
  view: number,
  kind: VoteKind = 'prepare',
  { voters }: Epoch = makeEpoch(4),
): Certificate {
  const [header, root] = ['11'.repeat(32), '22'.repeat(32)];
  return {
    subject: { epoch: voters.epoch, voters: voters.digest, view, kind, block, header, root, next_voters: NO_VOTERS },
    signatures: [],
  };
}

const makeVoter = (record: VotingRecord, certificates: readonly Certificate[] = [], epoch = makeEpoch(4)): Voter => ({
  record,
  epoch,
  certificates,
  descends,
});
const at = (view: number, block: BlockId): { view: number; block: BlockId } => ({ view, block });

test('a voter prepares one block a view, in rising views, and begins again with the next epoch', () => {
  const prepared = withPrepare(whole, makeEpoch(4), at(1005, LEFT));
  for (const block of [LEFT, RIGHT, ABOVE_LEFT]) {
    assert.ok(!mayPrepare(makeVoter(prepared), at(1005, block)));
    assert.ok(!mayPrepare(makeVoter(prepared), at(1004, block)));
    assert.ok(mayPrepare(makeVoter(prepared), at(1006, block)));
  }
  assert.ok(mayPrepare(makeVoter(prepared, [], makeEpoch(4, EPOCH + 1)), at(1001, LEFT)), 'the next epoch');
  assert.ok(!mayPrepare(makeVoter(prepared, [], makeEpoch(4, EPOCH - 1)), at(2000, LEFT)), 'an earlier epoch');
});

test('what does not descend from the boundary that began the epoch is never prepared', () => {
  const foreign = makeBlockId(39, 'd');
  assert.ok(mayPrepare(makeVoter(whole), at(1005, START)));
  assert.ok(!mayPrepare(makeVoter(whole), at(1005, foreign)));
});

test('a locked voter prepares the locked branch, or one with a certificate of this epoch above the lock', () => {
  const locked = withCommit(withPrepare(whole, makeEpoch(4), at(1005, LEFT)), certified(LEFT, 1005));
  const may = (block: BlockId, ...certificates: Certificate[]): boolean =>
    mayPrepare(makeVoter(locked, certificates), at(1010, block));
  assert.ok(may(LEFT) && may(ABOVE_LEFT));
  assert.ok(!may(START), 'an ancestor of the lock');
  assert.ok(!may(RIGHT) && !may(ABOVE_RIGHT));
  assert.ok(!may(RIGHT, certified(RIGHT, 1005)), 'a certificate of the same view');
  assert.ok(!may(RIGHT, certified(LEFT, 1007)), 'a certificate of the other branch');
  assert.ok(!may(RIGHT, certified(ABOVE_RIGHT, 1007)), 'a certificate of a descendant');
  assert.ok(!may(RIGHT, certified(RIGHT, 1007, 'prepare', makeEpoch(4, EPOCH + 1))), 'a certificate of another epoch');
  assert.ok(!may(RIGHT, certified(RIGHT, 1007, 'prepare', makeEpoch(5))), 'a certificate of other voters');
  assert.ok(may(RIGHT, certified(RIGHT, 1006)) && may(ABOVE_RIGHT, certified(RIGHT, 1006, 'commit')));
  assert.ok(
    mayPrepare(makeVoter(locked, [], makeEpoch(4, EPOCH + 1)), at(1010, RIGHT)),
    'the lock of an epoch ends with it',
  );
});

test('a voter commits the block of its last prepare in that view, once, with a certificate of prepares and early in the slot', () => {
  const epoch = makeEpoch(4);
  const prepared = withPrepare(whole, epoch, at(1005, LEFT));
  const may = (record: VotingRecord, certificate: Certificate, intoMs = 0): boolean =>
    mayCommit(record, epoch, certificate, { nowMs: 1005 * INTERVAL + intoMs }, INTERVAL);
  const right = certified(LEFT, 1005);
  assert.ok(may(prepared, right) && may(prepared, right, 2000));
  assert.ok(!may(prepared, right, 2001), 'two thirds of the slot are over');
  assert.ok(!may(prepared, certified(RIGHT, 1005)) && !may(prepared, certified(ABOVE_LEFT, 1005)), 'another block');
  assert.ok(!may(prepared, certified(LEFT, 1004)) && !may(prepared, certified(LEFT, 1006)), 'another view');
  assert.ok(!may(prepared, certified(LEFT, 1005, 'commit')), 'a certificate of commits');
  assert.ok(!may(prepared, certified(LEFT, 1005, 'prepare', makeEpoch(4, EPOCH + 1))), 'another epoch');
  assert.ok(!may(prepared, certified(LEFT, 1005, 'prepare', makeEpoch(5))), 'other voters');
  assert.ok(!may(withPrepare(prepared, epoch, at(1006, LEFT)), right), 'a later view was prepared since');
  assert.ok(!may(withCommit(prepared, right), right), 'it was committed');
  assert.ok(!may(whole, right), 'nothing was prepared');
});

test('a journal is whole for an epoch that began more than ten slots behind it, and one with the first block for all', () => {
  const begun = (slot: number): VotingRecord => ({ ...whole, begun: slot });
  assert.ok(isWhole(begun(START_SLOT - 11), makeEpoch(4)) && !isWhole(begun(START_SLOT - 10), makeEpoch(4)));
  assert.ok(!isWhole(begun(0), makeEpoch(4, 0)), 'no journal is older than the first epoch');
  for (const epoch of [0, EPOCH])
    assert.ok(isWhole({ ...begun(START_SLOT), signed_first_block: true }, makeEpoch(4, epoch)));
});

test('with a lost journal a voter prepares only in later views, and only what a certificate of such a view leads to', () => {
  const lost: VotingRecord = { ...whole, begun: 1003 };
  const may = (view: number, block: BlockId, ...certificates: Certificate[]): boolean =>
    mayPrepare(makeVoter(lost, certificates), at(view, block));
  const later = certified(LEFT, 1014);
  assert.ok(may(1015, LEFT, later) && may(1015, ABOVE_LEFT, later));
  assert.ok(!may(1013, LEFT, later), 'a view in which it may have voted');
  assert.ok(!may(1015, RIGHT, later), 'the other branch');
  assert.ok(!may(1015, LEFT, certified(LEFT, 1013)), 'a certificate of a view in which it may have voted');
  assert.ok(!may(1015, LEFT), 'no certificate');
  assert.ok(!mayPrepare(makeVoter(lost, [later], makeEpoch(2)), at(1015, LEFT)), 'a certificate of other voters');
});

test('a single voter with a lost journal waits ten views, and needs nobody', () => {
  const lost: VotingRecord = { ...whole, begun: 1003 };
  assert.ok(!mayPrepare(makeVoter(lost, [], makeEpoch(1)), at(1013, LEFT)));
  assert.ok(mayPrepare(makeVoter(lost, [], makeEpoch(1)), at(1014, LEFT)));
  assert.ok(!mayPrepare(makeVoter(lost, [], makeEpoch(2)), at(1014, LEFT)), 'one of two needs a certificate');
});

test("votes are for the current slot, the one before or the next, by a clock that peers don't contradict", () => {
  const timely = (view: number, peersAheadMs?: number): boolean =>
    isTimely(view, { nowMs: 1005 * INTERVAL + 100, peersAheadMs }, INTERVAL);
  assert.deepEqual(
    [1003, 1004, 1005, 1006, 1007].map((view) => timely(view)),
    [false, true, true, true, false],
  );
  for (const ahead of [0, 2000, -2000]) assert.ok(timely(1005, ahead), `${ahead}`);
  for (const ahead of [2001, -2001, 60_000]) assert.ok(!timely(1005, ahead), `${ahead}`);
});
