import { catchRefusal, refusals } from '../../base/refusal.ts';
import type { Certificate } from '../../blocks/finality/certificate.ts';
import { followsByThird, type EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import { quorumSize, type Voters } from '../../blocks/finality/voters.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { MOST_STEPS } from '../../blocks/finality/trust.ts';
import type { FinalitySource } from './finality_source.ts';

const refuse = refusals({
  checkpoint_too_far:
    'more than {most} certificates lead from epoch {epoch} to block {number}: ask for the proof of block {reached} first and go on from its epoch, or begin with a newer checkpoint',
  no_way_from_epoch:
    'no certificates that this node keeps lead from epoch {epoch} to block {number}: begin with a newer checkpoint, or ask another node',
});

/** The refusals of `proofSteps`. */
export const stepsRefusals = refuse.texts;

/** The way that is wanted: from trusted voters to a certificate for a block or a later one. */
export interface StepsWanted {
  readonly trusted: Voters;
  readonly number: number;
  /** The newest certificate, for that block or a later one. */
  readonly newest: EndedEpoch;
}

/** The voters that a client trusts on its way. Those of the next epoch are trusted, too, once a step has named them. */
interface Trusted {
  readonly voters: Voters;
  readonly hasEnded: boolean;
}

/**
 * As few certificates as lead from trusted voters to the block; the last one proves it. A client can trust each by the
 * one before, and it has no more signatures than a quorum.
 */
export function proofSteps(source: Pick<FinalitySource, 'boundaryFrom'>, wanted: StepsWanted): readonly EndedEpoch[] {
  const { number, trusted } = wanted;
  const steps: EndedEpoch[] = [];
  let at: Trusted = { voters: trusted, hasEnded: false };
  for (;;) {
    const next = furthestStep(source, at, wanted.newest);
    if (next === undefined) return refuse.no_way_from_epoch({ epoch: trusted.epoch, number });
    steps.push({ ...next, certificate: withQuorumOnly(next, at.voters) });
    const reached = getBlockNumber(next.certificate.subject.block);
    if (reached >= number) return steps;
    if (steps.length > MOST_STEPS)
      return refuse.checkpoint_too_far({ most: MOST_STEPS, epoch: trusted.epoch, number, reached });
    at = { voters: next.voters, hasEnded: true };
  }
}

/** True where certificates that are kept lead from trusted voters to the newest one, however many. */
export function canReach(source: Pick<FinalitySource, 'boundaryFrom'>, trusted: Voters, newest: EndedEpoch): boolean {
  const number = getBlockNumber(newest.certificate.subject.block);
  return catchRefusal(() => proofSteps(source, { trusted, number, newest }))?.code !== 'no_way_from_epoch';
}

/** Each epoch that is kept follows from the one kept before, so halving what is left finds one that is far. */
function furthestStep(
  source: Pick<FinalitySource, 'boundaryFrom'>,
  at: Trusted,
  newest: EndedEpoch,
): EndedEpoch | undefined {
  if (canFollow(newest, at)) return newest;
  let furthest: EndedEpoch | undefined;
  let first = at.voters.epoch + (at.hasEnded ? 1 : 0);
  let end = newest.voters.epoch;
  while (first < end) {
    const middle = Math.trunc((first + end) / 2);
    const found = source.boundaryFrom(middle);
    if (found !== undefined && found.voters.epoch < end && canFollow(found, at)) {
      furthest = found;
      first = found.voters.epoch + 1;
    } else end = middle;
  }
  return furthest;
}

function canFollow(next: EndedEpoch, { voters, hasEnded }: Trusted): boolean {
  const { epoch } = next.voters;
  return epoch === voters.epoch || (hasEnded && epoch === voters.epoch + 1) || followsByThird(next, voters);
}

/** The votes of trusted voters first: they serve twice. */
function withQuorumOnly({ voters, certificate }: EndedEpoch, trusted: Voters): Certificate {
  const keys = new Set(trusted.keys);
  const isTrusted = ({ voter }: Certificate['signatures'][number]): boolean => keys.has(voters.keys[voter] ?? '');
  const { subject, signatures } = certificate;
  const chosen = [...signatures.filter(isTrusted), ...signatures.filter((each) => !isTrusted(each))];
  return { subject, signatures: chosen.slice(0, quorumSize(voters)).sort((a, b) => a.voter - b.voter) };
}
