import { existsSync, readFileSync } from 'node:fs';
import type { VotingRecord } from '../../blocks/finality/voting_record.ts';
import { FOR_OWNER, SyncedFile } from '../../system/synced_file.ts';
import { onDisk } from '../../system/system_error.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { KeyRecord, VotingJournal } from '../voting_journal.ts';
import type { RecordedEpochs } from '../vote_evidence.ts';
import { parseVotingLine, journalText, type EpochLine, type VotingLine } from './voting_journal_lines.ts';

/** Six hours of one voter. The file then shrinks to the newest record of each key. */
const LARGEST_BYTES = 32 * 1024 * 1024;
/** Votes of older epochs are signed by nobody any more. */
const KEPT_EPOCHS = 64;

/** The suffix of the file, which lies beside the signing journal. */
export const VOTES_SUFFIX = '.votes';

/** The voting journal as a file of lines. One process writes it; a second one is noticed at the next vote. */
export class VotingJournalFile implements VotingJournal {
  readonly #file: SyncedFile;
  readonly #largestBytes: number;
  readonly #noted = new Map<string, VotingLine>();
  readonly #epochs = new Map<string, EpochLine>();
  readonly #damage: string | undefined;

  /** Opens the journal, or begins one. Of a damaged journal the readable votes stay, and each key has to begin anew. */
  constructor(path: string, largestBytes = LARGEST_BYTES) {
    this.#file = new SyncedFile(path, {
      conflict: 'another node writes this voting journal, too; stop one of the two',
      takeIn: (added) => this.#noteEnded(added),
    });
    this.#largestBytes = largestBytes;
    const text = existsSync(path) ? onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1')) : '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const lines = whole.split('\n').slice(0, -1).map(parseVotingLine);
    const damaged = lines.indexOf(undefined);
    for (const line of lines) if (line !== undefined) this.#note(line);
    if (damaged < 0) {
      this.#file.open(whole.length);
      return;
    }
    this.#damage = `${path}: line ${damaged + 1} is damaged, so votes may be missing: until a later epoch begins, this node votes only for what newer certificates name; the file is kept as ${path}.damaged`;
    writeWholeFile(`${path}.damaged`, Buffer.from(text, 'latin1'), FOR_OWNER);
    for (const { chain, key } of this.#noted.values()) this.#note({ chain, key, hasEnded: true, changed: {} });
    this.#writeAnew();
  }

  /** Tells the operator which line of the journal is damaged; undefined for a sound one. */
  get damage(): string | undefined {
    return this.#damage;
  }

  votingRecord(chain: Digest, key: PublicKey): VotingRecord | undefined {
    const { begun, signed_first_block, last_prepare, lock } = this.#noted.get(`${chain} ${key}`)?.changed ?? {};
    return begun === undefined
      ? undefined
      : { begun, signed_first_block: signed_first_block ?? false, last_prepare, lock };
  }

  begin(chain: Digest, key: PublicKey, begun: number, signed_first_block: boolean): void {
    this.#append([{ chain, key, changed: { begun, signed_first_block } }]);
  }

  end(chain: Digest, key: PublicKey): void {
    this.#append([{ chain, key, hasEnded: true, changed: {} }]);
  }

  epochs(chain: Digest): RecordedEpochs {
    return {
      epochOf: (epoch) => this.#epochs.get(`${chain} ${epoch}`),
      recordEpoch: (epoch, { voters, start }) => this.#append([{ chain, epoch, voters, start }]),
    };
  }

  record(chain: Digest, records: readonly KeyRecord[]): void {
    this.#append(
      records.map(({ key, record }) => ({
        chain,
        key,
        changed: changedMembers(this.votingRecord(chain, key), record),
      })),
    );
  }

  close(): void {
    this.#file.close();
  }

  #append(lines: readonly (VotingLine | EpochLine)[]): void {
    this.#file.append(lines.map(journalText).join(''));
    for (const line of lines) this.#note(line);
    if (this.#file.bytes > this.#largestBytes) this.#writeAnew();
  }

  /** Takes in the ends of keys that their operator unlocks. Another process that adds anything else votes with this journal. */
  #noteEnded(added: string): boolean {
    const lines = added
      .split('\n')
      .filter((text) => text !== '')
      .map(parseVotingLine);
    const areEnds = added.endsWith('\n') && lines.every((line) => line !== undefined && isEnd(line));
    if (areEnds) for (const line of lines) if (line !== undefined) this.#note(line);
    return areEnds;
  }

  #writeAnew(): void {
    const lines = [...[...this.#epochs.values()].slice(-KEPT_EPOCHS), ...this.#noted.values()];
    this.#file.replace(lines.map(journalText).join(''));
  }

  #note(line: VotingLine | EpochLine): void {
    if (!('key' in line)) return void this.#epochs.set(`${line.chain} ${line.epoch}`, line);
    const { chain, key, hasEnded, changed } = line;
    const of = `${chain} ${key}`;
    const before = this.#noted.get(of)?.changed ?? {};
    this.#noted.set(of, { chain, key, changed: { ...(hasEnded === true ? votesOf(before) : before), ...changed } });
  }
}

function isEnd(line: VotingLine | EpochLine): boolean {
  return 'key' in line && line.hasEnded === true && Object.keys(line.changed).length === 0;
}

/** The members of a record that stay when its journal has no beginning any more. */
function votesOf({ last_prepare, lock }: Partial<VotingRecord>): Partial<VotingRecord> {
  return { ...(last_prepare && { last_prepare }), ...(lock && { lock }) };
}

/** A lock has two to four kilobytes: it is written once. */
function changedMembers(
  before: VotingRecord | undefined,
  { begun, signed_first_block, last_prepare, lock }: VotingRecord,
): Partial<VotingRecord> {
  return {
    ...(begun === before?.begun ? {} : { begun }),
    ...(signed_first_block === before?.signed_first_block ? {} : { signed_first_block }),
    ...(last_prepare === undefined || last_prepare === before?.last_prepare ? {} : { last_prepare }),
    ...(lock === undefined || isSameLock(lock, before?.lock) ? {} : { lock }),
  };
}

function isSameLock({ subject }: NonNullable<VotingRecord['lock']>, before: VotingRecord['lock']): boolean {
  return (
    before?.subject.epoch === subject.epoch &&
    before.subject.view === subject.view &&
    before.subject.block === subject.block
  );
}
