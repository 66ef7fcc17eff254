import type { Codec } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { speaksLineage } from '../../codec/notation.ts';
import { u8 } from '../../codec/primitives.ts';

const LARGEST = 1; // for permanent or for a time

/** How an application is paid for, as the chain accepts it; the lineage's helpers accepted any byte. */
export const priceParam: Codec<number, number> = {
  ...u8,
  describe: (notation) => (speaksLineage(notation) ? u8.describe(notation) : { type: 'integer', minimum: 0, maximum: LARGEST }),
  fromJson(json, notation) {
    const value = u8.fromJson(json, notation);
    return value > LARGEST && !speaksLineage(notation) ? mismatch('0 for permanent or 1 for time based', json) : value;
  },
};
