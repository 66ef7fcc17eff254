import type { WriteLine } from '../base/log_events/index.ts';
import { present } from '../base/assert.ts';
import { catchRefusal } from '../base/refusal.ts';
import { signWithSecret } from '../blocks/sign_transaction.ts';
import { voteDigest } from '../blocks/finality/vote.ts';
import type { VotingRecord } from '../blocks/finality/voting_record.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { SignAnswer } from './sign_answer.ts';
import { requireEvidence } from './vote_evidence.ts';
import { requireRising, type ShownVote, type VoteToSign, type VotingJournal } from './voting_journal.ts';

/** Signs votes of one chain, and remembers them. */
export interface VotingSigner {
  /** True when it needs evidence that votes may be cast, because it is another process. */
  readonly wantsEvidence: boolean;
  /** Returns a key's voting record; undefined when its journal has not begun, or has ended. */
  votingRecord(key: PublicKey): VotingRecord | undefined;
  /**
   * Begins the journal of a key, or moves its beginning, to a slot that clocks of peers confirm. Its votes stay. A
   * signer process may take its time: until it answers, a journal that had not begun has no record.
   */
  begin(key: PublicKey, slot: number, signedFirstBlock: boolean): void;
  /** Ends the journal of a key with which somebody else signs: nothing is signed until it has begun anew. */
  end(key: PublicKey): void;
  /** The answers come in the order of the votes, at once or later, or never. Each key is named once. */
  sign(votes: readonly (VoteToSign | ShownVote)[], done: (answers: readonly SignAnswer[]) => void): void;
}

/** Signs with keys of this process: the journal is on the disk before anybody gets a signature. */
export class LocalVotingSigner implements VotingSigner {
  readonly wantsEvidence = false;
  readonly #chain: Digest;
  readonly #journal: VotingJournal;
  readonly #secrets: ReadonlyMap<PublicKey, Uint8Array>;
  readonly #warn: WriteLine<'warning'>;

  constructor(
    chain: Digest,
    journal: VotingJournal,
    secrets: ReadonlyMap<PublicKey, Uint8Array>,
    warn: WriteLine<'warning'> = () => undefined,
  ) {
    this.#warn = warn;
    this.#chain = chain;
    this.#journal = journal;
    this.#secrets = secrets;
  }

  votingRecord(key: PublicKey): VotingRecord | undefined {
    return this.#journal.votingRecord(this.#chain, key);
  }

  begin(key: PublicKey, slot: number, signedFirstBlock: boolean): void {
    this.#journal.begin(this.#chain, key, slot, signedFirstBlock);
  }

  end(key: PublicKey): void {
    this.#journal.end(this.#chain, key);
  }

  /** Evidence is looked at where it comes with a vote. */
  sign(votes: readonly (VoteToSign | ShownVote)[], done: (answers: readonly SignAnswer[]) => void): void {
    const refusals = votes.map((vote) => catchRefusal(() => this.#require(vote)));
    this.#journal.record(
      this.#chain,
      votes.filter((_, index) => refusals[index] === undefined),
    );
    done(
      votes.map((vote, index) => {
        const refusal = refusals[index];
        return refusal === undefined
          ? this.#signed(vote)
          : { kind: 'refused', code: refusal.code, message: refusal.message };
      }),
    );
  }

  #require(vote: VoteToSign | ShownVote): void {
    const before = this.votingRecord(vote.key);
    requireRising(before, vote);
    if (!('evidence' in vote)) return;
    const origin = requireEvidence(this.#chain, before, vote, vote.evidence, this.#journal.epochs(this.#chain));
    if (origin === 'word')
      this.#warn(
        `the voters of epoch ${vote.subject.epoch}, ${vote.subject.voters}, are taken by the node's word alone`,
        'voters_unproved',
        { epoch: vote.subject.epoch },
      );
  }

  #signed({ key, subject }: VoteToSign): SignAnswer {
    const secret = present(this.#secrets.get(key), 'the secret of a key of this signer');
    return {
      kind: 'signed',
      signature: present(signWithSecret(voteDigest(this.#chain, subject), secret), 'a signature'),
    };
  }
}
