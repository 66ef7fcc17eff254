import type { Signature } from '../values/hash.ts';

/** A signer's answer to a block, a switch or a vote: its signature, or the reason why it signs none. */
export type SignAnswer =
  | { readonly kind: 'signed'; readonly signature: Signature }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };
