import { present } from '../../src/base/assert.ts';
import type { VotingRecord } from '../../src/blocks/finality/voting_record.ts';
import type { RecordedEpoch, RecordedEpochs } from '../../src/witness/vote_evidence.ts';
import type { KeyRecord, VotingJournal } from '../../src/witness/voting_journal.ts';

/** A voting journal that a test keeps and loses. */
export class MemoryVotingJournal implements VotingJournal {
  readonly #records = new Map<string, VotingRecord>();
  readonly #epochs = new Map<string, RecordedEpoch>();
  readonly #ended = new Set<string>();

  votingRecord(chain: string, key: string): VotingRecord | undefined {
    return this.#ended.has(`${chain} ${key}`) ? undefined : this.#records.get(`${chain} ${key}`);
  }

  begin(chain: string, key: string, begun: number, signed_first_block: boolean): void {
    const { last_prepare, lock } = this.#records.get(`${chain} ${key}`) ?? {};
    this.#ended.delete(`${chain} ${key}`);
    this.#records.set(`${chain} ${key}`, { begun, signed_first_block, last_prepare, lock });
  }

  end(chain: string, key: string): void {
    this.#ended.add(`${chain} ${key}`);
  }

  epochs(chain: string): RecordedEpochs {
    return {
      epochOf: (epoch) => this.#epochs.get(`${chain} ${epoch}`),
      recordEpoch: (epoch, recorded) => void this.#epochs.set(`${chain} ${epoch}`, recorded),
    };
  }

  record(chain: string, records: readonly KeyRecord[]): void {
    for (const { key, record } of records) {
      present(this.votingRecord(chain, key), 'the beginning of the journal');
      this.#records.set(`${chain} ${key}`, record);
    }
  }

  /** The disk is gone. */
  lose(): void {
    this.#records.clear();
    this.#ended.clear();
    this.#epochs.clear();
  }

  close(): void {
    // It has no file.
  }
}
