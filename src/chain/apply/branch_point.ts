import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { optional, vector } from '../../codec/collections.ts';
import { u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { hardforks, hasHardfork } from '../../state/hardforks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { RowReader } from '../../storage/rows.ts';
import { accountName } from '../../values/account_name.ts';
import { hash160 } from '../../values/hash.ts';
import { NEVER } from '../../values/limits.ts';
import { NULL_KEY, publicKey } from '../../values/public_key.ts';
import { time, type Seconds } from '../../values/time.ts';
import { scheduledNames } from './slots.ts';

/** The witnesses of a round in the order of their slots, and the block size on which they agree. */
export const signingRound = struct({
  maximum_block_size: u32,
  /**
   * A block that follows one of this time or later may have signatures in the looser form of the lineage
   * (wire_format.md#signatures).
   */
  loose_since: time,
  signers: vector(struct({ witness: accountName, key: publicKey })),
});

export type SigningRound = ValueOf<typeof signingRound>;

const point = struct({
  id: hash160,
  time,
  current_aslot: u64,
  /** The block since which the round has been unchanged: its record holds the round. */
  since: u32,
  round: optional(signingRound),
});

/** Facts about a block by which a header that follows it is judged. */
export type BranchPoint = ValueOf<typeof point>;

const scratch = new ByteWriter(4096);

/** The round that follows from these rows. */
export function readSigningRound(rows: RowReader): SigningRound {
  const { maximum_block_size } = rows.only(dynamicGlobalProperties);
  const loose_since = loosenedTime(rows);
  const signers = scheduledNames(rows.only(witnessSchedule)).map((witness) => ({
    witness,
    key: rows.get(witnesses, witness)?.signing_key ?? NULL_KEY,
  }));
  return { maximum_block_size, loose_since, signers };
}

/** The witnesses agree on a hardfork at the end of a round; it is applied by the first block of its time or later. */
function loosenedTime(rows: RowReader): Seconds {
  if (hasHardfork(rows, hardforks.interestVotes)) return 0;
  const { current_hardfork_version, next_hardfork, next_hardfork_time } = rows.only(hardforkProperty);
  return next_hardfork > current_hardfork_version ? next_hardfork_time : NEVER;
}

/** Returns whether both have the same witnesses with the same keys. */
export function isSameRound(a: SigningRound, b: SigningRound): boolean {
  return (
    a === b ||
    (a.maximum_block_size === b.maximum_block_size &&
      a.loose_since === b.loose_since &&
      a.signers.length === b.signers.length &&
      a.signers.every((signer, turn) => isSameSigner(signer, b.signers[turn])))
  );
}

type Signer = SigningRound['signers'][number];

function isSameSigner({ witness, key }: Signer, other: Signer | undefined): boolean {
  return other !== undefined && witness === other.witness && key === other.key;
}

export function encodePoint(value: BranchPoint): Uint8Array {
  scratch.reset();
  point.write(scratch, value);
  return scratch.finish();
}

export function decodePoint(bytes: Uint8Array): BranchPoint {
  return point.read(new ByteReader(bytes));
}
