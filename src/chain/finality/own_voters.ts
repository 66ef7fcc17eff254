import { compareViews, type Certificate } from '../../blocks/finality/certificate.ts';
import type { StatedBlock, Vote, VoteSubject } from '../../blocks/finality/vote.ts';
import type { VotingRecord } from '../../blocks/finality/voting_record.ts';
import {
  isTimely,
  mayCommit,
  mayPrepare,
  withCommit,
  withPrepare,
  type Epoch,
  type Moment,
} from '../../blocks/finality/voting_rule.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { FinalityAction } from './finality_actions.ts';
import type { Descends } from './fork_choice.ts';

/** A key with which this node votes, and what its signing journal holds. */
export interface OwnVoter {
  readonly key: PublicKey;
  readonly record: VotingRecord;
}

/** The chain and the clock by which the voters of a node decide. */
export interface Surroundings {
  readonly epoch: Epoch;
  readonly moment: Moment;
  readonly intervalMs: number;
  readonly certificates: readonly Certificate[];
  readonly descends: Descends;
}

interface Voting {
  readonly key: PublicKey;
  record: VotingRecord;
  /** The last prepare since the start. */
  prepared: VoteSubject | undefined;
  isStopped: boolean;
  /** A vote of a later view is not from before the start, nor from before the unlocking: another machine casts it. */
  since: number;
}

/** The keys with which this node votes: each that is configured and belongs to an epoch's voters. */
export class OwnVoters {
  readonly #voters: Voting[] = [];

  /** `started` is the slot in which the process has started. */
  constructor(voters: readonly OwnVoter[], started: number) {
    for (const voter of voters) this.begin(voter, started);
  }

  /**
   * Takes in a key whose journal has begun, or another beginning of a key's journal, with which a stopped key votes
   * again. Votes that the machine has ordered since stay. `slot` is the present one: an operator's word may date the
   * beginning back.
   */
  begin({ key, record }: OwnVoter, slot: number): void {
    const voting = this.#voters.find((each) => each.key === key);
    const { begun, signed_first_block } = record;
    if (voting === undefined)
      return void this.#voters.push({ key, record, prepared: undefined, isStopped: false, since: slot });
    voting.record = { ...voting.record, begun, signed_first_block };
    if (!voting.isStopped) return;
    voting.isStopped = false;
    voting.prepared = undefined;
    voting.since = slot;
  }

  /** Somebody else signs with the key: it votes no more until its journal begins anew. */
  stop(key: PublicKey): void {
    const voting = this.#voters.find((each) => each.key === key);
    if (voting !== undefined) voting.isStopped = true;
  }

  /** The keys and what their journals hold. */
  get all(): readonly (OwnVoter & { readonly isStopped: boolean })[] {
    return this.#voters;
  }

  /** Returns whether this node votes in the epoch. */
  areMembers({ voters: { keys } }: Epoch): boolean {
    return this.#voters.some(({ key, isStopped }) => !isStopped && keys.includes(key));
  }

  /** The certificates behind the locks. */
  get locks(): readonly Certificate[] {
    return this.#voters.flatMap(({ record: { lock } }) => (lock === undefined ? [] : [lock]));
  }

  /** Prepares the block in that view, with each key that may. */
  prepare(view: number, stated: StatedBlock, surroundings: Surroundings): FinalityAction[] {
    const { epoch, moment, intervalMs, certificates, descends } = surroundings;
    if (!isTimely(view, moment, intervalMs)) return [];
    const { epoch: number, digest } = epoch.voters;
    const subject: VoteSubject = { epoch: number, voters: digest, view, kind: 'prepare', ...stated };
    return this.#inEpoch(epoch).flatMap(({ voting, voter }) => {
      if (!mayPrepare({ record: voting.record, epoch, certificates, descends }, subject)) return [];
      voting.record = withPrepare(voting.record, epoch, subject);
      voting.prepared = subject;
      return [{ do: 'sign' as const, key: voting.key, voter, subject, record: voting.record }];
    });
  }

  /** Commits what the certificate of prepares is for, with each key that may. */
  commit(certificate: Certificate, surroundings: Surroundings): FinalityAction[] {
    const { epoch, moment, intervalMs } = surroundings;
    if (!isTimely(certificate.subject.view, moment, intervalMs)) return [];
    return this.#inEpoch(epoch).flatMap(({ voting, voter }) => {
      if (!isSameStatement(certificate.subject, voting.prepared)) return [];
      if (!mayCommit(voting.record, epoch, certificate, moment, intervalMs)) return [];
      voting.record = withCommit(voting.record, certificate);
      const subject: VoteSubject = { ...certificate.subject, kind: 'commit' };
      return [{ do: 'sign' as const, key: voting.key, voter, subject, record: voting.record }];
    });
  }

  /**
   * Looks at a vote that a key of this node has signed. If the journal doesn't hold it, another machine has the key,
   * and this one stops; or the vote is from before the start, and the journal is an older one: it counts as begun now.
   */
  notice(vote: Vote, key: PublicKey, { nowMs }: Moment, intervalMs: number): FinalityAction[] {
    const voting = this.#voters.find((each) => each.key === key);
    if (voting === undefined || voting.isStopped || !isForeign(vote.subject, voting.record)) return [];
    if (vote.subject.view > voting.since) {
      voting.isStopped = true;
      return [{ do: 'stop_voter', key, vote }];
    }
    voting.record = { ...voting.record, begun: Math.trunc(nowMs / intervalMs), signed_first_block: false };
    return [{ do: 'record', key, record: voting.record }];
  }

  #inEpoch({ voters: { keys } }: Epoch): { readonly voting: Voting; readonly voter: number }[] {
    return this.#voters.flatMap((voting) => {
      const voter = keys.indexOf(voting.key);
      return voting.isStopped || voter < 0 ? [] : [{ voting, voter }];
    });
  }
}

/** Returns whether a vote is above what the journal holds of its kind, or contradicts it. */
function isForeign(subject: VoteSubject, { last_prepare, lock }: VotingRecord): boolean {
  const last = subject.kind === 'prepare' ? last_prepare : lock?.subject;
  if (last === undefined) return true;
  const above = compareViews(subject, last);
  return above > 0 || (above === 0 && subject.block !== last.block);
}

function isSameStatement(one: VoteSubject, other: VoteSubject | undefined): boolean {
  return (
    other !== undefined &&
    compareViews(one, other) === 0 &&
    one.block === other.block &&
    one.header === other.header &&
    one.root === other.root &&
    one.next_voters === other.next_voters
  );
}
