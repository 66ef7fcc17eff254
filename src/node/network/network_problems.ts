import type { NetworkState } from './network_messages.ts';
import type { NetworkShare } from './network_load.ts';

const TRUST =
  'give a checkpoint, number and id of a block that you trust, or a seed with its id (p2p-seed-node = id@host:port)';
/** Above it what comes waits for what is there already. */
const BUSY = 0.9;
const KINDS_SAID = 3;

type Told = Pick<NetworkState, 'contest' | 'contestedByInbound' | 'unproved' | 'voices' | 'inbound' | 'outbound'>;

/**
 * Problems that make a node's standing doubtful, each as a sentence with what to do. Only voices can cause one
 * (p2p/sync/voices.ts).
 */
export function networkProblems({ contest }: Pick<NetworkState, 'contest'>): string[] {
  if (contest === undefined) return [];
  const votes = votesText(contest);
  if (contest.isOpen)
    return [
      `contested: ${votes}; this node fetches nothing until the others agree: ${TRUST}, or start over in an empty folder`,
    ];
  if (contest.contradicting < contest.agreeing && !contest.isContradictedByPinned) return [];
  return [
    `contested: ${votes}: the chain has split here, or they lie; ask other operators for the id of that block before you go on`,
  ];
}

/** Warnings that the operator should know and need not get up for. */
export function networkWarnings(told: Told, load: NetworkShare | undefined): string[] {
  const { contest, contestedByInbound, unproved, voices, inbound, outbound } = told;
  const isProblem = networkProblems({ contest }).length > 0;
  const warnings =
    contest === undefined || isProblem ? [] : [`a contradiction: ${votesText(contest)}; this node has let them go`];
  if (contestedByInbound !== undefined) warnings.push(inboundSentence(contestedByInbound));
  if (unproved.peers > 0)
    warnings.push(
      `claims without evidence: ${unproved.peers} of the peers said that they have up to ${unproved.blocks} blocks above the head, and delivered none; they count for nothing`,
    );
  const grouped = groupSentence({ voices, inbound, outbound });
  if (grouped !== undefined) warnings.push(grouped);
  const busy = busySentence(load);
  return busy === undefined ? warnings : [...warnings, busy];
}

function inboundSentence({ number, groups }: NonNullable<Told['contestedByInbound']>): string {
  const who = groups === 1 ? 'one address group' : `${groups} address groups`;
  return `a contradiction by strangers: block ${number}, irreversible here, is another one for inbound peers of ${who}; their word counts for nothing, and this node has let them go; if other operators have that block, too, the chain has split`;
}

/**
 * Warns when all peers could belong to one operator; undefined when they are of several groups, or when there are none.
 */
export function groupSentence({
  voices,
  inbound,
  outbound,
}: Pick<Told, 'voices' | 'inbound' | 'outbound'>): string | undefined {
  if (inbound + outbound === 0 || voices > 1) return undefined;
  const who =
    voices === 0
      ? 'this node has chosen none of its peers'
      : 'no peer of another group: all that this node has chosen share one address group';
  return `${who}, so they may all be in one hand; give p2p-seed-node of somebody else`;
}

/** That the network's thread has no time left, and for what it goes; undefined while it has. */
export function busySentence(load: NetworkShare | undefined): string | undefined {
  if (load === undefined || load.busy < BUSY) return undefined;
  const kinds = load.kinds.slice(0, KINDS_SAID).map(({ kind, share }) => `${kind} ${percent(share)}`);
  const what = kinds.length === 0 ? '' : `, most of it with ${kinds.join(', ')}`;
  return `the network thread was busy ${percent(load.busy)} of the last 10 seconds${what}: blocks may come late; pharos top shows more`;
}

function votesText({
  number,
  agreeing,
  contradicting,
  isContradictedByPinned,
}: NonNullable<NetworkState['contest']>): string {
  const who = isContradictedByPinned ? ', a node that you have named among them' : '';
  return `block ${number}, irreversible here, is another one for ${contradicting} of ${agreeing + contradicting} groups of chosen peers${who}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
