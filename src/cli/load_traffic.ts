import { closeSync, openSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { assert } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { positive } from '../settings/flag_values.ts';
import { devAccounts, devSecret } from '../dev_chain/dev_genesis.ts';
import { MOST_NODES } from '../load_test/acknowledged.ts';
import { htmlReport } from '../load_test/html_report.ts';
import { mixNamed, type Mix } from '../load_test/mix.ts';
import { accountsOfSeed, prepareAccounts } from '../load_test/prepared_accounts.ts';
import { runTraffic } from '../load_test/run_traffic.ts';
import type { TrafficSettings } from '../load_test/traffic_settings.ts';
import type { Sender } from '../load_test/signing_request.ts';
import { makeProgress } from '../system/progress.ts';
import { StatusLine, statusColumns } from './status_line.ts';
import { failureReason } from '../load_test/post_links.ts';
import { ramp } from '../load_test/ramp.ts';
import { momentText, rampText, stepText, trafficText } from '../load_test/traffic_text.ts';
import { requireSpared } from './spared_file.ts';

/** Flags of a load with a mix, a rate or a duration. */
export interface TrafficOptions {
  readonly url: readonly string[];
  readonly mix: string;
  readonly rate?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly websocket?: boolean | undefined;
  readonly json?: string | undefined;
  readonly report?: string | undefined;
  readonly lifetime: number;
  readonly until: string;
  readonly prepare?: number | undefined;
  readonly ramp?: Rates | undefined;
  readonly p99: number;
  readonly hostile: number;
  readonly seed: string;
  readonly fund: number;
  readonly accounts?: readonly Sender[];
  readonly pid?: number;
  readonly metrics?: string;
  readonly profile: string;
  /** Only what was given, not the defaults of the load that signs everything before. */
  readonly given: Readonly<Record<'count' | 'batch' | 'connections' | 'threads', number | undefined>>;
}

/** The lowest and the highest rate of a ramp. */
export interface Rates {
  readonly from: number;
  readonly to: number;
}

/** Of an open loop that is given no duration. */
const DEFAULT_MS = 10_000;
/** Of a closed loop that is given neither a count nor a duration. */
const DEFAULT_COUNT = 20_000;
/** An open loop opens a connection whenever all others are busy, up to so many. */
const OPEN_LANES = 256;
const CLOSED_LANES = 24;

const status = new StatusLine();

/** Runs it, and prints what it tells. */
export async function loadTraffic(options: TrafficOptions): Promise<void> {
  const settings = makeSettings(options);
  const { json, report: page } = options;
  // After hours it is too late to learn that a file can't be written.
  if (json !== undefined) checkWritable(json, '--json');
  if (page !== undefined) checkWritable(page, '--report');
  if (options.prepare !== undefined) await prepare(options, options.prepare);
  if (options.ramp !== undefined) return await loadRamp(options, options.ramp);
  const report = await runTraffic(settings);
  status.clear();
  process.stdout.write(trafficText(report));
  // Whoever runs this in a script must notice it.
  const { lost, twice, revoked, unknown } = report.audit;
  if (lost + twice + revoked + unknown > 0) process.exitCode = 1;
  if (json !== undefined) writeReport(json, `${JSON.stringify(report, null, 1)}\n`);
  if (page !== undefined) writeReport(page, htmlReport(report));
}

/** Tries rates, and prints the highest that holds. */
async function loadRamp(options: TrafficOptions, within: Rates): Promise<void> {
  const base = makeSettings({ ...options, rate: within.from });
  const found = await ramp(
    { ...within, p99Ms: options.p99 },
    (perSecond) => runTraffic({ ...base, perSecond, untilIrreversible: false }),
    (step) => {
      status.clear();
      process.stdout.write(stepText(step));
    },
  );
  process.stdout.write(rampText(found));
  if (options.json !== undefined) writeReport(options.json, `${JSON.stringify(found, null, 1)}\n`);
}

/** Existing content stays until the end. */
function checkWritable(file: string, flag: string): void {
  requireSpared(file, flag);
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new Fault('configuration', `${file} cannot be written: ${failureReason(error)}`, error);
  }
}

export function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Fault(
      'runtime',
      `${file} cannot be written: ${failureReason(error)}; what it was to hold is above`,
      error,
    );
  }
}

/** Makes the accounts of the load, as far as they aren't there. */
export async function prepare(
  options: Pick<TrafficOptions, 'url' | 'profile' | 'accounts' | 'seed' | 'fund'>,
  count: number,
): Promise<void> {
  const { profile, seed, fund, accounts = devSenders() } = options;
  const [url] = nodeAddresses(options).urls;
  const from = accounts.at(-1);
  assert(from !== undefined, 'a list of accounts has one');
  const bar = process.stderr.isTTY ? makeProgress('accounts', 0, count) : undefined;
  const progress = (done: number): void =>
    bar === undefined ? status.show(`accounts: ${done} of ${count}`) : bar.update(done);
  try {
    const settings = { url, profileName: profile, from, count, seed, fund: BigInt(fund) * MILLIONTHS };
    await prepareAccounts({ ...settings, progress });
  } finally {
    bar?.stop();
  }
}

const MILLIONTHS = 1_000_000n;

/** Those of a development chain; the last one is the witness, who has the most. */
function devSenders(): Sender[] {
  return [...devAccounts, 'initminer'].map((name) => ({ name, secret: devSecret(name) }));
}

/** Those that were prepared, where there are some. */
function chooseAccounts({
  accounts = devSenders(),
  prepare: count,
  seed,
  profile: profileName,
}: TrafficOptions): TrafficSettings['accounts'] {
  return count === undefined ? accounts : accountsOfSeed({ seed, profileName, count });
}

function makeSettings(options: TrafficOptions): TrafficSettings {
  const { rate, given } = options;
  const { urls, overSocket } = nodeAddresses(options);
  const isOpen = rate !== undefined;
  const isEndless = options.durationMs === undefined && given.count === undefined;
  return {
    urls,
    profileName: options.profile,
    mix: inBatches(mixNamed(options.mix), given.batch),
    accounts: chooseAccounts(options),
    witnesses: options.accounts ?? devSenders(),
    perSecond: rate,
    durationMs: options.durationMs ?? (isOpen && isEndless ? DEFAULT_MS : undefined),
    count: given.count ?? (!isOpen && isEndless ? DEFAULT_COUNT : undefined),
    lanes: given.connections ?? (isOpen ? OPEN_LANES : CLOSED_LANES),
    hostileShare: options.hostile,
    overSocket,
    threads: given.threads ?? Math.max(1, availableParallelism() - 1),
    lifetimeSeconds: options.lifetime,
    untilIrreversible: options.until === 'irreversible',
    pid: options.pid,
    metricsUrl: options.metrics,
    live: (moment, head) => status.show(momentText(moment, head, statusColumns())),
    progress: (text) => status.step(text),
  };
}

/** Addresses for what is asked by HTTP besides the load, and whether that goes over WebSockets. */
export function nodeAddresses({
  url,
  websocket,
}: Pick<TrafficOptions, 'url' | 'websocket'>): Pick<TrafficSettings, 'urls' | 'overSocket'> {
  const wrong = url.find((one) => !/^(?:https?|wss?):\/\/./.test(one) || !URL.canParse(one));
  if (wrong !== undefined)
    throw new Fault('configuration', `${wrong}: the address of a node starts with http://, https://, ws:// or wss://`);
  const sockets = url.filter((one) => one.startsWith('ws')).length;
  if (sockets > 0 && sockets < url.length)
    throw new Fault('configuration', 'either all addresses with ws:// or wss://, or none');
  const [first, ...others] = url.map((one) => one.replace(/^ws/, 'http'));
  assert(first !== undefined, 'there is at least the default address');
  return { urls: [first, ...others], overSocket: websocket === true || sockets > 0 };
}

/** The same mix with so many calls in each post. */
function inBatches(mix: Mix, batch: number | undefined): Mix {
  return batch === undefined ? mix : { ...mix, forms: mix.forms.map((form) => ({ ...form, batch })) };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a duration as milliseconds: `500ms`, `30s`, `10m`, `6h`; a number alone is seconds. */
export function duration(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const value = Number(digits) * (UNITS[unit] ?? 0);
  if (!(value > 0)) throw new InvalidArgumentError('a duration such as 500ms, 30s, 10m or 6h expected.');
  return value;
}

/** A URL more. */
export function oneMore(text: string, before: readonly string[] = []): string[] {
  if (before.length >= MOST_NODES) throw new InvalidArgumentError(`at most ${MOST_NODES} nodes.`);
  return [...before, text];
}

/** Seconds until expiration that every chain takes. */
export function lifetime(text: string): number {
  const seconds = positive(text);
  if (seconds > MOST_LIFETIME) throw new InvalidArgumentError(`at most ${MOST_LIFETIME} seconds.`);
  return seconds;
}

/** A chain takes an hour; its time may run ahead while transactions wait. */
const MOST_LIFETIME = 3540;

/** Parses `A..B`. */
export function rates(text: string): Rates {
  const [, from = '', to = ''] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  const parsed = { from: positive(from), to: positive(to) };
  if (parsed.from > parsed.to) throw new InvalidArgumentError('the lower rate first, as in 100..5000.');
  return parsed;
}

/** Parses `1%` as 0.01. */
export function percentage(text: string): number {
  const [, digits = ''] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  const share = Number(digits) / 100;
  if (digits === '' || share > 1) throw new InvalidArgumentError('a share such as 1% expected.');
  return share;
}
