import { LARGEST_ANSWER_BYTES } from './answer.ts';

/** The answer of a server. */
export interface HttpAnswer {
  readonly status: number;
  /** '' when it says none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** The request has reached nobody. */
export class NeverSent extends Error {}

/** Throws a RangeError when a body of so many bytes is too large. */
export function requireRoom(length: number): void {
  if (length > LARGEST_ANSWER_BYTES) throw new RangeError(`the answer has more than ${LARGEST_ANSWER_BYTES} bytes`);
}

/** Chunks of so many bytes in all as one. */
export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
