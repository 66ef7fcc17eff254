import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { failureReason } from './post_links.ts';
import { ID_BYTES } from '../values/hash.ts';

/** Buckets by the first byte of an id: of a hundred million ids each has 40 MB, which is looked at alone. */
const BUCKETS = 64;
/** Of a bucket, in memory before it is written. */
const BUFFER_BYTES = 16 * 1024;
/** An id and three numbers of 32 bits. */
const RECORD_BYTES = ID_BYTES + 3 * 4;

/** An id and what was noted with it. */
export type IdRecord = readonly [id: string, number: number, second: number, third: number];

/** Ids with some numbers each, on the disk: a load of hours has more of them than should lie in memory. */
export class IdBuckets {
  readonly #folder = folderOfThisLoad();
  readonly #buffers = Array.from({ length: BUCKETS }, () => ({ bytes: Buffer.alloc(BUFFER_BYTES), used: 0 }));
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The numbers have 32 bits. Throws Fault when the disk does not take it. */
  add(id: string, number: number, second = 0, third = 0): void {
    const bucket = Number.parseInt(id.slice(0, 2), 16) % BUCKETS;
    const buffer = this.#buffers[bucket];
    if (buffer === undefined) return;
    if (buffer.used + RECORD_BYTES > BUFFER_BYTES) this.#flush(bucket);
    buffer.bytes.write(id, buffer.used, 'hex');
    buffer.bytes.writeUInt32LE(number, buffer.used + ID_BYTES);
    buffer.bytes.writeUInt32LE(second, buffer.used + ID_BYTES + 4);
    buffer.bytes.writeUInt32LE(third, buffer.used + ID_BYTES + 8);
    buffer.used += RECORD_BYTES;
    this.#count++;
  }

  /** One bucket after the other, the same order in every instance. */
  *buckets(): Generator<readonly IdRecord[], undefined> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      this.#flush(bucket);
      const file = this.#file(bucket);
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
      yield Array.from({ length: bytes.length / RECORD_BYTES }, (_, index) => {
        const at = index * RECORD_BYTES;
        const numbersAt = at + ID_BYTES;
        const [number, second, third] = [0, 4, 8].map((offset) => bytes.readUInt32LE(numbersAt + offset));
        return [bytes.toString('hex', at, numbersAt), number ?? 0, second ?? 0, third ?? 0] as const;
      });
    }
  }

  remove(): void {
    forget(this.#folder);
  }

  #flush(bucket: number): void {
    const buffer = this.#buffers[bucket];
    if (buffer === undefined || buffer.used === 0) return;
    try {
      appendFileSync(this.#file(bucket), buffer.bytes.subarray(0, buffer.used));
    } catch (error) {
      throw new Fault(
        'disk',
        `what the load must remember does not fit into ${this.#folder} (${failureReason(error)}); TMPDIR names another place`,
        error,
      );
    }
    buffer.used = 0;
  }

  #file(bucket: number): string {
    return join(this.#folder, String(bucket));
  }
}

const folders = new Set<string>();
let isForgottenAtExit = false;

/** Gone with this process, however it ends as long as it ends itself. */
function folderOfThisLoad(): string {
  if (!isForgottenAtExit) process.once('exit', () => folders.forEach(forget));
  isForgottenAtExit = true;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-load-'));
  folders.add(folder);
  return folder;
}

function forget(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
