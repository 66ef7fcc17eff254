import { votersRecord } from '../../blocks/finality/voters.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { struct } from '../../codec/struct.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';

/** An epoch with its voters, and the block before it: the last one of the round before, whose state names them. */
export const begunEpoch = struct({ ...votersRecord.fields, after: hash160, after_time: time });

export type BegunEpoch = ValueOf<typeof begunEpoch>;

const scratch = new ByteWriter(4096);

export function encodeEpoch(epoch: BegunEpoch): Uint8Array {
  scratch.reset();
  begunEpoch.write(scratch, epoch);
  return scratch.finish();
}

export function decodeEpoch(bytes: Uint8Array): BegunEpoch {
  return begunEpoch.read(new ByteReader(bytes));
}
