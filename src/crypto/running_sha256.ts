import * as crypto from 'node:crypto';

/** A SHA-256 of bytes that come one after another. */
export interface RunningSha256 {
  update(data: Uint8Array): void;
  /** 64 lower-case hexadecimal digits; once, at the end. */
  hex(): string;
}

/** Begins a SHA-256 of more than is in memory at once. */
export function newSha256(): RunningSha256 {
  const hash = crypto.createHash('sha256');
  return { update: (data) => void hash.update(data), hex: () => hash.digest('hex') };
}
