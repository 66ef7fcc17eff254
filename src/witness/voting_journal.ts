import { refusals } from '../base/refusal.ts';
import { compareViews } from '../blocks/finality/certificate.ts';
import type { VoteSubject } from '../blocks/finality/vote.ts';
import type { RecordedEpochs, VoteEvidence } from './vote_evidence.ts';
import type { VotingRecord } from '../blocks/finality/voting_record.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';

const refuse = refusals({
  votes_not_begun:
    'a {kind} of view {view} was asked for, and the voting journal of the key has not begun: nobody knows what was signed with it before',
  vote_already_signed:
    'a vote of view {view} of epoch {epoch} was asked for, and the voting journal holds a {kind} of view {last} of epoch {lastEpoch}; a second one could make two blocks final',
  commit_without_prepare:
    'a commit of view {view} of epoch {epoch} was asked for, and the last prepare in the voting journal is of another view or block',
  commit_of_other_statement:
    'a commit of view {view} was asked for that states something else of block {block} than the certificate of prepares that came with it',
  vote_contradicts_record: 'the record that came with the {kind} of view {view} does not hold that vote',
});

/** A key's memory after a vote. */
export interface KeyRecord {
  readonly key: PublicKey;
  readonly record: VotingRecord;
}

/** Remembers the votes of keys, whatever becomes of the chain's own data. */
export interface VotingJournal {
  /** The newest record of a key on a chain; undefined where the journal has not begun, or has ended. */
  votingRecord(chain: Digest, key: PublicKey): VotingRecord | undefined;
  /**
   * Begins a key in a slot that clocks of peers confirm. Votes that a damaged journal still holds stay in its record.
   */
  begin(chain: Digest, key: PublicKey, slot: number, signedFirstBlock: boolean): void;
  /** Ends a key until it is begun anew: somebody else signs with it. Its votes stay. */
  end(chain: Digest, key: PublicKey): void;
  /** Returns the recorded epochs of a chain. */
  epochs(chain: Digest): RecordedEpochs;
  /** The records are on the disk when it returns. */
  record(chain: Digest, records: readonly KeyRecord[]): void;
  close(): void;
}

/** A vote that waits for its signature, with what its key must remember then. */
export interface VoteToSign extends KeyRecord {
  readonly subject: VoteSubject;
}

/** The same with what shows a signer process, which has no chain, that the vote may be cast. */
export interface ShownVote extends VoteToSign {
  readonly evidence: VoteEvidence;
}

/**
 * Refuses a vote that contradicts an earlier one, whose record would forget it, or of a key without a record. Prepares rise by (epoch, view); a
 * commit follows the prepare of its view and block, once, and states what its certificate does.
 */
export function requireRising(before: VotingRecord | undefined, { subject, record }: Omit<VoteToSign, 'key'>): void {
  const { epoch, view, kind, block } = subject;
  if (before === undefined) return refuse.votes_not_begun({ kind, view });
  const { last_prepare: last, lock } = record;
  if (last === undefined || compareViews(last, subject) !== 0 || last.block !== block)
    refuse.vote_contradicts_record({ kind, view });
  if (kind === 'prepare') return requireHigher(before.last_prepare, subject, 'prepare');
  const prepared = before.last_prepare;
  if (prepared === undefined || compareViews(prepared, subject) !== 0 || prepared.block !== block)
    refuse.commit_without_prepare({ epoch, view });
  if (lock === undefined || compareViews(lock.subject, subject) !== 0 || lock.subject.block !== block)
    return refuse.vote_contradicts_record({ kind, view });
  if (!isCommitOf(subject, lock.subject)) refuse.commit_of_other_statement({ view, block });
  requireHigher(before.lock?.subject, subject, 'commit');
}

/** A commit states what the prepares of its certificate did: the voter has seen that a quorum stands for it. */
function isCommitOf(commit: VoteSubject, prepared: VoteSubject): boolean {
  return (
    prepared.kind === 'prepare' &&
    prepared.voters === commit.voters &&
    prepared.header === commit.header &&
    prepared.root === commit.root &&
    prepared.next_voters === commit.next_voters
  );
}

function requireHigher(
  last: Pick<VoteSubject, 'epoch' | 'view'> | undefined,
  { epoch, view }: Pick<VoteSubject, 'epoch' | 'view'>,
  kind: VoteSubject['kind'],
): void {
  if (last !== undefined && compareViews({ epoch, view }, last) <= 0)
    refuse.vote_already_signed({ epoch, view, kind, last: last.view, lastEpoch: last.epoch });
}
