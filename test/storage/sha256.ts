import { hash } from 'node:crypto';

/** The hash that the node passes to storage. */
export const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'binary');
