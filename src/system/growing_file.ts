import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { onDisk } from './system_error.ts';
import { UNFINISHED } from './whole_file.ts';

/** The file gathers this many bytes before it hands them to the system. */
const BUFFER_BYTES = 1024 * 1024;

/** A file under a temporary name, until it is complete: then it is synced, and renamed. */
export class GrowingFile {
  readonly #path: string;
  readonly #file: number;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #isOpen = true;
  bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#onDisk(() => openSync(`${path}${UNFINISHED}`, 'w'));
  }

  write(bytes: Uint8Array): void {
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    this.bytes += bytes.length;
    if (this.#gatheredBytes > BUFFER_BYTES) this.#flush();
  }

  sync(): void {
    this.#flush();
    this.#onDisk(() => fsyncSync(this.#file));
    this.#close();
  }

  rename(): void {
    renameSync(`${this.#path}${UNFINISHED}`, this.#path);
  }

  /**
   * Removes the file, complete or not. A file that is still open would take its place on the disk until the process
   * ends.
   */
  remove(): void {
    this.#close();
    rmSync(`${this.#path}${UNFINISHED}`, { force: true });
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onDisk(() => closeSync(this.#file));
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#onDisk(() => {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    });
  }

  #onDisk<T>(call: () => T): T {
    return onDisk(`cannot write ${this.#path}`, call);
  }
}
