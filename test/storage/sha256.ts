import { createHash } from 'node:crypto';

/** What the node passes to storage. */
export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
