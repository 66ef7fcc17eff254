import { IdBuckets } from './id_buckets.ts';

/** What a node has said of a transaction, and when. */
export interface Acknowledgement {
  /** When the transaction expires, in seconds since 1970. */
  readonly expiration: number;
  /** The node has said that it is in a block; else only that it has accepted it, which is in its memory and nowhere else. */
  readonly isInBlock: boolean;
  /** The place of the node among those that are loaded. */
  readonly node: number;
  /** Seconds since the load began. */
  readonly second: number;
  /** When it was due, in milliseconds since the load began; 49 days of them fit. */
  readonly dueMs: number;
}

/** In the second number of a record: one bit, so many for the node, the rest for seconds, which is a year. */
const NODE_BITS = 6;
/** Nodes of one load. */
export const MOST_NODES = 2 ** NODE_BITS;

/** All transactions that were acknowledged, on the disk. */
export class Acknowledged {
  readonly #ids = new IdBuckets();

  get count(): number {
    return this.#ids.count;
  }

  add(id: string, { expiration, isInBlock, node, second, dueMs }: Acknowledgement): void {
    this.#ids.add(id, expiration, ((second << NODE_BITS) | node) * 2 + (isInBlock ? 1 : 0), Math.round(dueMs));
  }

  /** One part after the other, in the order of IdBuckets. */
  *buckets(): Generator<readonly (readonly [id: string, acknowledgement: Acknowledgement])[], undefined> {
    for (const bucket of this.#ids.buckets())
      yield bucket.map(([id, expiration, packed, dueMs]) => {
        const rest = packed >>> 1;
        return [id, { expiration, isInBlock: (packed & 1) === 1, node: rest % MOST_NODES, second: rest >>> NODE_BITS, dueMs }] as const;
      });
  }

  remove(): void {
    this.#ids.remove();
  }
}
