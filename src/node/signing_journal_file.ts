import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { SigningJournal, SigningRecord } from '../witness/signing_journal.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { syncFolder, writeWholeFile } from './data_folder/whole_file.ts';
import { hexOf, membersIn } from './json_members.ts';
import { onDisk } from './system_error.ts';

const FOR_OWNER = 0o600;
/** Some ten thousand records; what is above is cut down to the newest of them when the node starts. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const KEPT_RECORDS = 4096;

/** The signing journal as a file of lines, outside the data folder, so that whoever starts over with the chain doesn't lose it. */
export class SigningJournalFile implements SigningJournal {
  readonly #path: string;
  readonly #file: number;
  readonly #last = new Map<string, number>();
  #bytes: number;

  /** Opens the journal, or begins one. Fault `damaged_data` when it can't be trusted. */
  constructor(path: string) {
    this.#path = path;
    const { records, bytes } = readRecords(path);
    for (const { chain, key, slot } of records) this.#note(chain, key, slot);
    const isLong = bytes > LARGEST_BYTES;
    if (isLong) writeWholeFile(path, newestOf(records).map(lineOf).join(''), FOR_OWNER);
    this.#file = this.#onDisk(() => openSync(path, 'a', FOR_OWNER));
    this.#onDisk(() => {
      // What a failure of power has cut off was signed by nobody.
      if (!isLong) ftruncateSync(this.#file, bytes);
      fdatasyncSync(this.#file);
      syncFolder(dirname(path));
    });
    this.#bytes = this.#onDisk(() => fstatSync(this.#file).size);
  }

  lastSlot(chain: Digest, key: PublicKey): number | undefined {
    return this.#last.get(`${chain} ${key}`);
  }

  record(record: SigningRecord): void {
    const { chain, key, slot } = record;
    this.#onDisk(() => {
      if (fstatSync(this.#file).size !== this.#bytes)
        throw new Fault('runtime', `${this.#path}: another node writes this signing journal, too`);
      const line = Buffer.from(lineOf(record));
      writeSync(this.#file, line);
      fdatasyncSync(this.#file);
      this.#bytes += line.length;
    });
    this.#note(chain, key, slot);
  }

  close(): void {
    closeSync(this.#file);
  }

  #note(chain: Digest, key: PublicKey, slot: number): void {
    const of = `${chain} ${key}`;
    this.#last.set(of, Math.max(slot, this.#last.get(of) ?? 0));
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}

function lineOf({ chain, key, slot, digest, id, previous }: SigningRecord): string {
  return `${JSON.stringify({ chain, key, slot, digest, id, previous })}\n`;
}

/** The last ones, and of each key the very last. */
function newestOf(records: readonly SigningRecord[]): readonly SigningRecord[] {
  const lastOf = new Map(records.map((record) => [`${record.chain} ${record.key}`, record]));
  const kept = new Set([...records.slice(-KEPT_RECORDS), ...lastOf.values()]);
  return records.filter((record) => kept.has(record));
}

/** The whole lines, and how many bytes they have. */
function readRecords(path: string): { readonly records: readonly SigningRecord[]; readonly bytes: number } {
  const text = existsSync(path) ? onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1')) : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').slice(0, -1);
  return { records: lines.map((line, index) => recordIn(path, line, index + 1)), bytes: whole.length };
}

function recordIn(path: string, line: string, number: number): SigningRecord {
  const record = wholeRecordIn(line);
  if (record !== undefined) return record;
  throw new Fault(
    'damaged_data',
    `${path}: line ${number} is damaged, so it is not known what was signed; make sure that no other node signs with the same key, wait a round, and move the file away`,
  );
}

/** Undefined unless each member is there and has its form. */
function wholeRecordIn(line: string): SigningRecord | undefined {
  const { slot, ...said } = membersIn(line) ?? {};
  const [chain, key, digest] = [hexOf(said['chain'], 32), hexOf(said['key'], 33), hexOf(said['digest'], 32)];
  const [id, previous] = [hexOf(said['id'], 20), hexOf(said['previous'], 20)];
  if (chain === undefined || key === undefined || digest === undefined || id === undefined || previous === undefined) return undefined;
  return typeof slot === 'number' && Number.isSafeInteger(slot) && slot >= 0 ? { chain, key, slot, digest, id, previous } : undefined;
}
