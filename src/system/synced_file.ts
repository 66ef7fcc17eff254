import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../base/fault.ts';
import { onDisk } from './system_error.ts';
import { syncFolder, writeWholeFile } from './whole_file.ts';

/** Its owner alone may read and write such a file. */
export const FOR_OWNER = 0o600;

/** Reactions of a synced file to other programs that append to it. */
export interface OtherWriters {
  /** Tells the operator that another program appends, too. */
  readonly conflict: string;
  /** Takes in what another program has appended, in Latin-1; false for a conflict. Without it each is one. */
  readonly takeIn?: ((added: string) => boolean) | undefined;
}

/** A file that one process appends to. What it has appended survives a power failure. */
export class SyncedFile {
  readonly #path: string;
  readonly #others: OtherWriters;
  #file: number | undefined;
  /** The length of what is known of the file. */
  #bytes = 0;
  /** After a failed write nobody knows what is on the disk: nothing is appended any more. */
  #hasFailed = false;

  constructor(path: string, others: OtherWriters) {
    this.#path = path;
    this.#others = others;
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Opens the file, or begins one. It is cut to so many bytes: nobody relies on a record that is incomplete. */
  open(bytes: number): void {
    this.#onDisk(() => {
      const file = openSync(this.#path, 'a', FOR_OWNER);
      this.#file = file;
      this.#hasFailed = true;
      ftruncateSync(file, bytes);
      fdatasyncSync(file);
      syncFolder(dirname(this.#path));
    });
    this.#bytes = bytes;
    this.#hasFailed = false;
  }

  /** Leaves the file closed; all that it holds now counts as known. */
  leaveClosed(): void {
    this.#bytes = this.#size();
  }

  /** The text is on the disk when this returns. Throws a Fault when a write fails, or has failed before. */
  append(text: string): void {
    const file = this.#file;
    if (this.#hasFailed || file === undefined)
      throw new Fault('disk', `${this.#path}: a write has failed before; start the node again`);
    this.#hasFailed = true;
    const bytes = Buffer.from(text);
    this.#onDisk(() => {
      this.takeInOthers();
      if (!this.#isOwn(file)) throw new Fault('runtime', `${this.#path}: ${this.#others.conflict}`);
      for (let at = 0; at < bytes.length;) at += written(this.#path, writeSync(file, bytes, at));
      fdatasyncSync(file);
    });
    this.#bytes += bytes.length;
    this.#hasFailed = false;
  }

  /** Appends to the closed file, behind whatever it holds. */
  appendClosed(text: string): void {
    this.#bytes = appendSynced(this.#path, text);
  }

  /** Replaces the content; a reader finds the old one or the new one. The text is ASCII. */
  replace(text: string): void {
    this.close();
    writeWholeFile(this.#path, text, FOR_OWNER);
    this.open(text.length);
  }

  /** Looks for what another program has appended. */
  takeInOthers(): void {
    const { takeIn } = this.#others;
    const size = takeIn === undefined ? 0 : this.#size();
    if (takeIn === undefined || size <= this.#bytes) return;
    const added = this.#onDisk(() => readFileSync(this.#path).subarray(this.#bytes, size).toString('latin1'));
    if (takeIn(added)) this.#bytes = size;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** True when nobody else has appended, or put another file in the place of this one. */
  #isOwn(file: number): boolean {
    const { size, ino } = fstatSync(file);
    return size === this.#bytes && statSync(this.#path, { throwIfNoEntry: false })?.ino === ino;
  }

  #size(): number {
    const file = this.#file;
    return this.#onDisk(() => (file === undefined ? statSync(this.#path) : fstatSync(file)).size);
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}

/**
 * Appends a text in one write, so that the system puts it behind what others have written by then. Returns the file's
 * length once the text is on the disk.
 */
export function appendSynced(path: string, text: string): number {
  return onDisk(`cannot write ${path}`, () => {
    const file = openSync(path, 'a', FOR_OWNER);
    try {
      const bytes = Buffer.from(text);
      if (writeSync(file, bytes) < bytes.length) written(path, 0);
      fdatasyncSync(file);
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  });
}

function written(path: string, count: number): number {
  if (count === 0) throw new Fault('disk', `cannot write ${path}: the system takes no more bytes`);
  return count;
}
