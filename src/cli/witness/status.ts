import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { publicKeyText, NULL_KEY } from '../../values/public_key.ts';
import { oldHead } from './old_head.ts';
import { hardforkLines } from './hardfork_report.ts';
import { nodeFlags, onChain, toSeconds, type NodeFlags } from './chain_access.ts';
import { feedAgeSeconds, witnessReport, type OwnProducer, type Voting, type WitnessReport } from './witness_report.ts';

const MISSED_SHOWN = 10;
const LABEL_COLUMNS = 12;
const STRIP_COLUMNS = 96;
/** A witness of a full round has 565 slots a day. */
const STRIP_LINES = 6;
/** A time that was never set. */
const NO_TIME = '1970-01-01T00:00:00';

interface Flags extends NodeFlags {
  readonly keyPrefix: string;
}

/** `pharos witness status`: how a witness does. */
export function statusCommand(): Command {
  return nodeFlags(new Command('status').description('show how a witness does').argument('<witness>'))
    .option('--key-prefix <letters>', 'what keys of the chain begin with', 'PHR')
    .action(async (name: string, flags: Flags) => {
      const report = await onChain(flags, async (client) => await witnessReport(client, name));
      if (report === undefined)
        throw new Fault('configuration', `the chain knows no witness ${name}; pharos witness create makes one`);
      process.stdout.write(statusText(report, flags.keyPrefix));
    });
}

function statusText(report: WitnessReport, keyPrefix: string): string {
  const { chain, rank, own, round } = report;
  const key = chain.signing_key === publicKeyText(NULL_KEY, keyPrefix) ? 'none: it has stopped' : chain.signing_key;
  const old = oldHead(Math.trunc(Date.now() / 1000) - report.now);
  const facts: readonly (readonly [string, string])[] = [
    ...(old === undefined ? [] : [['head', old] as const]),
    ['witness', chain.owner],
    ['signs with', key],
    ['votes', `${chain.votes}, ${rank === undefined ? 'beyond the first thousand' : `place ${rank}`}`],
    ['missed', `${chain.total_missed} slots since it exists`],
    [
      'last block',
      round.slotsSinceBlock === undefined
        ? 'none'
        : `${chain.last_confirmed_block_num}, ${round.slotsSinceBlock} slots ago`,
    ],
    ['round', round.isIn ? `one of ${round.size} witnesses` : 'not in it: it has no slots'],
    ['feed', feedText(feedAgeSeconds(report))],
    ...ownFacts(own),
    ...standbyFacts(report),
    ...votingFacts(report),
    ...(report.checkpoint === undefined ? [] : [['checkpoint', report.checkpoint] as const]),
    ...hardforkLines(report.hardforks).map((line) => ['hardforks', line] as const),
  ];
  return facts.map(([name, text]) => `${name.padEnd(LABEL_COLUMNS)}${text}\n`).join('');
}

function ownFacts(own: OwnProducer | undefined): (readonly [string, string])[] {
  if (own === undefined) return [['this node', 'makes no blocks for it, or tells programs of its own machine only']];
  const missed = own.slots.filter(({ reason }) => reason !== '').slice(-MISSED_SHOWN);
  return [
    ['this node', own.obstacle === '' ? 'makes its blocks' : own.advice],
    ['next slot', own.next_slot === NO_TIME ? 'not known yet' : own.next_slot],
    ['slots', own.slots.length === 0 ? 'none of the last day is known' : slotStrip(own)],
    ...missed.map(({ time, reason }) => ['missed', `${time} ${reason}`] as const),
  ];
}

/** Describes standbys and takeovers, with the obstacles of a takeover now. */
function standbyFacts({ standby: { standingBy, standbys }, own, now }: WitnessReport): (readonly [string, string])[] {
  const held = (signed: string, expires: string): string =>
    `switch ${Math.max(0, Math.trunc((now - toSeconds(signed)) / 60))} minutes old, good until ${expires}`;
  if (standingBy !== undefined) {
    const { since, has_taken_over: hasTakenOver, signed, expires, advice, witness } = standingBy;
    if (hasTakenOver) return [['standby', `has taken over from ${witness}`]];
    const ready = advice === '' ? `ready; ${held(signed, expires)}` : `not ready: ${advice}`;
    return [['standby', `for ${witness} since ${since}, ${ready}`]];
  }
  if (own !== undefined && standbys.length === 0) return [['standby', 'none']];
  return standbys.map(({ node, in_step: isInStep, signed, expires }) => {
    const has = signed === NO_TIME ? 'has no switch yet' : held(signed, expires);
    return ['standby', `${node.slice(0, 12)}…, ${isInStep ? 'connected' : 'NOT CONNECTED'}, ${has}`] as const;
  });
}

/** Describes finality, and the votes of the witness's key. */
function votingFacts({ voting, chain }: WitnessReport): (readonly [string, string])[] {
  if (voting === undefined) return [];
  const { epoch, final_block_num: final, voters, quorum, votes, lacking, evidence } = voting;
  const missing = votes.filter(({ is_missing: isMissing }) => isMissing);
  const cast = votes.find((each) => each.key === chain.signing_key);
  return [
    [
      'finality',
      `block ${final} is final${stallText(voting)}; epoch ${epoch}, ${voters - missing.length} of ${voters} voters vote, ${quorum} are needed`,
    ],
    ['certificate', certificateText(voting)],
    ...(missing.length === 0 ? [] : [['no votes', missing.map(voterText).join(', ')] as const]),
    ...otherKeyTexts(voting, chain.signing_key).map((text) => ['votes', text] as const),
    ...lacking.map(
      (each) =>
        [
          'lacks',
          `the secret of ${each}, with which this machine has voted: add it again until epoch ${epoch + 1} begins`,
        ] as const,
    ),
    ['vote', voteText(voting, chain.signing_key)],
    ...(cast === undefined
      ? []
      : [['voted', `in ${cast.cast} slots since the node has started, and missed ${cast.missed}`] as const]),
    ...evidence.map((each) => ['evidence', each] as const),
  ];
}

function stallText({ stalled_seconds: seconds, stalled_since: since }: Voting): string {
  return seconds === 0 ? '' : `, and none after it since ${since}, ${seconds} seconds`;
}

function certificateText({
  certificate_block_num: number,
  certificate_votes: votes,
  certificate_time: time,
  voters,
}: Voting): string {
  if (number === 0) return 'none yet: no certificate proves a block of this chain here';
  return `of block ${number}, with ${votes} of ${voters} votes, of the slot at ${time}`;
}

function voterText({ key, witness }: Voting['votes'][number]): string {
  return witness === '' ? key : `${witness} (${key})`;
}

/** Names the keys of this node that have a vote besides the present signing key, and what they need. */
export function otherKeyTexts({ own, epoch }: Pick<Voting, 'own' | 'epoch'>, signingKey: string): string[] {
  return own.flatMap(({ key, is_replaced: isReplaced, is_stopped: isStopped }) => {
    if (isReplaced)
      return [
        `with ${key}, which was replaced on the chain: keep its secret beside the new one until epoch ${epoch + 1} begins`,
      ];
    return isStopped && key !== signingKey
      ? [`none with ${key}: another machine signs with it; stop that machine, then pharos witness unlock`]
      : [];
  });
}

/** Says how this node votes with a key. */
export function voteText({ own, votes }: Pick<Voting, 'own' | 'votes'>, key: string): string {
  const voter = own.find((each) => each.key === key);
  if (voter !== undefined) return ownVoteText(voter);
  return votes.some((each) => each.key === key)
    ? 'not by this node: it has other keys, or the journal of votes has not begun; see /health'
    : 'its key does not vote in this epoch';
}

function ownVoteText({ is_stopped, is_whole, lock_block_num: lock }: Voting['own'][number]): string {
  if (is_stopped) return 'stopped: another machine signs with this key';
  if (!is_whole) return 'waits: votes of this epoch may be missing from its journal; see pharos witness finality-reset';
  return lock === 0 ? 'votes' : `votes, locked on block ${lock}`;
}

/** The slots of the last day, oldest first. */
function slotStrip({ slots, missed_slots: missed }: OwnProducer): string {
  const shown = slots.slice(-STRIP_COLUMNS * STRIP_LINES).map(({ reason }) => (reason === '' ? '|' : 'x'));
  const lines = Array.from({ length: Math.ceil(shown.length / STRIP_COLUMNS) }, (_, line) =>
    shown.slice(line * STRIP_COLUMNS, (line + 1) * STRIP_COLUMNS).join(''),
  );
  const cut = shown.length < slots.length ? '…' : '';
  return `${cut}${lines.join(`\n${' '.repeat(LABEL_COLUMNS)}`)} (${slots.length} of the last day, x is missed; ${missed} missed since the node has started)`;
}

function feedText(seconds: number | undefined): string {
  return seconds === undefined ? 'none' : `${Math.trunc(seconds / 60)} minutes old`;
}
