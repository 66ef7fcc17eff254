import type { PackedBlock } from '../blocks/block.ts';
import { compareViews, type Certificate } from '../blocks/finality/certificate.ts';
import type { Epoch } from '../blocks/finality/voting_rule.ts';
import type { FinalityChain } from '../chain/finality/finality_chain.ts';
import type { VotedChain } from '../chain/finality/voted_chain.ts';
import { getBlockNumber, type BlockId } from '../values/hash.ts';
import type { VoteEvidence } from '../witness/vote_evidence.ts';
import type { VoteToSign } from '../witness/voting_journal.ts';

/** The sources of evidence. */
export interface EvidenceSources {
  /** The lock of the key, as the signer has it. */
  readonly lock: Certificate | undefined;
  readonly epoch: Epoch;
  readonly certificates: readonly Certificate[];
  readonly chain: {
    readonly voted: Pick<FinalityChain, 'getAncestor'> & Pick<VotedChain, 'endedEpochs'>;
    block(number: number): PackedBlock | undefined;
  };
}

/** Collects the evidence with which a signer process allows a vote. Without any the signer refuses. */
export function findEvidence(
  { subject }: Pick<VoteToSign, 'subject'>,
  { lock, epoch, certificates, chain }: EvidenceSources,
): VoteEvidence {
  const { voters, start } = epoch;
  const [before] = voters.epoch === 0 ? [] : chain.voted.endedEpochs(voters.epoch - 1, 1);
  const boundary = before?.voters.epoch === voters.epoch - 1 ? before : undefined;
  const descends = (from: BlockId): boolean => chain.voted.getAncestor(subject.block, getBlockNumber(from)) === from;
  const own = lock?.subject.epoch === voters.epoch ? lock.subject : { epoch: voters.epoch, view: 0, block: start };
  const above = descends(own.block)
    ? undefined
    : certificates.find(
        (each) =>
          each.subject.epoch === voters.epoch && compareViews(each.subject, own) > 0 && descends(each.subject.block),
      );
  const from = above?.subject.block ?? own.block;
  const isPrepare = subject.kind === 'prepare' && descends(from);
  return {
    ...{
      voters: voters.keys,
      start,
      boundary: boundary?.certificate,
      boundary_voters: boundary?.voters.keys ?? [],
      above,
    },
    headers: isPrepare ? listHeaders(chain, from, subject.block) : [],
  };
}

/** The vote's block is on the main branch. */
function listHeaders(chain: EvidenceSources['chain'], from: BlockId, to: BlockId): VoteEvidence['headers'] {
  const first = getBlockNumber(from) + 1;
  const numbers = Array.from({ length: getBlockNumber(to) - first + 1 }, (_, index) => first + index);
  return numbers.flatMap((number) => chain.block(number)?.header ?? []);
}
