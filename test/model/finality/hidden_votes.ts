import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { voteDigest, type Vote, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { quorumSize, type Voters } from '../../../src/blocks/finality/voters.ts';
import { CHAIN_ID, keyOfNode } from './machine_blocks.ts';

interface Ballot {
  readonly subject: VoteSubject;
  readonly voters: Voters;
  readonly signatures: Map<number, string>;
}

/**
 * The knowledge of liars that work together: they vote for everything, keep their votes to themselves, and show
 * certificates at the worst moment.
 */
export class HiddenVotes {
  readonly #liars: readonly number[];
  readonly #ballots = new Map<string, Ballot>();
  readonly #hidden: Certificate[] = [];

  constructor(liars: readonly number[]) {
    this.#liars = liars;
  }

  hear({ subject, voter, signature }: Vote, voters: Voters): void {
    const key = `${subject.voters} ${subject.view} ${subject.kind} ${subject.block}`;
    const ballot = this.#ballots.get(key) ?? { subject, voters, signatures: this.#signedByLiars(subject, voters) };
    this.#ballots.set(key, ballot);
    const before = ballot.signatures.size;
    ballot.signatures.set(voter, signature);
    if (before < quorumSize(voters) && ballot.signatures.size >= quorumSize(voters))
      this.#hidden.push(makeCertificate(ballot));
  }

  /** Certificates that were completed, the newest last. */
  get certificates(): readonly Certificate[] {
    return this.#hidden;
  }

  #signedByLiars(subject: VoteSubject, { keys }: Voters): Map<number, string> {
    const digest = Buffer.from(voteDigest(CHAIN_ID, subject)).toString('hex');
    const places = this.#liars
      .map((liar) => ({ liar, voter: keys.indexOf(keyOfNode(liar)) }))
      .filter(({ voter }) => voter >= 0);
    return new Map(places.map(({ liar, voter }) => [voter, keyOfNode(liar) + digest]));
  }
}

function makeCertificate({ subject, signatures }: Ballot): Certificate {
  const signed = [...signatures].map(([voter, signature]) => ({ voter, signature }));
  return { subject, signatures: signed.sort((one, other) => one.voter - other.voter) };
}
