import { withDefault } from '../codec/collections.ts';
import { u32 } from '../codec/primitives.ts';

/** The number that a sender gives an escrow; 30 if an operation omits it, as in the lineage. */
export const escrowId = withDefault(u32, 30);
