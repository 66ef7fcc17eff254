import { WAIT_FOR, type WaitFor } from '../rpc/wait_for.ts';
import { IdBuckets } from './id_buckets.ts';

/** A node's answer about a transaction, and its time. */
export interface Acknowledgement {
  /** When the transaction expires, in seconds since 1970. */
  readonly expiration: number;
  /**
   * The node's word on it: `accepted` is in its memory and nowhere else, `block` is in a block, `final` in one
   * that nothing undoes.
   */
  readonly as: WaitFor;
  /** The place of the node among those that are loaded. */
  readonly node: number;
  /** Seconds since the load began. */
  readonly second: number;
  /** When it was due, in milliseconds since the load began; 49 days of them fit. */
  readonly dueMs: number;
}

/** In the second number of a record: what was said, the node, and the seconds, which are half a year. */
const AS_BITS = 2;
const NODE_BITS = 6;
/** Nodes of one load. */
export const MOST_NODES = 2 ** NODE_BITS;

/** All transactions that were acknowledged, on the disk. */
export class Acknowledged {
  readonly #ids = new IdBuckets();

  get count(): number {
    return this.#ids.count;
  }

  add(id: string, { expiration, as, node, second, dueMs }: Acknowledgement): void {
    const packed = ((second << NODE_BITS) | node) * 2 ** AS_BITS + WAIT_FOR.indexOf(as);
    this.#ids.add(id, expiration, packed, Math.round(dueMs));
  }

  /** One part after the other, in the order of IdBuckets. */
  *buckets(): Generator<readonly (readonly [id: string, acknowledgement: Acknowledgement])[], undefined> {
    for (const bucket of this.#ids.buckets())
      yield bucket.map(([id, expiration, packed, dueMs]) => {
        const rest = packed >>> AS_BITS;
        const as = WAIT_FOR[packed % 2 ** AS_BITS] ?? 'accepted';
        return [id, { expiration, as, node: rest % MOST_NODES, second: rest >>> NODE_BITS, dueMs }] as const;
      });
  }

  remove(): void {
    this.#ids.remove();
  }
}
