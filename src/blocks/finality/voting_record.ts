import type { ValueOf } from '../../codec/codec.ts';
import { optional } from '../../codec/collections.ts';
import { bool, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { hash160 } from '../../values/hash.ts';
import { certificate } from './certificate.ts';

/** The memory of a voter: its signing journal holds it, on the disk before a vote leaves. */
export const votingRecord = struct({
  /** The slot in which the journal was begun, by a clock that peers confirm. */
  begun: u32,
  /** The journal holds the key's signature of block 1, so no vote of the key is older. */
  signed_first_block: bool,
  /** Absent before the first prepare. */
  last_prepare: optional(struct({ epoch: u32, view: u32, block: hash160 })),
  /** The lock: the certificate of prepares that the last commit followed. Absent before the first commit. */
  lock: optional(certificate),
});

export type VotingRecord = ValueOf<typeof votingRecord>;
