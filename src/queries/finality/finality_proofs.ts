import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import { rangePath } from '../../blocks/finality/block_range.ts';
import type { Checkpoint } from '../../values/checkpoint.ts';
import { certificate as certificateCodec } from '../../blocks/finality/certificate.ts';
import type { EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import { nextEpoch, lastMilestone } from '../../blocks/finality/epochs.ts';
import { diffVoters, type FinalityProof } from '../../blocks/finality/finality_proof.ts';
import type { FinalityState } from '../../blocks/finality/finality_state.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { readHeadRecord } from '../../state/head_record.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { blockRow, signedHeaderBytes } from '../../state/stored_blocks.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { prunedRefusals, refusePruned } from '../pruned.ts';
import type { FinalitySource } from './finality_source.ts';
import { canReach, proofSteps, stepsRefusals } from './proof_steps.ts';

const refuseState = refusals({
  no_finality:
    'this chain has no finality: witnesses confirm its blocks, and nothing proves that to others; ask get_block',
  not_proven_yet:
    'this node has no certificate of its last final block, because it has begun with a snapshot, imported blocks or a finality-checkpoint: ask again when a block has become final here, or ask another node',
});

const refuse = refusals({
  block_not_final:
    'block {number} is not final here: the last final block is {final}; ask again when block {number} is final',
});

const refuseEpoch = refusals({
  epoch_not_begun:
    'no block of epoch {epoch} or a later one is final here: the newest certificate is of epoch {newest}; ask again in some seconds, or ask a node that is further',
  epoch_not_kept:
    'this node does not keep the voters of epoch {epoch}: ask another node, or begin with a newer checkpoint',
});

/** The refusals of `readFinalityState`. */
export const finalityStateRefusals = { ...refuseState.texts, ...refuseEpoch.texts };

/** The refusals of `makeFinalityProof`. */
export const finalityProofRefusals = {
  ...finalityStateRefusals,
  ...refuse.texts,
  ...stepsRefusals,
  ...prunedRefusals,
};

/** The sources of proofs. */
export interface FinalityParts {
  readonly rows: CommittedRows;
  readonly parameters: ChainParameters;
  /** Undefined on a chain without finality. */
  readonly finality?: FinalitySource | undefined;
}

/** The state of finality, with the checkpoint of the newest milestone or of the named epoch. */
export function readFinalityState(parts: FinalityParts, checkpointEpoch: number | null): FinalityState {
  const { chainId, genesis } = parts.parameters;
  const source = requireFinality(parts);
  const { irreversible_number: final, head_block_number } = readHeadRecord(parts.rows);
  const epoch = nextEpoch(final, genesis.max_witnesses);
  const voters = source.votersOf(epoch);
  const newest = newestEpoch(parts.rows, source);
  const isUnproven = final === 0 && head_block_number >= genesis.max_witnesses;
  if (isUnproven || voters === undefined) return refuseState.not_proven_yet();
  return {
    chain_id: chainId,
    epoch_blocks: genesis.max_witnesses,
    epoch,
    voters: voters.keys,
    voters_digest: voters.digest,
    checkpoint: requireCheckpoint(
      source,
      checkpointEpoch ?? toldEpoch(source, newest, epoch),
      newest?.voters.epoch ?? epoch,
    ),
    final_block_num: final,
    certificate: newest?.certificate,
  };
}

/**
 * The epoch of the checkpoint that this node tells: the last milestone that leads to its newest certificate. After a
 * snapshot or a finality-checkpoint there may be none. A checkpoint of an epoch in which no block is final could prove
 * nothing yet.
 */
function toldEpoch(source: FinalitySource, newest: EndedEpoch | undefined, begun: number): number {
  if (newest === undefined) return begun;
  const milestone = lastMilestone(newest.voters.epoch);
  const trusted = source.votersOf(milestone);
  return trusted !== undefined && canReach(source, trusted, newest) ? milestone : newest.voters.epoch;
}

function requireCheckpoint(source: FinalitySource, epoch: number, newest: number): Checkpoint {
  if (epoch > newest) return refuseEpoch.epoch_not_begun({ epoch, newest });
  return source.checkpointOf(epoch) ?? refuseEpoch.epoch_not_kept({ epoch });
}

/** Proves to a client that trusts the voters of an epoch that a block is final. */
export function makeFinalityProof(parts: FinalityParts, number: number, trustedEpoch: number): FinalityProof {
  const source = requireFinality(parts);
  const newest = requireFinal(newestEpoch(parts.rows, source), number);
  const trusted = requireTrusted(source, trustedEpoch, newest.voters.epoch);
  const steps = proofSteps(source, { trusted, number, newest });
  const [first, last] = [present(steps[0], 'a certificate'), present(steps.at(-1), 'a certificate')];
  const count = getBlockNumber(last.certificate.subject.block);
  return {
    header: signedHeaderBytes(blockRow(parts.rows, number) ?? refusePruned(parts.rows, `block ${number}`)),
    path: rangePath(number, count, (height, index) => source.rangeNode(height, index)),
    certificate: last.certificate,
    voters: last.voters.keys,
    trusted: first.voters.epoch === trustedEpoch ? undefined : diffVoters(first.voters.keys, trusted.keys),
    steps: steps.slice(0, -1).map(({ certificate, voters }) => ({ certificate, voters: voters.keys })),
  };
}

/** Refuses a block that is not final, or of which no certificate is here; returns the newest certificate. */
function requireFinal(newest: EndedEpoch | undefined, number: number): EndedEpoch {
  if (newest === undefined) return refuseState.not_proven_yet();
  const final = getBlockNumber(newest.certificate.subject.block);
  return number > final ? refuse.block_not_final({ number, final }) : newest;
}

function requireTrusted(source: FinalitySource, epoch: number, newest: number): Voters {
  if (epoch > newest) return refuseEpoch.epoch_not_begun({ epoch, newest });
  return source.votersOf(epoch) ?? refuseEpoch.epoch_not_kept({ epoch });
}

/** The node's source of proofs; refused on a chain without finality. */
export function requireFinality({ finality }: FinalityParts): FinalitySource {
  return finality ?? refuseState.no_finality();
}

/** The certificate of the last final block, with its voters. */
function newestEpoch(rows: CommittedRows, source: FinalitySource): EndedEpoch | undefined {
  const { irreversible_certificate: packed } = readHeadRecord(rows);
  if (packed.length === 0) return undefined;
  const certificate = certificateCodec.read(new ByteReader(packed));
  return { voters: present(source.votersOf(certificate.subject.epoch), 'its voters'), certificate };
}
