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

interface Beginning {
  readonly slot: number;
  readonly signedFirstBlock: boolean;
}

/** Has the signer process sign votes; knows what its journal holds. */
export class RemoteVoting implements VotingSigner {
  readonly wantsEvidence = true;
  readonly #parts: RemoteVotingParts;
  readonly #records = new Map<PublicKey, VotingRecord>();
  /** Beginnings that the signer has not confirmed. */
  readonly #unconfirmed = new Map<PublicKey, Beginning>();

  constructor(parts: RemoteVotingParts) {
    this.#parts = parts;
  }

  /** The signer is there, or there again, and has said what its journal holds. It may have missed beginnings. */
  opened(records: readonly KeyRecord[]): void {
    this.#records.clear();
    for (const { key, record } of records) this.#records.set(key, record);
    for (const [key, { slot, signedFirstBlock }] of this.#unconfirmed) this.begin(key, slot, signedFirstBlock);
  }

  /** The signer has begun the journal of a key. */
  begun({ key, record }: KeyRecord): void {
    this.#unconfirmed.delete(key);
    this.#records.set(key, record);
  }

  /** The signer has recorded votes. They may be older than the last beginning, or than the end. */
  voted(records: readonly KeyRecord[]): void {
    for (const { key, record } of records) {
      const known = this.#records.get(key);
      if (known === undefined) continue;
      const { begun, signed_first_block } = known;
      this.#records.set(key, { ...record, begun, signed_first_block });
    }
  }

  votingRecord(key: PublicKey): VotingRecord | undefined {
    return this.#records.get(key);
  }

  /**
   * Another beginning counts here before the signer answers: the votes until then carry it, and would undo it in the
   * journal otherwise. Only the signer knows the votes of a journal that has not begun.
   */
  begin(key: PublicKey, slot: number, signedFirstBlock: boolean): void {
    const record = this.#records.get(key);
    if (record !== undefined) this.#records.set(key, { ...record, begun: slot, signed_first_block: signedFirstBlock });
    this.#unconfirmed.set(key, { slot, signedFirstBlock });
    this.#parts.begin(key, slot, signedFirstBlock);
  }

  /** The signer ends its journal when it hears that the key is locked, which need not be now. */
  end(key: PublicKey): void {
    this.#records.delete(key);
    this.#unconfirmed.delete(key);
  }

  sign(votes: readonly (VoteToSign | ShownVote)[], done: (answers: readonly SignAnswer[]) => void): void {
    this.#parts.sign(
      votes.flatMap((vote) => ('evidence' in vote ? vote : [])),
      done,
    );
  }
}
