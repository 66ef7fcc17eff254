import type { Checkpoint } from '../../values/checkpoint.ts';
import type { EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import type { Digest } from '../../values/hash.ts';

/** Records for proofs of finality besides the rows. A consistent read of rows covers them, too. */
export interface FinalitySource {
  /** The voters of an epoch, as a block of the main branch names them; undefined where they are not kept. */
  votersOf(epoch: number): Voters | undefined;
  /** The block behind which an epoch begins; undefined where its voters are not kept. */
  checkpointOf(epoch: number): Checkpoint | undefined;
  /** The first epoch from this one on of which the certificate of the last block is kept. */
  boundaryFrom(epoch: number): EndedEpoch | undefined;
  /** A node of the range of all signed headers, beside the way from a kept block to its root. */
  rangeNode(height: number, index: number): Digest;
}
