import { Command } from 'commander';
import { exitCodes } from '../../base/exit_codes.ts';
import { Fault } from '../../base/fault.ts';
import { parseUnixPath } from '../../client/unix_address.ts';
import type { HardforkWarningName } from '../../queries/hardfork_warnings.ts';
import { nodeFlags, parseNumber, onChain, toSeconds, type NodeFlags } from './chain_access.ts';
import { feedAgeSeconds, isSilent, witnessReport, type WitnessReport } from './witness_report.ts';

interface Flags extends NodeFlags {
  readonly minutes: string;
  readonly feedMinutes?: string;
}

const OLD_HEAD_SECONDS = 30;
const OF_PROGRAM: ReadonlySet<string> = new Set<HardforkWarningName>([
  'unknown_hardfork',
  'unknown_version',
  'moved_hardfork',
]);

/** `pharos witness watch`: looks once, for cron and alerts. */
export function watchCommand(): Command {
  return nodeFlags(
    new Command('watch').description(
      'look once whether a witness does well: exit code 0 when it does, 7 when it does not',
    ),
  )
    .argument('<witness>')
    .option('--minutes <count>', 'a slot that was missed so long ago counts no more', '60')
    .option('--feed-minutes <count>', 'its price may be so old; not looked at when left out')
    .action(async (name: string, flags: Flags) => {
      const limits = makeLimits(flags);
      const report = await onChain(flags, async (client) => await witnessReport(client, name));
      if (report === undefined) throw new Fault('configuration', `the chain knows no witness ${name}`);
      const problems = listProblems(report, { ...limits, isOwnMachine: isLoopback(flags.url) }, Date.now() / 1000);
      process.stdout.write(
        problems.length === 0 ? `${goodNews(report)}\n` : problems.map((problem) => `${problem}\n`).join(''),
      );
      if (problems.length > 0) process.exitCode = exitCodes.alarm;
    });
}

interface Limits {
  readonly minutes: number;
  readonly feedMinutes: number | undefined;
}

/** Read before anything is asked: what can't be read would never raise an alarm. */
function makeLimits({ minutes, feedMinutes }: Flags): Limits {
  const feedLimit = feedMinutes === undefined ? undefined : parseNumber('--feed-minutes', feedMinutes);
  return { minutes: parseNumber('--minutes', minutes), feedMinutes: feedLimit };
}

/** A node that isn't the witness's own shows only what the chain does. */
function goodNews({ chain: { owner }, own, round }: WitnessReport): string {
  if (own !== undefined) return `witness ${owner} does well`;
  return `witness ${owner} does well, as far as the chain shows; it is ${round.isIn ? 'in the round' : 'in no round, and so has no slots'}`;
}

function isLoopback(url: string): boolean {
  if (parseUnixPath(url) !== undefined) return true;
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' };
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

interface WatchLimits extends Limits {
  /** On it a node is expected to make the witness's blocks. */
  readonly isOwnMachine: boolean;
}

function listProblems(
  report: WitnessReport,
  { minutes, feedMinutes, isOwnMachine }: WatchLimits,
  nowSeconds: number,
): string[] {
  const { own, now, round } = report;
  const problems: string[] = [];
  if (nowSeconds - now > OLD_HEAD_SECONDS)
    problems.push(`the head of the node is ${Math.trunc(nowSeconds - now)} seconds old`);
  if (own === undefined && isOwnMachine)
    problems.push('this node makes no blocks for it, or tells programs of its own machine only');
  if (own !== undefined && own.obstacle !== '') problems.push(own.advice);
  if (isSilent(report)) problems.push(`it is in the round, and has made no block ${since(round.slotsSinceBlock)}`);
  const oldest = nowSeconds - 60 * minutes;
  const missed = own?.slots.filter(({ time, reason }) => reason !== '' && toSeconds(time) >= oldest).length ?? 0;
  if (missed > 0)
    problems.push(`${missed} slots were missed in the last ${minutes} minutes; pharos witness status says why`);
  problems.push(...votingProblems(report), ...programProblems(report));
  const feedAge = feedAgeSeconds(report) ?? Infinity;
  if (feedMinutes !== undefined && feedAge > 60 * feedMinutes)
    problems.push(`its price is older than ${feedMinutes} minutes`);
  return problems;
}

/** Others run or vote for a version that the program of the node does not know. */
function programProblems({ hardforks: { warnings } }: WitnessReport): string[] {
  return warnings.filter(({ name }) => OF_PROGRAM.has(name)).map(({ text, advice }) => `${text}: ${advice}`);
}

/** Reports missing votes of its own witness, and that no block becomes final, on chains with votes. */
function votingProblems({ voting, chain }: WitnessReport): string[] {
  if (voting === undefined) return [];
  const vote = voting.votes.find(({ key }) => key === chain.signing_key);
  return [
    ...(vote?.is_missing === true ? ['no vote of its key has come for ten slots; pharos witness status says why'] : []),
    ...(voting.stalled_seconds > 0 ? [`no block has become irreversible since ${voting.stalled_since}`] : []),
    ...(voting.lacking.length > 0
      ? [`this machine lacks secrets of keys that still vote: ${voting.lacking.join(', ')}`]
      : []),
  ];
}

function since(slots: number | undefined): string {
  return slots === undefined ? 'yet' : `for ${slots} slots`;
}
