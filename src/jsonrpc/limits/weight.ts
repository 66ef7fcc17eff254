import type { Json } from '../../codec/json.ts';

/**
 * The cost of a call in small reads; declared beside each method where it is more than 1. The size of the answer counts
 * in addition.
 */
export interface Weight {
  /** Of the call by itself. */
  readonly call?: number;
  /** For each item of the lists among its params, such as names, keys, signatures and operations. */
  readonly item?: number;
}

/** Bytes that the weight of 1 includes; as many again cost about as much as another small read. */
const BYTES_OF_ONE = 4096;

/** The weight of a call by its params, before it is answered. */
export function callWeight({ call = 1, item = 0 }: Weight, params: Json | undefined): number {
  return item === 0 ? call : call + Math.floor(item * countItems(params, LISTS_DEPTH));
}

/** Returns the weight that an answer of that length adds. */
export function weightOfAnswer(length: number): number {
  return Math.floor(length / BYTES_OF_ONE);
}

/** Lists are members of the params, or of a transaction that is one. */
const LISTS_DEPTH = 3;

function countItems(json: Json | undefined, depth: number): number {
  if (typeof json !== 'object' || json === null || depth === 0) return 0;
  const own = Array.isArray(json) ? json.length : 0;
  return Object.values(json).reduce<number>(
    (sum, member) => (typeof member === 'object' ? sum + countItems(member, depth - 1) : sum),
    own,
  );
}
