import { randomFillSync } from 'node:crypto';

/** `count` unpredictable bytes from the system's random generator. */
export function randomBytes(count: number): Uint8Array {
  return randomFillSync(new Uint8Array(count));
}
