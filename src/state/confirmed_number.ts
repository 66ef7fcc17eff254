import type { Codec } from '../codec/codec.ts';
import { u32 } from '../codec/primitives.ts';

declare const onOneBranch: unique symbol;

/**
 * The last block that confirmations of witnesses name on the branch whose state holds it; after a switch it may be an
 * earlier one. So readers of the row get no number: a node tells `lastIrreversible`, which never falls.
 */
export interface ConfirmedNumber {
  readonly [onOneBranch]: true;
}

/** A number as the row of the state holds it. */
export function confirmedNumber(number: number): ConfirmedNumber;
export function confirmedNumber(number: unknown): unknown {
  return number;
}

/** The number that is held; for the rule of the chain and for comparing states. */
export function numberConfirmed(confirmed: ConfirmedNumber): number;
export function numberConfirmed(confirmed: unknown): unknown {
  return confirmed;
}

/** A member of a row that holds such a number, as a u32. */
export const confirmedU32: Codec<ConfirmedNumber> = sameBytes(u32);

function sameBytes(codec: Codec<number>): Codec<ConfirmedNumber>;
function sameBytes(codec: unknown): unknown {
  return codec;
}
