import { randomFillSync } from 'node:crypto';

/** `count` bytes that nobody can foresee, from the system's generator. */
export function randomBytes(count: number): Uint8Array {
  return randomFillSync(new Uint8Array(count));
}
