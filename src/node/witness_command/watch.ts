import { Command } from 'commander';
import { exitCodes } from '../../base/exit_codes.ts';
import { Fault } from '../../base/fault.ts';
import { nodeFlags, numberOf, onChain, secondsOf, type NodeFlags } from './chain_access.ts';
import { feedAgeSeconds, witnessReport, type WitnessReport } from './witness_report.ts';

interface Flags extends NodeFlags {
  readonly minutes: string;
  readonly feedMinutes?: string;
}

const OLD_HEAD_SECONDS = 30;

/** `pharos witness watch`: looks once, for cron and alerts. */
export function watchCommand(): Command {
  return nodeFlags(new Command('watch').description('look once whether a witness does well: exit code 0 when it does, 7 when it does not'))
    .argument('<witness>')
    .option('--minutes <count>', 'a slot that was missed so long ago counts no more', '60')
    .option('--feed-minutes <count>', 'its price may be so old; not looked at when left out')
    .action(async (name: string, flags: Flags) => {
      const limits = limitsOf(flags);
      const report = await onChain(flags, async (client) => await witnessReport(client, name));
      if (report === undefined) throw new Fault('configuration', `the chain knows no witness ${name}`);
      const problems = problemsOf(report, limits, Date.now() / 1000);
      process.stdout.write(problems.length === 0 ? `witness ${name} does well\n` : problems.map((problem) => `${problem}\n`).join(''));
      if (problems.length > 0) process.exitCode = exitCodes.alarm;
    });
}

interface Limits {
  readonly minutes: number;
  readonly feedMinutes: number | undefined;
}

/** Read before anything is asked: what can't be read would never raise an alarm. */
function limitsOf({ minutes, feedMinutes }: Flags): Limits {
  const feedLimit = feedMinutes === undefined ? undefined : numberOf('--feed-minutes', feedMinutes);
  return { minutes: numberOf('--minutes', minutes), feedMinutes: feedLimit };
}

function problemsOf(report: WitnessReport, { minutes, feedMinutes }: Limits, nowSeconds: number): string[] {
  const { own, now } = report;
  const problems: string[] = [];
  if (nowSeconds - now > OLD_HEAD_SECONDS) problems.push(`the head of the node is ${Math.trunc(nowSeconds - now)} seconds old`);
  if (own === undefined) problems.push('this node makes no blocks for it, or tells programs of its own machine only');
  else if (own.obstacle !== '') problems.push(own.advice);
  const since = nowSeconds - 60 * minutes;
  const missed = own?.slots.filter(({ time, reason }) => reason !== '' && secondsOf(time) >= since).length ?? 0;
  if (missed > 0) problems.push(`${missed} slots were missed in the last ${minutes} minutes; pharos witness status says why`);
  const feedAge = feedAgeSeconds(report) ?? Infinity;
  if (feedMinutes !== undefined && feedAge > 60 * feedMinutes) problems.push(`its price is older than ${feedMinutes} minutes`);
  return problems;
}
