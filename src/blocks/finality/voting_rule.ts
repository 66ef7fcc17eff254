import type { BlockId } from '../../values/hash.ts';
import { compareViews, type Certificate } from './certificate.ts';
import type { Voters } from './voters.ts';
import type { VotingRecord } from './voting_record.ts';

/*
 * The rule by which an honest voter votes. While fewer than a third of an epoch's voters break it, no two blocks that
 * contradict each other become final, whatever the network does.
 *
 * Let S be final in view v. Then each certificate of a view from v on is for S or a descendant. Suppose not, and take
 * the first prepare, in time, of a voter that committed S in v for another block X, in a view above v. (Had the voter
 * prepared that view before, its last prepare would not have been that of v when it committed.) At that moment its lock
 * is S or a descendant, and so is each block with a certificate of a view above the lock's. X descends from one of
 * them.
 *
 * The boundary of an epoch is one block of one height, so one boundary becomes final, and with it one list of next
 * voters.
 */

/** An epoch that has begun: the boundary before it is final. */
export interface Epoch {
  readonly voters: Voters;
  /** The last block of the epoch before, from which everything that is voted for descends. */
  readonly start: BlockId;
  readonly startSlot: number;
}

/** The voter's clock, and how far the median of its peers' clocks is ahead; undefined without peers. */
export interface Moment {
  readonly nowMs: number;
  readonly peersAheadMs?: number | undefined;
}

/** A block that can be voted for. */
export interface Candidate {
  readonly view: number;
  readonly block: BlockId;
}

/** A voter: its journal, the epoch, the certificates that it holds, and the descent of blocks. */
export interface Voter {
  readonly record: VotingRecord;
  readonly epoch: Epoch;
  readonly certificates: Iterable<Certificate>;
  /** True if the first block is the second or descends from it; false when either is unknown. */
  readonly descends: (block: BlockId, from: BlockId) => boolean;
}

/** Slots before and after the current one in which a voter still votes: clocks differ, and a block comes late. */
const VIEWS_AROUND = 1;
/**
 * A journal that was begun that many slots before an epoch holds all votes of the epoch. A vote travels for one slot;
 * clocks differ by one.
 */
export const VIEWS_UNCERTAIN = 10;

/**
 * Votes are cast for the current slot by the voter's clock, the one before or the next, and by no clock that its peers
 * contradict.
 */
export function isTimely(view: number, { nowMs, peersAheadMs = 0 }: Moment, intervalMs: number): boolean {
  const slot = Math.trunc(nowMs / intervalMs);
  return Math.abs(view - slot) <= VIEWS_AROUND && Math.abs(peersAheadMs) <= twoThirds(intervalMs);
}

/**
 * A voter prepares once for each epoch and view, rising in that order, what descends from the epoch's start and honours
 * its lock.
 */
export function mayPrepare(voter: Voter, candidate: Candidate): boolean {
  return (
    rises(voter, candidate.view) &&
    voter.descends(candidate.block, voter.epoch.start) &&
    honoursLock(voter, candidate.block) &&
    canConfirm(voter, candidate)
  );
}

function rises({ record: { last_prepare }, epoch }: Voter, view: number): boolean {
  return last_prepare === undefined || compareViews({ epoch: epoch.voters.epoch, view }, last_prepare) > 0;
}

/**
 * The block is or descends from the lock's, or from a block that has a certificate of this epoch in a view above the
 * lock's.
 */
function honoursLock(voter: Voter, block: BlockId): boolean {
  const lock = lockedCandidate(voter);
  return voter.descends(block, lock.block) || hasHigherCertificate(voter, lock.view, block);
}

/** The lock begins with each epoch as the boundary before it, in view 0. */
function lockedCandidate({ record: { lock }, epoch: { voters, start } }: Voter): Candidate {
  return lock?.subject.epoch === voters.epoch ? lock.subject : { view: 0, block: start };
}

function hasHigherCertificate(
  { epoch: { voters }, certificates, descends }: Voter,
  view: number,
  block: BlockId,
): boolean {
  for (const { subject } of certificates)
    if (
      subject.epoch === voters.epoch &&
      subject.voters === voters.digest &&
      subject.view > view &&
      descends(block, subject.block)
    )
      return true;
  return false;
}

/**
 * A voter whose journal may lack votes of this epoch doesn't know its lock. It prepares only in views that it can't
 * have voted in, and only what a certificate of such a view leads to: no block that contradicts a final one has that. A
 * single voter needs nobody's certificate.
 */
function canConfirm(voter: Voter, { view, block }: Candidate): boolean {
  if (isWhole(voter.record, voter.epoch)) return true;
  const certain = voter.record.begun + VIEWS_UNCERTAIN;
  return view > certain && (voter.epoch.voters.keys.length === 1 || hasHigherCertificate(voter, certain, block));
}

/**
 * Returns whether the journal holds all votes that its key has cast in the epoch: it is as old as the chain, or older
 * than the epoch.
 */
export function isWhole({ begun, signed_first_block }: VotingRecord, { voters, startSlot }: Epoch): boolean {
  return signed_first_block || (voters.epoch > 0 && startSlot > begun + VIEWS_UNCERTAIN);
}

/** The journal after a prepare. */
export function withPrepare(
  record: VotingRecord,
  { voters: { epoch } }: Epoch,
  { view, block }: Candidate,
): VotingRecord {
  return { ...record, last_prepare: { epoch, view, block } };
}

/**
 * A voter commits what it holds a certificate of prepares for, if its last prepare is for that block in that view, and
 * its clock is at most two thirds of the interval into the slot.
 */
export function mayCommit(
  { last_prepare, lock }: VotingRecord,
  { voters }: Epoch,
  { subject }: Certificate,
  { nowMs }: Moment,
  intervalMs: number,
): boolean {
  if (subject.kind !== 'prepare' || subject.epoch !== voters.epoch || subject.voters !== voters.digest) return false;
  if (last_prepare === undefined || compareViews(subject, last_prepare) !== 0 || subject.block !== last_prepare.block)
    return false;
  if (lock !== undefined && compareViews(lock.subject, subject) >= 0) return false;
  return nowMs <= subject.view * intervalMs + twoThirds(intervalMs);
}

/** The journal after a commit: its certificate is the lock. */
export function withCommit(record: VotingRecord, lock: Certificate): VotingRecord {
  return { ...record, lock };
}

/** The longest time into a slot in which a voter commits, and the largest difference of clocks with which it votes. */
function twoThirds(intervalMs: number): number {
  return Math.trunc((2 * intervalMs) / 3);
}
