import type { Codec } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { describeInteger, u8 } from '../../codec/primitives.ts';

const LARGEST = 1; // for permanent or for a time

/** The way of payment for an application, as the chain accepts it; the lineage's helpers accepted any byte. */
export const priceParam: Codec<number, number> = {
  ...u8,
  describe: (encoding) =>
    speaksLineage(encoding) ? u8.describe(encoding) : describeInteger(0n, BigInt(LARGEST), encoding),
  fromJson(json, encoding) {
    const value = u8.fromJson(json, encoding);
    return value > LARGEST && !speaksLineage(encoding) ? mismatch('0 for permanent or 1 for time based', json) : value;
  },
};
