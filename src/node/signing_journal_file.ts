import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { ForeignBlock, SigningJournal, SigningRecord } from '../witness/signing_journal.ts';
import { syncFolder, writeWholeFile } from './data_folder/whole_file.ts';
import { NotedSlots } from './noted_slots.ts';
import { journalLineIn, lineOf, readJournal, type JournalLine } from './signing_journal_lines.ts';
import { onDisk } from './system_error.ts';

const FOR_OWNER = 0o600;
/** Some ten thousand records; what is above is cut down to the newest of them when the node starts. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const KEPT_RECORDS = 4096;

/** The signing journal as a file of lines, outside the data folder, so that whoever starts over with the chain doesn't lose it. */
export class SigningJournalFile implements SigningJournal {
  readonly #path: string;
  #file: number | undefined;
  readonly #noted = new NotedSlots();
  readonly #damagedLine: number | undefined;
  #bytes = 0;
  /** After a failed write nobody knows what lies on the disk: nothing is signed any more. */
  #hasFailed = false;

  /** Opens the journal, or begins one. A damaged one is left as it is until something is signed. */
  constructor(path: string) {
    this.#path = path;
    const { lines, bytes, damagedLine } = readJournal(path);
    this.#damagedLine = damagedLine;
    for (const line of lines) this.#note(line);
    if (damagedLine === undefined) this.#open(lines, bytes);
    else this.#bytes = this.#sizeNow();
  }

  get isDamaged(): boolean {
    return this.#damagedLine !== undefined;
  }

  /** What an operator has to know of a damaged journal. */
  get damage(): string | undefined {
    return this.#damagedLine === undefined
      ? undefined
      : `${this.#path}: line ${this.#damagedLine} is damaged, so it is not known all that was signed`;
  }

  lastSlot(chain: Digest, key: PublicKey): number | undefined {
    return this.#noted.lastSlot(chain, key);
  }

  digestOf(chain: Digest, key: PublicKey, slot: number): Digest | undefined {
    return this.#noted.digestOf(chain, key, slot);
  }

  /** Looks at the disk as well: the operator may have unlocked the key meanwhile. */
  lockOf(chain: Digest, key: PublicKey): ForeignBlock | undefined {
    if (this.#noted.lockOf(chain, key) !== undefined) this.#noteUnlocked();
    return this.#noted.lockOf(chain, key);
  }

  /** What is remembered of a chain's slots, oldest first. */
  signedOf(chain: Digest): ReturnType<NotedSlots['signedOf']> {
    return this.#noted.signedOf(chain);
  }

  record(record: SigningRecord): void {
    if (this.#file === undefined) this.#beginAfterDamage();
    this.#append({ kind: 'signed', ...record });
  }

  lock(foreign: ForeignBlock): void {
    this.#append({ kind: 'foreign', ...foreign });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(lines: readonly JournalLine[], bytes: number): void {
    const isLong = bytes > LARGEST_BYTES;
    if (isLong) writeWholeFile(this.#path, newestOf(lines).map(lineOf).join(''), FOR_OWNER);
    const file = this.#onDisk(() => openSync(this.#path, 'a', FOR_OWNER));
    this.#file = file;
    this.#onDisk(() => {
      // What a failure of power has cut off was signed by nobody.
      if (!isLong) ftruncateSync(file, bytes);
      fdatasyncSync(file);
      syncFolder(dirname(this.#path));
    });
    this.#bytes = this.#onDisk(() => fstatSync(file).size);
  }

  /** On the disk when it returns; whatever fails, nobody gets a signature for it, nor for anything later. */
  #append(line: JournalLine): void {
    if (this.#hasFailed) throw new Fault('disk', `${this.#path}: a write has failed before; start the node again`);
    if (this.#file === undefined) return this.#appendToDamaged(line);
    const file = this.#file;
    this.#hasFailed = true;
    this.#onDisk(() => {
      this.#requireOwn(file);
      const bytes = Buffer.from(lineOf(line));
      for (let at = 0; at < bytes.length;) at += this.#written(writeSync(file, bytes, at));
      fdatasyncSync(file);
      this.#bytes += bytes.length;
    });
    this.#hasFailed = false;
    this.#note(line);
  }

  /** It stays damaged: what isn't known to be signed is no less unknown. */
  #appendToDamaged(line: JournalLine): void {
    this.#onDisk(() => {
      const file = openSync(this.#path, 'a', FOR_OWNER);
      try {
        // Behind a line that is cut off.
        writeSync(file, `\n${lineOf(line)}`);
        fdatasyncSync(file);
        this.#bytes = fstatSync(file).size;
      } finally {
        closeSync(file);
      }
    });
    this.#note(line);
  }

  #written(count: number): number {
    if (count === 0) throw new Fault('disk', `cannot write ${this.#path}: the system takes no more bytes`);
    return count;
  }

  /** Keys may be unlocked meanwhile; whoever has written anything else signs with this journal, too. */
  #requireOwn(file: number): void {
    this.#noteUnlocked();
    if (fstatSync(file).size !== this.#bytes) throw new Fault('runtime', `${this.#path}: another node writes this signing journal, too`);
  }

  /** Takes in what was written behind our last line, if it does nothing but unlock keys. */
  #noteUnlocked(): void {
    const size = this.#sizeNow();
    if (size <= this.#bytes) return;
    const added = this.#onDisk(() => readFileSync(this.#path).subarray(this.#bytes, size).toString('latin1'));
    const lines = added
      .split('\n')
      .filter((text) => text !== '')
      .map(journalLineIn);
    if (!added.endsWith('\n') || !lines.every((line) => line?.kind === 'unlocked')) return;
    for (const line of lines) this.#note(line);
    this.#bytes = size;
  }

  #sizeNow(): number {
    const file = this.#file;
    return this.#onDisk(() => (file === undefined ? statSync(this.#path) : fstatSync(file)).size);
  }

  /** Keeps the damaged file under another name, and what could be read of it. */
  #beginAfterDamage(): void {
    const { lines } = readJournal(this.#path);
    const damaged = this.#onDisk(() => readFileSync(this.#path, 'latin1'));
    writeWholeFile(`${this.#path}.damaged`, damaged, FOR_OWNER);
    const text = lines.map(lineOf).join('');
    writeWholeFile(this.#path, text, FOR_OWNER);
    this.#open(lines, text.length);
  }

  #note(line: JournalLine): void {
    if (line.kind === 'unlocked') this.#noted.noteUnlocked(line.chain, line.key);
    else if (line.kind === 'foreign') this.#noted.noteLocked(line);
    else this.#noted.noteSigned(line.chain, line);
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}

/** The last ones, of each key the very last, and all that locks a key. */
function newestOf(lines: readonly JournalLine[]): readonly JournalLine[] {
  const lastOf = new Map(lines.map((line) => [`${line.kind} ${line.chain} ${line.key}`, line]));
  const kept = new Set([...lines.slice(-KEPT_RECORDS), ...lastOf.values()]);
  return lines.filter((line) => kept.has(line));
}
