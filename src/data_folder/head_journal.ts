import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { HeadJournal, HeadMark } from '../chain/ledger/head_journal.ts';
import type { HeadRecord } from '../state/head_record.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { View } from '../storage/view.ts';
import { parseMembers, toMembers } from '../system/json_members.ts';
import { onDisk } from '../system/system_error.ts';
import { thisBoot } from '../system/this_boot.ts';
import { wayOut } from './way_out.ts';
import { syncFolder } from '../system/whole_file.ts';

export const JOURNAL_FILE = 'pharos-head.journal';

/** One entry of the journal. */
interface JournalEntry {
  /** Of two entries, the one with the higher number is the newer. */
  readonly sequence: number;
  /** The head that the store must have or have had, unless the machine has rebooted since. */
  readonly written: HeadMark;
  /** The head that the store must have or have had, even after a reboot or power failure. */
  readonly durable: HeadMark;
  /** The boot id of the machine when this was written. */
  readonly boot?: string;
}

/**
 * Two entries, written alternately, so that one is intact when the power fails during a write; each in its own sectors.
 */
const ENTRIES = 2;
const ENTRY_BYTES = 4096;

/**
 * The head journal, a file of two lines. An entry is passed to the system before its block is announced, which is
 * enough unless the machine fails; it is synced to disk asynchronously, within the time of one disk write.
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

  /** Opens the journal of a folder, or creates it. `failed` is called when syncing an entry to disk fails. */
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

  rewind(head: HeadMark): void {
    const last = this.#last;
    if (last === undefined || last.written.number <= head.number) return;
    this.#write({ written: head, durable: last.durable.number > head.number ? head : last.durable });
    // From now on the store's head may be older than the previous entry.
    this.#onDisk(() => fdatasyncSync(this.#file));
  }

  /** Syncs everything that was noted to disk. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onDisk(() => fdatasyncSync(this.#file));
    // A file that is being synced must stay open until then.
    if (!this.#isSyncing) closeSync(this.#file);
  }

  #begin(): void {
    for (let entry = 0; entry < ENTRIES; entry++)
      writeSync(this.#file, blankEntry(), 0, ENTRY_BYTES, entry * ENTRY_BYTES);
    fsyncSync(this.#file);
    syncFolder(dirname(this.#path));
  }

  #write(marks: Pick<JournalEntry, 'written' | 'durable'>): void {
    const sequence = (this.#last?.sequence ?? 0) + 1;
    this.#last = { sequence, ...marks, ...(this.#boot !== undefined && { boot: this.#boot }) };
    const bytes = Buffer.from(`${encodeEntry(this.#last)}\n`);
    this.#onDisk(() => writeSync(this.#file, bytes, 0, bytes.length, (sequence % ENTRIES) * ENTRY_BYTES));
  }

  /** One sync at a time: entries written meanwhile go with the next one. */
  #syncSoon(): void {
    this.#isBehind = true;
    if (this.#isSyncing || this.#isClosed) return;
    this.#isBehind = false;
    this.#isSyncing = true;
    fdatasync(this.#file, (error) => {
      this.#isSyncing = false;
      if (this.#isClosed) return closeSync(this.#file);
      if (error !== null) this.#failed(new Fault('disk', `cannot write ${this.#path}: ${error.message}`, error));
      else if (this.#isBehind) this.#syncSoon();
    });
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}

/**
 * The newest intact entry; Fault `damaged_data` when there is none, because then it is unknown which blocks the store
 * must have.
 */
function readJournal(folder: string): JournalEntry {
  const path = join(folder, JOURNAL_FILE);
  const damaged = (what: string): Fault =>
    new Fault('damaged_data', `${path} ${what}: it says which blocks the database must have; ${wayOut()}`);
  if (!existsSync(path)) throw damaged('is missing');
  const bytes = onDisk(`cannot read ${path}`, () => readFileSync(path));
  let newest: JournalEntry | undefined;
  for (let entry = 0; entry < ENTRIES; entry++) {
    const found = decodeEntry(bytes.subarray(entry * ENTRY_BYTES, (entry + 1) * ENTRY_BYTES));
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

/** Replaces the journal by one with a head that the store has durably. */
export function rewriteJournal(folder: string, head: HeadMark): void {
  rmSync(join(folder, JOURNAL_FILE), { force: true });
  const journal = new HeadJournalFile(folder, () => undefined);
  journal.note(head, false);
  journal.close();
}

/** The head of a store, as the journal records it. */
export async function headMark(
  store: KeyValueReader,
  { head_block_number: number, state_hash: stateHash }: HeadRecord,
): Promise<HeadMark> {
  await import('../state/tables/index.ts');
  const { dynamicGlobalProperties } = await import('../state/tables/dynamic_global_property.ts');
  return { number, stateHash, id: new View(store, 1).only(dynamicGlobalProperties).head_block_id };
}

/**
 * True when the store has a block of that id below its head; undefined when it is so old that its id isn't kept. Loads
 * its tables only when called: a start that finds the expected head doesn't need them.
 */
export async function hasBlock(
  store: KeyValueReader,
  { number, id }: HeadMark,
  head: number,
): Promise<boolean | undefined> {
  await import('../state/tables/index.ts');
  const { blockRow, oldestBlock } = await import('../state/stored_blocks.ts');
  const { getBlockId, RECENT_BLOCKS } = await import('../state/block_ids.ts');
  const rows = new View(store, 1);
  if (number >= oldestBlock(rows)) return blockRow(rows, number)?.id === id;
  return head - number < RECENT_BLOCKS ? getBlockId(rows, number) === id : undefined;
}

function blankEntry(): Buffer {
  return Buffer.alloc(ENTRY_BYTES, ' ');
}

function encodeEntry(entry: JournalEntry): string {
  const text = JSON.stringify(entry);
  return `${sha256Hex(Buffer.from(text))} ${text}`;
}

function decodeEntry(bytes: Buffer): JournalEntry | undefined {
  const line = bytes.toString('utf8').split('\n', 1)[0] ?? '';
  const separator = line.indexOf(' ');
  const [sum, text] = [line.slice(0, separator), line.slice(separator + 1)];
  return separator > 0 && sum === sha256Hex(Buffer.from(text)) ? parseEntry(text) : undefined;
}

function parseEntry(text: string): JournalEntry | undefined {
  const { sequence, written, durable, boot } = parseMembers(text) ?? {};
  if (typeof sequence !== 'number' || !isMark(written) || !isMark(durable)) return undefined;
  return { sequence, written, durable, ...(typeof boot === 'string' && { boot }) };
}

function isMark(value: unknown): value is HeadMark {
  const { number, id, stateHash } = toMembers(value) ?? {};
  return typeof number === 'number' && typeof id === 'string' && typeof stateHash === 'string';
}
