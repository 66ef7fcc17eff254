import { assert } from '../base/assert.ts';
import { ID_BYTES } from '../values/hash.ts';

/** A post of a load, signed and written. */
export interface TrafficPost {
  /** The text of a call, or of a batch of calls with the ids 0, 1, 2, … */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly count: number;
  /** Its form's place in the mix. */
  readonly form: number;
  /** Ids of its transactions, 20 bytes each; empty when it only reads. */
  readonly ids: Uint8Array<ArrayBuffer>;
  /** When its transactions expire, in seconds since 1970. */
  readonly expiration: number;
}

/** The id of the transaction at that index, as hex digits. */
export function postId({ ids }: TrafficPost, index: number): string {
  return Buffer.from(ids.buffer, ids.byteOffset + index * ID_BYTES, ID_BYTES).toString('hex');
}

/** The first calls of a post, as a batch. */
export function firstCalls(post: TrafficPost, count: number): TrafficPost {
  const calls: unknown = JSON.parse(Buffer.from(post.body).toString());
  assert(Array.isArray(calls) && count < post.count, 'a batch has more calls than are taken');
  return {
    ...post,
    body: Uint8Array.from(Buffer.from(JSON.stringify(calls.slice(0, count)))),
    count,
    ids: post.ids.slice(0, (post.ids.length / post.count) * count),
  };
}
