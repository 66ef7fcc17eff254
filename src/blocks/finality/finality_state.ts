import type { ValueOf } from '../../codec/codec.ts';
import { optional, vector } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { digest } from '../../values/hash.ts';
import { publicKey } from '../../values/public_key.ts';
import { checkpoint } from '../../values/checkpoint.ts';
import { provenCertificate } from './finality_proof.ts';

/** The state of a chain's finality, as a node tells it. A client believes only what its checkpoint proves. */
export const finalityState = struct(
  {
    chain_id: digest,
    /** The length of an epoch in blocks. After a checkpoint at block N comes epoch N / `epoch_blocks`. */
    epoch_blocks: u32,
    /** The epoch that has begun: all blocks before it are final. */
    epoch: u32,
    /** The keys of the epoch's voters, ascending. */
    voters: vector(publicKey),
    /** Hash of chain id, epoch and voters. */
    voters_digest: digest,
    /** The block behind which the epoch began, with the digest of its voters. */
    checkpoint,
    /** The last final block. */
    final_block_num: u32,
    /**
     * By which that block is final, by the voters of its epoch: the one before `epoch` where the block ends it. Absent
     * before the first.
     */
    certificate: optional(provenCertificate),
  },
  { mayLack: [] },
);

export type FinalityState = ValueOf<typeof finalityState>;
