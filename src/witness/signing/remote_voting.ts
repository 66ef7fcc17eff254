import type { VotingRecord } from '../../blocks/finality/voting_record.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { SignAnswer } from '../sign_answer.ts';
import type { KeyRecord, ShownVote, VoteToSign } from '../voting_journal.ts';
import type { VotingSigner } from '../voting_signer.ts';

/** The ways to the signer process. While it is gone they lead nowhere. */
export interface RemoteVotingParts {
  readonly begin: (key: PublicKey, slot: number, signedFirstBlock: boolean) => void;
  readonly sign: (votes: readonly ShownVote[], done: (answers: readonly SignAnswer[]) => void) => void;
}

/** Has the signer process sign votes; knows what its journal holds. */
export class RemoteVoting implements VotingSigner {
  readonly wantsEvidence = true;
  readonly #parts: RemoteVotingParts;
  readonly #records = new Map<PublicKey, VotingRecord>();

  constructor(parts: RemoteVotingParts) {
    this.#parts = parts;
  }

  /** The signer has said what its journal holds. */
  take(records: readonly KeyRecord[]): void {
    for (const { key, record } of records) this.#records.set(key, record);
  }

  votingRecord(key: PublicKey): VotingRecord | undefined {
    return this.#records.get(key);
  }

  begin(key: PublicKey, slot: number, signedFirstBlock: boolean): void {
    this.#parts.begin(key, slot, signedFirstBlock);
  }

  sign(votes: readonly (VoteToSign | ShownVote)[], done: (answers: readonly SignAnswer[]) => void): void {
    this.#parts.sign(
      votes.flatMap((vote) => ('evidence' in vote ? vote : [])),
      done,
    );
  }
}
