import { readFileSync } from 'node:fs';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock, SigningJournal, SigningRecord } from '../signing_journal.ts';
import { FOR_OWNER, SyncedFile } from '../../system/synced_file.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { NotedSlots } from './noted_slots.ts';
import { parseJournalLine, formatLine, readJournal, type JournalLine } from './signing_journal_lines.ts';
import { onDisk } from '../../system/system_error.ts';

/** Some ten thousand records; what is above is cut down to the newest of them when the node starts. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const KEPT_RECORDS = 4096;

/**
 * The signing journal as a file of lines, outside the data folder, so that whoever starts over with the chain doesn't
 * lose it.
 */
export class SigningJournalFile implements SigningJournal {
  readonly #path: string;
  readonly #file: SyncedFile;
  readonly #noted = new NotedSlots();
  readonly #damagedLine: number | undefined;

  /** Opens the journal, or begins one. A damaged one is left as it is until something is signed. */
  constructor(path: string) {
    this.#path = path;
    this.#file = new SyncedFile(path, {
      conflict: 'another node writes this signing journal, too',
      takeIn: (added) => this.#noteUnlocked(added),
    });
    const { lines, bytes, damagedLine } = readJournal(path);
    this.#damagedLine = damagedLine;
    for (const line of lines) this.#note(line);
    if (damagedLine !== undefined) this.#file.leaveClosed();
    else if (bytes > LARGEST_BYTES) this.#replace(newestLines(lines));
    else this.#file.open(bytes);
  }

  get isDamaged(): boolean {
    return this.#damagedLine !== undefined;
  }

  /** Describes a damaged journal to the operator. */
  get damage(): string | undefined {
    return this.#damagedLine === undefined
      ? undefined
      : `${this.#path}: line ${this.#damagedLine} is damaged, so it is not known all that was signed; the node waits for a round before it signs, keeps the file as ${this.#path}.damaged, and goes on`;
  }

  lastSlot(chain: Digest, key: PublicKey): number | undefined {
    return this.#noted.lastSlot(chain, key);
  }

  signedDigest(chain: Digest, key: PublicKey, slot: number): Digest | undefined {
    return this.#noted.signedDigest(chain, key, slot);
  }

  /** Looks at the disk as well: the operator may have unlocked the key meanwhile. */
  foreignLock(chain: Digest, key: PublicKey): ForeignBlock | undefined {
    if (this.#noted.foreignLock(chain, key) !== undefined) this.#file.takeInOthers();
    return this.#noted.foreignLock(chain, key);
  }

  /** Returns the remembered slots of a chain, oldest first. */
  signedOf(chain: Digest): ReturnType<NotedSlots['signedSlots']> {
    return this.#noted.signedSlots(chain);
  }

  record(record: SigningRecord): void {
    if (!this.#file.isOpen) this.#beginAfterDamage();
    this.#append({ kind: 'signed', ...record });
  }

  lock(foreign: ForeignBlock): void {
    this.#append({ kind: 'foreign', ...foreign });
  }

  close(): void {
    this.#file.close();
  }

  /** On the disk when it returns; whatever fails, nobody gets a signature for it, nor for anything later. */
  #append(line: JournalLine): void {
    if (this.#file.isOpen) this.#file.append(formatLine(line));
    // The file stays damaged, and the line stands behind one that may be cut off.
    else this.#file.appendClosed(`\n${formatLine(line)}`);
    this.#note(line);
  }

  /** Takes in unlocked keys. Another node signs with this journal when anything else was written. */
  #noteUnlocked(added: string): boolean {
    const lines = added
      .split('\n')
      .filter((text) => text !== '')
      .map(parseJournalLine);
    const isUnlocking = added.endsWith('\n') && lines.every((line) => line?.kind === 'unlocked');
    if (isUnlocking) for (const line of lines) this.#note(line);
    return isUnlocking;
  }

  /** Keeps the damaged file under another name, and what could be read of it. */
  #beginAfterDamage(): void {
    const { lines } = readJournal(this.#path);
    const damaged = onDisk(`cannot write ${this.#path}`, () => readFileSync(this.#path));
    writeWholeFile(`${this.#path}.damaged`, damaged, FOR_OWNER);
    this.#replace(lines);
    if (this.#file.bytes > LARGEST_BYTES) this.#replace(newestLines(lines));
  }

  #replace(lines: readonly JournalLine[]): void {
    this.#file.replace(lines.map(formatLine).join(''));
  }

  #note(line: JournalLine): void {
    if (line.kind === 'unlocked') this.#noted.noteUnlocked(line.chain, line.key);
    else if (line.kind === 'foreign') this.#noted.noteLocked(line);
    else this.#noted.noteSigned(line.chain, line);
  }
}

/** The last ones, of each key the very last, and all that locks a key. */
function newestLines(lines: readonly JournalLine[]): readonly JournalLine[] {
  const lastOf = new Map(lines.map((line) => [`${line.kind} ${line.chain} ${line.key}`, line]));
  const kept = new Set([...lines.slice(-KEPT_RECORDS), ...lastOf.values()]);
  return lines.filter((line) => kept.has(line));
}
