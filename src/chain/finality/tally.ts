import { voteDigest, type Vote, type VoteSubject } from '../../blocks/finality/vote.ts';
import type { Certificate } from '../../blocks/finality/certificate.ts';
import { isPastView } from '../../blocks/finality/counted_views.ts';
import { quorumSize, type Voters } from '../../blocks/finality/voters.ts';
import type { Digest, Signature } from '../../values/hash.ts';

/** As many blocks of a slot as a node keeps; who votes for more in one view wastes its own votes. */
const MOST_SUBJECTS_OF_VOTER = 4;

/** The result of counting a vote. */
export interface Counted {
  /** An earlier vote of the voter that this one contradicts; only for the first such vote of a view. */
  readonly contradicted?: Vote | undefined;
  /** True if others need the vote: it is the voter's first, or the first that contradicts it. */
  readonly isNew: boolean;
  /** The certificate that the vote completes. */
  readonly certificate?: Certificate | undefined;
}

/** Votes that state the same. */
interface Ballot {
  readonly subject: VoteSubject;
  readonly digest: Uint8Array;
  readonly signatures: Map<number, Signature>;
}

/** The votes of one kind in one view of an epoch. */
interface Round {
  readonly epoch: number;
  readonly view: number;
  readonly ballots: Map<string, Ballot>;
  readonly subjectsOf: Map<number, string[]>;
}

/**
 * Counts votes by everything that they state. A voter counts once for each statement, also when its votes contradict
 * each other: that makes it no stronger, because a quorum for two blocks of a view needs a third of all voters to lie.
 */
export class Tally {
  readonly #chain: Digest;
  readonly #rounds = new Map<string, Round>();

  constructor(chain: Digest) {
    this.#chain = chain;
  }

  /**
   * Returns whether a vote would count that is signed as it says: it is new, and its voter has not stated too much in
   * this view.
   */
  isNew({ subject, voter }: Vote): boolean {
    const stated = this.#rounds.get(roundKey(subject))?.subjectsOf.get(voter) ?? [];
    return stated.length < MOST_SUBJECTS_OF_VOTER && !stated.includes(subjectKey(subject));
  }

  /** The digest that the voters of a statement sign. */
  digestOf(subject: VoteSubject): Uint8Array {
    return (
      this.#rounds.get(roundKey(subject))?.ballots.get(subjectKey(subject))?.digest ?? voteDigest(this.#chain, subject)
    );
  }

  /** Counts a vote that is new and whose signature was verified. */
  add(vote: Vote, voters: Voters): Counted {
    const { subject, voter, signature } = vote;
    const round = this.#roundOf(subject);
    const ballot = this.#findBallot(round, subject);
    const stated = round.subjectsOf.get(voter) ?? [];
    round.subjectsOf.set(voter, [...stated, subjectKey(subject)]);
    ballot.signatures.set(voter, signature);
    return {
      contradicted: stated.length === 1 ? findVote(round, stated[0], voter) : undefined,
      isNew: stated.length <= 1,
      certificate: ballot.signatures.size === quorumSize(voters) ? makeCertificate(ballot) : undefined,
    };
  }

  /** Drops the votes of views that are no longer counted, and of epochs before this one. */
  forget(slot: number, epoch: number): void {
    for (const [key, round] of this.#rounds)
      if (isPastView(round.view, slot) || round.epoch < epoch) this.#rounds.delete(key);
  }

  #roundOf(subject: VoteSubject): Round {
    const key = roundKey(subject);
    const round = this.#rounds.get(key) ?? {
      epoch: subject.epoch,
      view: subject.view,
      ballots: new Map(),
      subjectsOf: new Map(),
    };
    this.#rounds.set(key, round);
    return round;
  }

  #findBallot({ ballots }: Round, subject: VoteSubject): Ballot {
    const key = subjectKey(subject);
    const ballot = ballots.get(key) ?? { subject, digest: voteDigest(this.#chain, subject), signatures: new Map() };
    ballots.set(key, ballot);
    return ballot;
  }
}

function findVote({ ballots }: Round, key: string | undefined, voter: number): Vote | undefined {
  const ballot = key === undefined ? undefined : ballots.get(key);
  const signature = ballot?.signatures.get(voter);
  return ballot === undefined || signature === undefined ? undefined : { subject: ballot.subject, voter, signature };
}

function makeCertificate({ subject, signatures }: Ballot): Certificate {
  const signed = [...signatures].map(([voter, signature]) => ({ voter, signature }));
  return { subject, signatures: signed.sort((a, b) => a.voter - b.voter) };
}

function roundKey({ epoch, view, kind, voters }: VoteSubject): string {
  return `${epoch} ${view} ${kind} ${voters}`;
}

function subjectKey({ block, header, root, next_voters }: VoteSubject): string {
  return block + header + root + next_voters;
}
