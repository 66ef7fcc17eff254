import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ID_BYTES } from './traffic_post.ts';

/** Buckets by the first byte of an id: of a hundred million ids each has 40 MB, which is looked at alone. */
const BUCKETS = 64;
/** Of a bucket, in memory before it is written. */
const BUFFER_BYTES = 16 * 1024;
/** An id and a number. */
const RECORD_BYTES = ID_BYTES + 4;

/** Ids with a number each, on the disk: a load of hours has more of them than should lie in memory. */
export class IdBuckets {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pharos-load-'));
  readonly #buffers = Array.from({ length: BUCKETS }, () => ({ bytes: Buffer.alloc(BUFFER_BYTES), used: 0 }));
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Ids that fall into the same bucket are close together; `number` has 32 bits. */
  add(id: string, number: number): void {
    const bucket = Number.parseInt(id.slice(0, 2), 16) % BUCKETS;
    const buffer = this.#buffers[bucket];
    if (buffer === undefined) return;
    if (buffer.used + RECORD_BYTES > BUFFER_BYTES) this.#flush(bucket);
    buffer.bytes.write(id, buffer.used, 'hex');
    buffer.bytes.writeUInt32LE(number, buffer.used + ID_BYTES);
    buffer.used += RECORD_BYTES;
    this.#count++;
  }

  /** One bucket after the other, the same order in every instance. */
  *buckets(): Generator<readonly (readonly [id: string, number: number])[], undefined> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      this.#flush(bucket);
      const file = this.#file(bucket);
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
      yield Array.from({ length: bytes.length / RECORD_BYTES }, (_, index) => {
        const at = index * RECORD_BYTES;
        return [bytes.toString('hex', at, at + ID_BYTES), bytes.readUInt32LE(at + ID_BYTES)] as const;
      });
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(bucket: number): void {
    const buffer = this.#buffers[bucket];
    if (buffer === undefined || buffer.used === 0) return;
    appendFileSync(this.#file(bucket), buffer.bytes.subarray(0, buffer.used));
    buffer.used = 0;
  }

  #file(bucket: number): string {
    return join(this.#folder, String(bucket));
  }
}
