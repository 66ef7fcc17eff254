import { timeText } from '../values/time.ts';
import { versionText, type Version } from '../values/version.ts';
import type { HardforkStanding, MovedTime } from './hardfork_standing.ts';

/** The warnings by name, which programs may rely on. */
export type HardforkWarningName =
  | 'unknown_hardfork'
  | 'unknown_version'
  | 'moved_hardfork'
  | 'too_few_witnesses'
  | 'threshold_above_round'
  | 'threshold_below_quorum';

/** A warning for operators about the next hardfork, with what to do about it. */
export interface HardforkWarning {
  readonly name: HardforkWarningName;
  readonly text: string;
  readonly advice: string;
}

type Warning = (standing: HardforkStanding) => HardforkWarning | undefined;

/** All warnings about the next hardfork, the most urgent first. The sentences are the same wherever they are shown. */
export function hardforkWarnings(standing: HardforkStanding): readonly HardforkWarning[] {
  const [ofVersion, ...others] = [unknown, unreachable, belowQuorum].map((warning: Warning) => warning(standing));
  return [ofVersion, ...standing.moved.map(movedTime), ...others].flatMap((warning) => warning ?? []);
}

/** A warning as one sentence. */
export function warningSentence({ text, advice }: HardforkWarning): string {
  return `${text}: ${advice}`;
}

/** The scheduled witnesses that run or vote for a version that this program doesn't know. */
export function witnessesOfUnknownVersion({ scheduled, supported }: HardforkStanding): HardforkStanding['scheduled'] {
  return scheduled.filter((witness) => versionOfWitness(witness) > supported);
}

function versionOfWitness(witness: HardforkStanding['scheduled'][number]): Version {
  return Math.max(witness.running_version, witness.hardfork_version_vote);
}

function unknown(standing: HardforkStanding): HardforkWarning | undefined {
  const { agreed, supported } = standing;
  const program = `this program (protocol version ${versionText(supported)})`;
  if (agreed !== undefined && agreed.version > supported) {
    const version = versionText(agreed.version);
    return {
      name: 'unknown_hardfork',
      text: `the witnesses have agreed on version ${version}, which ${program} does not know; this node stops when it becomes active, at ${timeText(agreed.time)}`,
      advice: installing(version),
    };
  }
  const newer = witnessesOfUnknownVersion(standing);
  if (newer.length === 0) return undefined;
  const version = versionText(Math.max(...newer.map(versionOfWitness)));
  return {
    name: 'unknown_version',
    text: `${newer.length} of ${standing.scheduled.length} scheduled witnesses run or vote for version ${version}, which ${program} does not know; ${votesText(standing)}`,
    advice: installing(version),
  };
}

const CHAIN_SAYS: Readonly<Record<MovedTime['by'], string>> = {
  applied: 'the chain has applied',
  agreed: 'the witnesses have agreed on',
  voted: 'most scheduled witnesses vote for',
};

/** A release has moved the time of a hardfork, and the chain goes by another one. */
function movedTime({ version, declared, time, by }: MovedTime): HardforkWarning {
  const told = versionText(version);
  return {
    name: 'moved_hardfork',
    text: `${CHAIN_SAYS[by]} version ${told} with the time ${timeText(time)}, and this program declares ${timeText(declared)} for it`,
    advice:
      by === 'applied'
        ? 'the time of the chain counts; run the release that declares it, with which the other nodes have applied it'
        : `votes for one time do not count for the other; agree with the other witnesses on one release of version ${told}, and run that`,
  };
}

function installing(version: string): string {
  return `install a release of Pharos that knows version ${version} before then; see the guide "Upgrade a live chain"`;
}

/** The most votes that a version has which this program doesn't know. */
function votesText({ votes, supported, required }: HardforkStanding): string {
  const most = votes.find(({ version }) => version > supported);
  if (most === undefined) return `none votes for it yet, and ${required} votes activate it`;
  const { version, time, witnesses } = most;
  return `${witnesses.length} vote for ${versionText(version)} at ${timeText(time)}, and ${required} votes activate it`;
}

/** Votes are cast in vain where fewer witnesses are scheduled than must agree. */
function unreachable({
  votes,
  scheduled: { length: scheduled },
  required,
  places,
}: HardforkStanding): HardforkWarning | undefined {
  if (required <= scheduled) return undefined;
  const [most] = votes;
  const told =
    most === undefined
      ? `a hardfork needs ${required} votes`
      : `${most.witnesses.length} of ${scheduled} scheduled witnesses vote for version ${versionText(most.version)}, and ${required} votes are needed`;
  if (required > places)
    return {
      name: 'threshold_above_round',
      text: `${told}, but a round has ${places} places: no hardfork ever becomes active`,
      advice: 'the threshold is hardfork_req_witnesses of the genesis; only a new chain can have another one',
    };
  return {
    name: 'too_few_witnesses',
    text: `${told}, but only ${scheduled} of ${places} places of the round are taken: no hardfork becomes active until ${required} are`,
    advice: 'have more witnesses voted in; the threshold is hardfork_req_witnesses of the genesis',
  };
}

function belowQuorum({ required, quorum, places, isPrivateNet }: HardforkStanding): HardforkWarning | undefined {
  if (isPrivateNet || required >= quorum) return undefined;
  return {
    name: 'threshold_below_quorum',
    text: `${required} votes activate a hardfork, and ${quorum} of ${places} witnesses are needed to go on`,
    advice: `agree on a time at which ${quorum} run the new version, or the chain stops there`,
  };
}
