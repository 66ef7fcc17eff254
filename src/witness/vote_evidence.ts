import { ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { optional, vector } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import { refusals } from '../base/refusal.ts';
import { certificate, compareViews, requireCertificate, type Certificate } from '../blocks/finality/certificate.ts';
import type { VoteSubject } from '../blocks/finality/vote.ts';
import { isVoteSigned } from '../blocks/finality/vote_signature.ts';
import { epochVoters, type Voters } from '../blocks/finality/voters.ts';
import type { VotingRecord } from '../blocks/finality/voting_record.ts';
import { blockId, signedBlockHeader } from '../blocks/header.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { hash160, type BlockId, type Digest } from '../values/hash.ts';
import { publicKey } from '../values/public_key.ts';

const refuse = refusals({
  evidence_of_other_voters: 'the voters that came with a vote of epoch {epoch} are not those that the vote names',
  epoch_of_other_voters:
    'the signer knows other voters of epoch {epoch} than the vote names, so the node follows another branch or lies',
  epoch_voted_in:
    'a key has voted in epoch {epoch} already, and its voters are not recorded: they are not taken from the node',
  vote_leaves_lock:
    'a prepare of view {view} was asked for block {block}, and the headers that came with it do not lead there from the lock, block {lock}, nor from a certified block above the lock',
  vote_of_another_header: 'a vote was asked for block {block} with another header than that block has',
});

/** The evidence for a signer process with a vote: it has no chain, and believes a node no more than it must. */
export const voteEvidence = struct({
  /** The keys of the epoch's voters. */
  voters: vector(publicKey),
  /** The last block of the epoch before. */
  start: hash160,
  /** The commit certificate of that block, and the voters who signed it. */
  boundary: optional(certificate),
  boundary_voters: vector(publicKey),
  /** A certificate in a view above the lock's. */
  above: optional(certificate),
  /** Signed headers from behind the lock's block, or that of the certificate above it, up to the vote's block. */
  headers: vector(signedBlockHeader),
});

export type VoteEvidence = ValueOf<typeof voteEvidence>;

/** An epoch as a signer has recorded it: once, and for good. */
export interface RecordedEpoch {
  readonly voters: Digest;
  /** The last block of the epoch before. */
  readonly start: BlockId;
}

/** The epochs of a chain that a signer has recorded. */
export interface RecordedEpochs {
  epochOf(epoch: number): RecordedEpoch | undefined;
  recordEpoch(epoch: number, recorded: RecordedEpoch): void;
}

/** The origin of voters in the record. */
export type VotersOrigin = 'recorded' | 'certified' | 'word';

const scratch = new ByteWriter(512);

/**
 * Refuses a vote that the evidence does not carry. Answers how the epoch's voters are known: recorded before, named by
 * a boundary certificate of recorded voters, or by the node's word alone, which is taken only for an epoch in which the
 * key has not voted.
 */
export function requireEvidence(
  chain: Digest,
  before: VotingRecord | undefined,
  { subject, record }: { readonly subject: VoteSubject; readonly record: VotingRecord },
  evidence: VoteEvidence,
  recorded: RecordedEpochs,
): VotersOrigin {
  const { epoch } = subject;
  const voters = epochVoters(chain, epoch, evidence.voters);
  if (voters.digest !== subject.voters) refuse.evidence_of_other_voters({ epoch });
  const origin = evidenceOrigin(chain, before, voters, evidence, recorded);
  if (subject.kind === 'commit' && record.lock !== undefined)
    requireCertificate(chain, record.lock, voters, isVoteSigned);
  if (subject.kind === 'prepare') requireDescent(chain, before, subject, voters, evidence);
  if (origin !== 'recorded') recorded.recordEpoch(epoch, { voters: voters.digest, start: evidence.start });
  return origin;
}

function evidenceOrigin(
  chain: Digest,
  before: VotingRecord | undefined,
  { epoch, digest }: Voters,
  { start, boundary, boundary_voters }: VoteEvidence,
  recorded: RecordedEpochs,
): VotersOrigin {
  const known = recorded.epochOf(epoch);
  if (known !== undefined && (known.voters !== digest || known.start !== start))
    refuse.epoch_of_other_voters({ epoch });
  if (known !== undefined) return 'recorded';
  if (boundary !== undefined && namesVoters(boundary, { epoch, digest, start })) {
    const previous = epochVoters(chain, epoch - 1, boundary_voters);
    if (recorded.epochOf(epoch - 1)?.voters === previous.digest) {
      requireCertificate(chain, boundary, previous, isVoteSigned);
      return 'certified';
    }
  }
  if (before?.last_prepare?.epoch === epoch) refuse.epoch_voted_in({ epoch });
  return 'word';
}

function namesVoters(
  { subject }: Certificate,
  { epoch, digest, start }: Pick<Voters, 'epoch' | 'digest'> & { readonly start: BlockId },
): boolean {
  return (
    subject.kind === 'commit' &&
    subject.epoch === epoch - 1 &&
    subject.next_voters === digest &&
    subject.block === start
  );
}

/** The headers lead from the lock's block, or from a certified block above the lock, to the block of the vote. */
function requireDescent(
  chain: Digest,
  before: VotingRecord | undefined,
  { epoch, view, block, header }: VoteSubject,
  voters: Voters,
  { start, above, headers }: VoteEvidence,
): void {
  const lock = before?.lock?.subject.epoch === epoch ? before.lock.subject : { epoch, view: 0, block: start };
  const isAbove = above !== undefined && above.subject.epoch === epoch && compareViews(above.subject, lock) > 0;
  if (isAbove) requireCertificate(chain, above, voters, isVoteSigned);
  let at: BlockId = isAbove ? above.subject.block : lock.block;
  let signed: Digest | undefined;
  for (const each of headers) {
    if (each.previous !== at) refuse.vote_leaves_lock({ view, block, lock: lock.block });
    at = blockId(each);
    scratch.reset();
    signedBlockHeader.write(scratch, each);
    signed = sha256Hex(scratch.view());
  }
  if (at !== block) refuse.vote_leaves_lock({ view, block, lock: lock.block });
  if (signed !== undefined && signed !== header) refuse.vote_of_another_header({ block });
}
