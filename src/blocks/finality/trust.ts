import { refusals } from '../../base/refusal.ts';
import type { Digest } from '../../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import { timeText, type Seconds } from '../../values/time.ts';
import { requireCertificate, type Certificate, type VerifySignature } from './certificate.ts';
import type { Checkpoint } from '../../values/checkpoint.ts';
import { changedBack, type ChangedVoters, type FinalityProof, type ProofStep } from './finality_proof.ts';
import { NO_VOTERS } from './vote.ts';
import { isMoreThanThird, quorumSize, epochVoters, type Voters } from './voters.ts';

/*
 * The voters that a client believes which trusts no node. Its trust begins with a checkpoint, which names the voters of
 * one epoch, and goes on to later epochs by certificates.
 */

const refuse = refusals({
  certificate_of_prepares: 'the certificate of epoch {epoch} holds prepares; only commits make a block final',
  certificate_of_old_epoch:
    'the certificate is of epoch {epoch}, and epoch {trusted} is trusted: older keys may be stolen',
  certificate_from_future:
    'the certificate is of slot {view}, which has not come: the node lies, or the clock of this machine is wrong',
  voters_out_of_order: 'the voters of epoch {epoch} are not in ascending order, each once',
  too_many_voters: 'the proof names {voters} voters, more than {most}',
  voters_not_named: 'the last block of epoch {before} has named other voters for epoch {epoch}',
  voters_not_trusted:
    'of {trusted} trusted voters {signed} signed for epoch {epoch}, no more than a third: get a newer checkpoint, or ask another node',
  trusted_voters_differ:
    'the proof tells other voters of epoch {epoch} than the checkpoint: one of them is of another chain, or false',
  trust_too_old:
    'of {trusted} trusted voters {signed} signed for epoch {epoch}; a third is believed for 30 days, and the trust is of {since}: get a newer checkpoint',
  checkpoint_between_epochs:
    'block {number} of the checkpoint ends no epoch of {epochBlocks} blocks: checkpoint or node is of another chain, or false',
  steps_out_of_order: 'the certificate of epoch {epoch} ends no epoch, or none of a later epoch follows it',
  too_many_steps: 'the proof has {steps} steps, more than {most}',
});

/** The trusted voters of a chain. */
export interface Trust {
  readonly chain: Digest;
  /** The number of blocks of an epoch. */
  readonly epochBlocks: number;
  readonly epoch: number;
  /** Digest of the epoch's voters. */
  readonly digest: Digest;
  /** Their keys, once a proof has told those that have the digest. */
  readonly keys: readonly PublicKey[] | undefined;
  /** The time of the checkpoint's block, before which no certificate of its epoch or a later one can be. */
  readonly begun: Seconds;
  /** The time of the newest certificate that was accepted since, from which the age of the trust counts. */
  readonly since: Seconds;
  /** Digest of the next epoch's voters, once the last block of the epoch is final and names them. */
  readonly next: Digest | undefined;
  /**
   * True when the last proof led to other voters by fewer than two thirds of the trusted ones: a second node should
   * confirm it.
   */
  readonly isByThird: boolean;
}

/** The checks that a proof needs from its caller. */
export interface TrustChecks {
  readonly verify: VerifySignature;
  readonly nowSeconds: Seconds;
  /**
   * True when exactly this certificate of the chain was verified before, so that its signatures need no second check.
   */
  readonly isVerified: (certificate: Certificate) => boolean;
}

/**
 * The certificates of a proof besides the one that proves the block: some 50 KB, a few milliseconds for the node that
 * finds them, and as many verified signatures for each as an epoch has voters.
 */
export const MOST_STEPS = 8;
/** A vote names its voter by a byte. */
const MOST_VOTERS = 256;
/** For so long nobody who has left the voters is expected to sell its key. */
const TRUSTED_SECONDS = 30 * 86_400;

/** The trust that a checkpoint gives. The chain's id and the blocks of an epoch may be false: the digest covers both. */
export function checkpointTrust({ number, voters, time }: Checkpoint, chain: Digest, epochBlocks: number): Trust {
  const epoch = number / epochBlocks;
  if (!Number.isInteger(epoch)) refuse.checkpoint_between_epochs({ number, epochBlocks });
  const untold = { keys: undefined, next: undefined, isByThird: false };
  return { chain, epochBlocks, epoch, digest: voters, begun: time, since: time, ...untold };
}

/** The trust after a proof's certificates, in their order. Refuses the proof by the first one that can't be accepted. */
export function withProof(trust: Trust, proof: FinalityProof, checks: TrustChecks): Trust {
  const { steps, certificate, voters, trusted } = proof;
  if (steps.length > MOST_STEPS) refuse.too_many_steps({ steps: steps.length, most: MOST_STEPS });
  const all = [...steps, { certificate, voters }];
  requireRising(all.map((each) => each.certificate));
  const [first = { certificate, voters }] = all;
  return all.reduce((before, each) => withCertificate(before, each, checks), withKeys(trust, first, trusted));
}

/** Each step ends an epoch, and the next certificate is of a later one. */
function requireRising(certificates: readonly Certificate[]): void {
  certificates.forEach(({ subject }, at) => {
    const next = certificates[at + 1]?.subject.epoch ?? Infinity;
    const isStep = at + 1 < certificates.length;
    if (subject.epoch >= next || (isStep && subject.next_voters === NO_VOTERS))
      refuse.steps_out_of_order({ epoch: subject.epoch });
  });
}

/**
 * A checkpoint has the digest of its voters alone. A proof tells their keys by what differs from those of its first
 * certificate, and nothing where that is by them.
 */
function withKeys(trust: Trust, { certificate, voters }: ProofStep, changed: ChangedVoters | undefined): Trust {
  const isByTrusted = certificate.subject.epoch === trust.epoch;
  const keys = isByTrusted ? voters : changed && changedBack(voters, changed);
  const isTold = isByTrusted === (changed === undefined);
  if (!isTold || keys === undefined || votersInOrder(trust.chain, trust.epoch, keys).digest !== trust.digest)
    return refuse.trusted_voters_differ({ epoch: trust.epoch });
  return { ...trust, keys, isByThird: false };
}

/** The cheap checks come first, the signatures last. */
function withCertificate(trust: Trust, { certificate, voters: keys }: ProofStep, checks: TrustChecks): Trust {
  const { subject } = certificate;
  if (subject.kind !== 'commit') refuse.certificate_of_prepares({ epoch: subject.epoch });
  if (subject.epoch < trust.epoch) refuse.certificate_of_old_epoch({ epoch: subject.epoch, trusted: trust.epoch });
  const time = viewTime(trust, subject.view, checks.nowSeconds);
  const voters = votersInOrder(trust.chain, subject.epoch, keys);
  const isByThird = isTrustedByThird(trust, voters, certificate, checks.nowSeconds);
  requireCertificate(trust.chain, certificate, voters, checks.isVerified(certificate) ? () => true : checks.verify);
  const isSameEpoch = subject.epoch === trust.epoch;
  const named = subject.next_voters === NO_VOTERS ? undefined : subject.next_voters;
  return {
    ...trust,
    epoch: subject.epoch,
    digest: voters.digest,
    keys,
    since: Math.max(trust.since, time),
    next: named ?? (isSameEpoch ? trust.next : undefined),
    isByThird: trust.isByThird || isByThird,
  };
}

/** Clocks may be a slot apart, as among voters. */
const SLOTS_AHEAD = 1;

/**
 * The time of a view, which is a slot, counted from 1970. How long slots are only nodes tell, and a liar would tell what
 * suits it. So it is the shortest length by which the view is not before the checkpoint: on chains with slots of up to
 * ten minutes that is the right one, and where they are longer the time is too early, never too late.
 */
function viewTime({ begun }: Trust, view: number, nowSeconds: Seconds): Seconds {
  const intervalSeconds = Math.trunc(begun / (view + 1)) + 1;
  if ((view - SLOTS_AHEAD) * intervalSeconds > nowSeconds) refuse.certificate_from_future({ view });
  return Math.min(view * intervalSeconds, nowSeconds);
}

function votersInOrder(chain: Digest, epoch: number, keys: readonly PublicKey[]): Voters {
  if (keys.length > MOST_VOTERS) refuse.too_many_voters({ voters: keys.length, most: MOST_VOTERS });
  const isInOrder = keys.every((key, at) => key > (keys[at - 1] ?? NULL_KEY));
  if (!isInOrder) refuse.voters_out_of_order({ epoch });
  return epochVoters(chain, epoch, keys);
}

/**
 * Voters are trusted that the checkpoint or the last block of the epoch before names, and those of a later epoch whose
 * certificate two thirds of the trusted ones have signed. For a month it is enough that more than a third have, which is
 * what this returns.
 */
function isTrustedByThird(
  trust: Trust,
  { epoch, digest, keys }: Voters,
  { signatures }: Certificate,
  nowSeconds: Seconds,
): boolean {
  if (epoch === trust.epoch) return digest === trust.digest ? false : refuse.trusted_voters_differ({ epoch });
  if (epoch === trust.epoch + 1 && trust.next !== undefined)
    return digest === trust.next ? false : refuse.voters_not_named({ epoch, before: trust.epoch });
  const trusted = { keys: trust.keys ?? [] };
  const isTrusted = new Set(trusted.keys);
  const signed = signatures.filter(({ voter }) => isTrusted.has(keys[voter] ?? '')).length;
  if (signed >= quorumSize(trusted)) return false;
  const told = { epoch, signed, trusted: trusted.keys.length };
  if (!isMoreThanThird(signed, trusted)) refuse.voters_not_trusted(told);
  if (nowSeconds - trust.since > TRUSTED_SECONDS) refuse.trust_too_old({ ...told, since: timeText(trust.since) });
  return true;
}
