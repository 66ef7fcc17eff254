import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Fault } from '../base/fault.ts';
import { decodeWif } from '../crypto/wif.ts';
import { defaultLimits } from '../jsonrpc/limits/limits.ts';
import { positive } from '../settings/flag_values.ts';
import { devAccounts, devSecret } from '../dev_chain/dev_genesis.ts';
import { compareText } from '../load_test/compare_reports.ts';
import { htmlComparison } from '../load_test/html_report.ts';
import { readReport } from '../load_test/read_report.ts';
import { percentile, runLoad, type LoadReport, type LoadSettings } from '../load_test/run_load.ts';
import type { Sender } from '../load_test/signing_request.ts';
import { StatusLine } from './status_line.ts';
import {
  nodeAddresses,
  duration,
  lifetime,
  loadTraffic,
  oneMore,
  percentage,
  prepare,
  rates,
  type Rates,
  writeReport,
} from './load_traffic.ts';
import { needs } from './needed_flags.ts';
import { requireSpared } from './spared_file.ts';

interface LoadOptions {
  readonly url?: readonly string[];
  readonly mix?: string;
  readonly rate?: number;
  readonly duration?: number;
  readonly websocket?: boolean;
  readonly json?: string;
  readonly report?: string;
  readonly lifetime: number;
  readonly until: string;
  readonly prepare?: number;
  readonly ramp?: Rates;
  readonly p99: number;
  readonly hostile: number;
  readonly seed: string;
  readonly fund: number;
  readonly count: number;
  readonly batch: number;
  readonly connections: number;
  readonly memo: string;
  readonly threads: number;
  readonly accounts?: readonly Sender[];
  readonly pid?: number;
  readonly metrics?: string;
  readonly profile: string;
}

const EXAMPLES = `
Examples:
  $ pharos dev --fresh --maximum-block-size 50331648     in another terminal; larger blocks from block 52 on
  $ pharos load                                          20 000 transfers between its accounts
  $ pharos load --count 100000 --connections 48
  $ pharos load --url http://node.example:9193 --accounts anna:5K… bert:5J…
  $ pharos load --rate 500 --duration 1m --json load.json    500 a second whatever the node does, latencies from when each was due
  $ pharos load --mix reads --rate 2000 --websocket
  $ pharos load --mix my_mix.json --duration 10m`;

/** `pharos load`: signs transfers, then posts them to a node and counts what it puts into blocks. */
export function loadCommand(): Command {
  return transferOptions(
    new Command('load')
      .description(
        'load a node. Without --mix, --rate or --duration: transfers that are signed before, and how many a second get into blocks. With one of them: a mix of calls at a rate, with latencies, blocks, and a look-up of all that was acknowledged',
      )
      .option('--url <url>', 'the node, http://127.0.0.1:9193 when left out; several times for several nodes', oneMore)
      .option('--mix <name>', 'real, plain (the default), payments, reads, or a JSON file')
      .option(
        '--rate <number>',
        'calls a second: each is sent when it is due, and its latency counts from then',
        positive,
      )
      .option(
        '--ramp <A..B>',
        'finds the highest rate that holds: --p99 is kept and nothing is refused; --duration is that of each step',
        rates,
      )
      .option('--p99 <ms>', 'bound for the p99 of the latency', positive, 1000)
      .option('--duration <time>', 'such as 500ms, 30s, 10m or 6h', duration)
      .option(
        '--hostile <share>',
        'mixes in what strangers send, such as 1%: broken JSON, wrong signatures, duplicates, expired, giant bodies, slow readers',
        percentage,
        0,
      )
      .option('--websocket', 'over WebSockets instead of HTTP')
      .option('--json <file>', 'writes all figures into a file')
      .option('--report <file>', 'writes a page with charts, which needs no other host')
      .addOption(
        new Option(
          '--until <what>',
          'the end waits until all that was acknowledged is there; a development chain needs 51 blocks for the latter',
        )
          .choices(['block', 'irreversible'])
          .default('irreversible'),
      )
      .option('--lifetime <seconds>', 'until a transaction expires, in the time of the chain', lifetime, 600),
  )
    .option(
      '--pid <number>',
      'process of the node, for its CPU time; found by itself where the node listens on this machine',
      positive,
    )
    .option(
      '--metrics <url>',
      'where the node shows its metrics, such as http://127.0.0.1:9194/metrics; /metrics at its own address when left out',
    )
    .option('--profile <name>', 'symbols of the chain', 'default')
    .addHelpText('after', EXAMPLES)
    .addCommand(compareCommand())
    .hook('preAction', needs({ '--p99': ['--ramp'], '--seed': ['--prepare'], '--fund': ['--prepare'] }))
    .action(async (options: LoadOptions, command: Command) => {
      const given = givenFlags(command);
      refuseContradictions(given);
      if (isTraffic(given, options)) return await loadTraffic(makeTraffic(options, command));
      if (options.prepare !== undefined)
        return await prepare({ ...options, url: options.url ?? [DEFAULT_URL] }, options.prepare);
      const settings = makeSettings(options);
      const report = await runLoad(settings);
      status.clear();
      process.stdout.write(reportText(options, report));
    });
}

/** Adds flags for transfers that are signed before. */
function transferOptions(command: Command): Command {
  return command
    .option('--count <number>', 'transfers', positive, 20_000)
    .option('--batch <number>', 'transfers in one post', batchSize, 100)
    .option(
      '--connections <number>',
      'posts under way at once; the default fills the batches of a node with one verifier',
      positive,
      24,
    )
    .option('--memo <text>', 'memo of each transfer; {number} in it is another number in each', '')
    .option('--threads <number>', 'threads that sign before the clock starts', positive, availableParallelism())
    .option(
      '--prepare <number>',
      'makes and funds so many accounts from the last of --accounts, as far as they are missing, and sends from them; alone it sends nothing else',
      positive,
    )
    .option(
      '--seed <text>',
      'what names and keys of prepared accounts follow from: whoever knows it can spend what they have',
      'load',
    )
    .option('--fund <coins>', 'what a prepared account gets', positive, 100)
    .option(
      '--accounts <name:WIF...>',
      'at least two accounts with the keys that sign for them; the ten of a development chain when left out',
      senders,
    );
}

interface CompareOptions {
  readonly report?: string;
}

function compareCommand(): Command {
  return new Command('compare')
    .description('compare two reports of --json, figure by figure')
    .argument('<first>', 'of the run before')
    .argument('<second>', 'of the run after')
    .option('--report <file>', 'writes a page with both runs side by side')
    .action((firstFile: string, secondFile: string, _options: CompareOptions, command: Command) => {
      // The parser gives a flag that both commands have to the outer one.
      const { report: page } = command.optsWithGlobals<CompareOptions>();
      if (page !== undefined) requireSpared(page, '--report');
      const [first, second] = [readReport(firstFile), readReport(secondFile)];
      process.stdout.write(compareText(first, second));
      if (page !== undefined) writeReport(page, htmlComparison(first, second));
    });
}

const status = new StatusLine();

function progress(text: string, isStep = true): void {
  if (isStep) status.step(text);
  else status.show(text);
}

const DEFAULT_URL = 'http://127.0.0.1:9193';

/** Names of the flags that somebody has written. */
function givenFlags(command: Command): ReadonlySet<string> {
  const names = command.options.map((option) => option.attributeName());
  return new Set(names.filter((name) => command.getOptionValueSource(name) === 'cli'));
}

/** Each of these makes a load one of mixes, rates and latencies. */
const TRAFFIC = ['mix', 'rate', 'duration', 'websocket', 'json', 'report', 'ramp', 'hostile', 'metrics'];
/** These too, unless accounts are all that is wanted. */
const TRAFFIC_OR_NOTHING = ['until', 'lifetime'];
/** These say how much prepared accounts send. Without them accounts are all that is wanted. */
const FROM_PREPARED = ['count', 'batch', 'connections'];

function isTraffic(given: ReadonlySet<string>, { url = [] }: LoadOptions): boolean {
  const names = [...TRAFFIC, ...(given.has('prepare') ? FROM_PREPARED : TRAFFIC_OR_NOTHING)];
  return names.some((name) => given.has(name)) || url.some((one) => one.startsWith('ws'));
}

/** Flags that would be left unheard, and what to do instead. */
const CONTRADICTIONS: readonly (readonly [flag: string, others: readonly string[], advice: string])[] = [
  [
    'memo',
    [...TRAFFIC, ...TRAFFIC_OR_NOTHING],
    '--memo is for the load without --mix, --rate or --duration; a mix file has bytes and likeness of memos',
  ],
  ['memo', ['prepare'], '--memo is for the load without --prepare; a mix file has bytes and likeness of memos'],
  ['ramp', ['rate'], '--ramp chooses the rates itself: leave --rate out'],
  ['ramp', ['report'], '--report shows one load: give it to one with the --rate that --ramp has found'],
];

function refuseContradictions(given: ReadonlySet<string>): void {
  for (const [flag, others, advice] of CONTRADICTIONS)
    if (given.has(flag) && others.some((other) => given.has(other))) throw new Fault('configuration', advice);
}

function makeTraffic(options: LoadOptions, command: Command): Parameters<typeof loadTraffic>[0] {
  const given = <T>(name: string, value: T): T | undefined =>
    command.getOptionValueSource(name) === 'cli' ? value : undefined;
  const { url = [DEFAULT_URL], mix = 'plain', duration: durationMs, count, batch, connections, threads } = options;
  const chosen = {
    count: given('count', count),
    batch: given('batch', batch),
    connections: given('connections', connections),
    threads: given('threads', threads),
  };
  return { ...options, url, mix, durationMs, given: chosen };
}

function batchSize(text: string): number {
  const size = positive(text);
  if (size > defaultLimits.batchElements)
    throw new InvalidArgumentError(`nodes take at most ${defaultLimits.batchElements} calls in a batch.`);
  return size;
}

function senders(text: string, before: readonly Sender[] = []): Sender[] {
  const colon = text.indexOf(':');
  const secret = decodeWif(text.slice(colon + 1));
  // The message omits the text, because it contains a private key.
  if (colon < 1 || secret === undefined) throw new InvalidArgumentError('name:WIF expected.');
  return [...before, { name: text.slice(0, colon), secret }];
}

function makeSettings(options: LoadOptions): LoadSettings {
  const { count, batch, connections, memo, threads, profile, pid } = options;
  const accounts = options.accounts ?? devAccounts.map((name) => ({ name, secret: devSecret(name) }));
  if (accounts.length < 2) throw new Fault('configuration', 'a load needs at least two --accounts');
  const [url, ...others] = nodeAddresses({ url: options.url ?? [DEFAULT_URL] }).urls;
  if (others.length > 0) throw new Fault('configuration', 'several nodes are loaded with --rate, --mix or --duration');
  return { url, profileName: profile, senders: accounts, count, batch, connections, memo, threads, pid, progress };
}

function threadsText({ threadCpuMicros, found }: LoadReport): string {
  const micros = threadCpuMicros.map((used) => (used / Math.max(found.count, 1)).toFixed(1));
  return micros.length === 0 ? '' : `threads      ${micros.slice(0, 4).join(', ')} µs a transfer, the main one first\n`;
}

function reportText({ count, batch, connections }: LoadOptions, report: LoadReport): string {
  const { posting, found, elapsedMs, serverCpuMicros, pid, maximumBlockSize } = report;
  const [p50, p90, p99, p100] = [0.5, 0.9, 0.99, 1].map((share) => percentile(posting.latenciesMs, share).toFixed(1));
  const refused = [...posting.refused].map(([reason, times]) => `refused      ${times} × ${reason}\n`);
  const cpu =
    serverCpuMicros === undefined
      ? 'unknown; give --pid where the node runs on this machine'
      : `${(serverCpuMicros / 1e6).toFixed(2)} CPU-seconds of process ${pid}, all threads: ${rate(found.count, serverCpuMicros)} transfers a CPU-second`;
  return `
posted       ${count} transfers in posts of ${batch}, ${connections} at once
accepted     ${posting.accepted.length}
${refused.join('')}in blocks    ${found.count}, blocks ${found.firstBlock} to ${found.lastBlock} of at most ${maximumBlockSize} bytes
elapsed      ${(elapsedMs / 1000).toFixed(2)} s from the first post to the last block: ${rate(found.count, elapsedMs * 1000)} transfers a second
server       ${cpu}
${threadsText(report)}latency      of a post: p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms, max ${p100} ms
`;
}

function rate(count: number, micros: number): number {
  return Math.round((count * 1e6) / Math.max(micros, 1));
}
