import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { publicKeyText, NULL_KEY } from '../../values/public_key.ts';
import { nodeFlags, onChain, secondsOf, type NodeFlags } from './chain_access.ts';
import { feedAgeSeconds, witnessReport, type OwnProducer, type WitnessReport } from './witness_report.ts';

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
      if (report === undefined) throw new Fault('configuration', `the chain knows no witness ${name}; pharos witness create makes one`);
      process.stdout.write(statusText(report, flags.keyPrefix));
    });
}

function statusText(report: WitnessReport, keyPrefix: string): string {
  const { chain, rank, own, round } = report;
  const key = chain.signing_key === publicKeyText(NULL_KEY, keyPrefix) ? 'none: it has stopped' : chain.signing_key;
  const facts: readonly (readonly [string, string])[] = [
    ['witness', chain.owner],
    ['signs with', key],
    ['votes', `${chain.votes}, ${rank === undefined ? 'beyond the first thousand' : `place ${rank}`}`],
    ['missed', `${chain.total_missed} slots since it exists`],
    ['last block', round.slotsSinceBlock === undefined ? 'none' : `${chain.last_confirmed_block_num}, ${round.slotsSinceBlock} slots ago`],
    ['round', round.isIn ? `one of ${round.size} witnesses` : 'not in it: it has no slots'],
    ['feed', feedText(feedAgeSeconds(report))],
    ...ownFacts(own),
    ...standbyFacts(report),
  ];
  return facts.map(([name, text]) => `${name.padEnd(LABEL_COLUMNS)}${text}\n`).join('');
}

function ownFacts(own: OwnProducer | undefined): (readonly [string, string])[] {
  if (own === undefined) return [['this node', 'makes no blocks for it, or tells programs of its own machine only']];
  const missed = own.slots.filter(({ reason }) => reason !== '').slice(-MISSED_SHOWN);
  return [
    ['this node', own.obstacle === '' ? 'makes its blocks' : own.advice],
    ['next slot', own.next_slot === NO_TIME ? 'not known yet' : own.next_slot],
    ['slots', own.slots.length === 0 ? 'none of the last day is known' : stripOf(own)],
    ...missed.map(({ time, reason }) => ['missed', `${time} ${reason}`] as const),
  ];
}

/** Who takes over from whom, and what would keep it from doing so now. */
function standbyFacts({ standby: { standingBy, standbys }, own, now }: WitnessReport): (readonly [string, string])[] {
  const held = (signed: string, expires: string): string =>
    `switch ${Math.max(0, Math.trunc((now - secondsOf(signed)) / 60))} minutes old, good until ${expires}`;
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

/** The slots of the last day, oldest first. */
function stripOf({ slots, missed_slots: missed }: OwnProducer): string {
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
