import { closeSync, existsSync, fdatasync, fdatasyncSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { HeadJournal, HeadMark } from '../../chain/head_journal.ts';
import type { HeadRecord } from '../../chain/head_record.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { View } from '../../storage/view.ts';
import type { BlockId } from '../../values/hash.ts';
import { onDisk } from '../system_error.ts';
import { thisBoot } from './this_boot.ts';
import { wayOut } from './way_out.ts';
import { syncFolder } from './whole_file.ts';

export const JOURNAL_FILE = 'pharos-head.journal';

/** What a journal says. */
interface JournalEntry {
  /** The later one of two counts. */
  readonly sequence: number;
  /** The head that the store must have or have had, unless the machine has started again since. */
  readonly written: HeadMark;
  /** The same whatever has happened. */
  readonly durable: HeadMark;
  /** In which run of the machine this was written. */
  readonly boot?: string;
}

/** Two entries, written in turn, so that one is whole when the power fails under the other; each in sectors of its own. */
const ENTRIES = 2;
const ENTRY_BYTES = 4096;

/**
 * The journal of heads, a file of two lines. An entry is in the system's hands before a block is told to anybody, which is enough unless
 * the machine fails; to the disk it goes behind the block's back, within the time that the disk takes for one write.
 */
export class HeadJournalFile implements HeadJournal {
  readonly #path: string;
  readonly #file: number;
  readonly #failed: (fault: Fault) => void;
  readonly #boot = thisBoot();
  #last: JournalEntry | undefined;
  #isSyncing = false;
  #isBehind = false;
  #isClosed = false;

  /** Opens the journal of a folder, or begins it. `failed` hears when the disk doesn't take an entry after all. */
  constructor(folder: string, failed: (fault: Fault) => void) {
    this.#path = join(folder, JOURNAL_FILE);
    this.#failed = failed;
    const isNew = !existsSync(this.#path);
    this.#last = isNew ? undefined : readJournal(folder);
    this.#file = this.#onDisk(() => openSync(this.#path, isNew ? 'w+' : 'r+'));
    if (isNew) this.#onDisk(() => this.#begin());
  }

  note(head: HeadMark, durable: boolean): void {
    this.#write({ written: head, durable: durable ? head : (this.#last?.durable ?? head) });
    if (durable) this.#syncSoon();
  }

  goBack(head: HeadMark): void {
    const last = this.#last;
    if (last === undefined || last.written.number <= head.number) return;
    this.#write({ written: head, durable: last.durable.number > head.number ? head : last.durable });
    // The store may be behind the old entry from now on.
    this.#onDisk(() => fdatasyncSync(this.#file));
  }

  /** Everything that was noted is on the disk. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onDisk(() => {
      fdatasyncSync(this.#file);
      // A file that is being synced must stay open; the process is about to end then.
      if (!this.#isSyncing) closeSync(this.#file);
    });
  }

  #begin(): void {
    for (let entry = 0; entry < ENTRIES; entry++) writeSync(this.#file, blankEntry(), 0, ENTRY_BYTES, entry * ENTRY_BYTES);
    fsyncSync(this.#file);
    syncFolder(dirname(this.#path));
  }

  #write(marks: Pick<JournalEntry, 'written' | 'durable'>): void {
    const sequence = (this.#last?.sequence ?? 0) + 1;
    this.#last = { sequence, ...marks, ...(this.#boot !== undefined && { boot: this.#boot }) };
    const bytes = Buffer.from(`${textOf(this.#last)}\n`);
    this.#onDisk(() => writeSync(this.#file, bytes, 0, bytes.length, (sequence % ENTRIES) * ENTRY_BYTES));
  }

  /** One at a time: what comes meanwhile goes with the next. */
  #syncSoon(): void {
    this.#isBehind = true;
    if (this.#isSyncing || this.#isClosed) return;
    this.#isBehind = false;
    this.#isSyncing = true;
    fdatasync(this.#file, (error) => {
      this.#isSyncing = false;
      if (error !== null) this.#failed(new Fault('disk', `cannot write ${this.#path}: ${error.message}`, error));
      else if (this.#isBehind) this.#syncSoon();
    });
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}

/** The newest whole entry; Fault `damaged_data` when there is none, so that nobody knows which blocks the store must have. */
function readJournal(folder: string): JournalEntry {
  const path = join(folder, JOURNAL_FILE);
  const damaged = (what: string): Fault =>
    new Fault('damaged_data', `${path} ${what}: it says which blocks the database must have; ${wayOut()}`);
  if (!existsSync(path)) throw damaged('is missing');
  const bytes = onDisk(`cannot read ${path}`, () => readFileSync(path));
  let newest: JournalEntry | undefined;
  for (let entry = 0; entry < ENTRIES; entry++) {
    const found = entryIn(bytes.subarray(entry * ENTRY_BYTES, (entry + 1) * ENTRY_BYTES));
    if (found !== undefined && found.sequence > (newest?.sequence ?? 0)) newest = found;
  }
  if (newest === undefined) throw damaged('is damaged');
  return newest;
}

/** The head that the store must have, or have had before its head. */
export function promisedHead(folder: string): HeadMark {
  const { written, durable, boot } = readJournal(folder);
  return boot !== undefined && boot === thisBoot() ? written : durable;
}

/** Begins the journal anew with a head that the store has for good. */
export function rewriteJournal(folder: string, head: HeadMark): void {
  rmSync(join(folder, JOURNAL_FILE), { force: true });
  const journal = new HeadJournalFile(folder, () => undefined);
  journal.note(head, false);
  journal.close();
}

/** The head of a store as a journal notes it. */
export async function markOf(store: KeyValueReader, { head_block_number: number, state_hash: stateHash }: HeadRecord): Promise<HeadMark> {
  await import('../../state/tables/index.ts');
  const { dynamicGlobalProperties } = await import('../../state/tables/dynamic_global_property.ts');
  return { number, stateHash, id: new View(store, 1).only(dynamicGlobalProperties).head_block_id };
}

/** The id of a block that the store has. Its table is loaded for that: a start that finds the head that it expects does without. */
export async function blockIdOf(store: KeyValueReader, number: number): Promise<BlockId | undefined> {
  await import('../../state/tables/index.ts');
  const { blocks } = await import('../../state/tables/block.ts');
  return new View(store, 1).get(blocks, number)?.id;
}

function blankEntry(): Buffer {
  return Buffer.alloc(ENTRY_BYTES, ' ');
}

function textOf(entry: JournalEntry): string {
  const text = JSON.stringify(entry);
  return `${sha256Hex(Buffer.from(text))} ${text}`;
}

function entryIn(bytes: Buffer): JournalEntry | undefined {
  const line = bytes.toString('utf8').split('\n', 1)[0] ?? '';
  const separator = line.indexOf(' ');
  const [sum, text] = [line.slice(0, separator), line.slice(separator + 1)];
  return separator > 0 && sum === sha256Hex(Buffer.from(text)) ? parseEntry(text) : undefined;
}

function parseEntry(text: string): JournalEntry;
function parseEntry(text: string): unknown {
  const entry: unknown = JSON.parse(text);
  return entry;
}
