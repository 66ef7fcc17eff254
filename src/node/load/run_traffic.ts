import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Outcome } from '../../client/answer.ts';
import { member } from '../../client/chain_of_node.ts';
import type { Notation } from '../../codec/notation.ts';
import { randomBytes } from '../../crypto/random.ts';
import { profileNamed } from '../chain_settings.ts';
import { audit } from './audit.ts';
import { BlockReader, BlockWatch, type WatchedHead } from './block_watch.ts';
import { feesOf } from './fees.ts';
import { Chance } from './chance.ts';
import { HostileShare, type HostileReport } from './hostile.ts';
import { IdBuckets } from './id_buckets.ts';
import { Inclusion } from './inclusion.ts';
import { histogramMaker, type LatencyHistogram } from './latency_histogram.ts';
import { LoadedNode } from './loaded_node.ts';
import type { Mix } from './mix.ts';
import { NodeFigures } from './node_figures.ts';
import { Pace, type PaceOutcome } from './pace.ts';
import { linkTo, type PostLink } from './post_links.ts';
import { sendersOf, type LoadAccount, type Reference } from './post_maker.ts';
import { PostSource } from './post_source.ts';
import type { Sender } from './signing_request.ts';
import { Tally } from './tally.ts';
import { Timeline, type Moment } from './timeline.ts';
import { spreadOf, type TrafficReport } from './traffic_report.ts';
import type { TrafficPost } from './traffic_post.ts';

/** A load: what, where, how fast and for how long. */
export interface TrafficSettings {
  /** Posts take turns; blocks are watched at the first. */
  readonly urls: readonly [string, ...string[]];
  readonly profileName: string;
  readonly mix: Mix;
  readonly accounts: readonly (Pick<LoadAccount, 'name' | 'secrets'> | Sender)[];
  /** Of these, active witnesses send what only witnesses can. */
  readonly witnesses: readonly Sender[];
  /** Calls a second; undefined is a closed loop. */
  readonly perSecond: number | undefined;
  readonly durationMs: number | undefined;
  /** Calls in all; undefined is as many as the duration takes. */
  readonly count: number | undefined;
  /** Posts under way at once. */
  readonly lanes: number;
  /** For each honest call so many of strangers, 0 to 1. */
  readonly hostileShare: number;
  readonly overSocket: boolean;
  /** Threads that sign ahead. */
  readonly threads: number;
  /** How long transactions are valid, in seconds of the chain. */
  readonly lifetimeSeconds: number;
  /** Whether the end waits for the last block to be irreversible, or only for blocks. */
  readonly untilIrreversible: boolean;
  /** Of the first node, when it is known. */
  readonly pid: number | undefined;
  /** Told each second. */
  readonly live: (moment: Moment, head: WatchedHead) => void;
  readonly progress: (doing: string) => void;
}

/** Seconds of an open loop, and calls of a closed one, that are signed before the clock starts. */
const AHEAD_SECONDS = 10;
const AHEAD_CALLS = 20_000;
const LEAST_AHEAD = 400;
const MOST_AHEAD = 200_000;
const SECOND_MS = 1000;
/** What is in no block although nothing has come into one for so long won't be. */
const PATIENCE_MS = 20_000;
/** Longer than any chain takes to make a block irreversible whose witnesses are there. */
const IRREVERSIBLE_MS = 300_000;
const LOOK_MS = 50;

/** Runs a load and tells all about it. Throws Fault when the node can't be reached or the load is impossible. */
export async function runTraffic(settings: TrafficSettings): Promise<TrafficReport> {
  const run = await TrafficRun.prepare(settings);
  try {
    return await run.report(await run.post());
  } finally {
    await run.close();
  }
}

/** All parts of a run. */
class TrafficRun {
  readonly #settings: TrafficSettings;
  readonly #accounts: readonly LoadAccount[];
  readonly #leftOut: readonly string[];
  readonly #source: PostSource;
  readonly #links: readonly PostLink[];
  readonly #reader: BlockReader;
  readonly #watch: BlockWatch;
  readonly #inclusion: Inclusion;
  readonly #histograms: {
    readonly inclusion: LatencyHistogram;
    readonly irreversibility: LatencyHistogram;
    readonly intervals: LatencyHistogram;
  };
  readonly #acknowledged = new IdBuckets();
  readonly #tally: Tally;
  readonly #figures: NodeFigures;
  readonly #hostile: HostileShare | undefined;
  readonly #timeline = new Timeline();
  readonly #started = new Date();
  #turn = 0;

  private constructor(settings: TrafficSettings, parts: Prepared, makeHistogram: () => LatencyHistogram) {
    const { head, reader } = parts;
    this.#settings = settings;
    this.#accounts = parts.accounts;
    this.#leftOut = parts.leftOut;
    this.#source = parts.source;
    this.#reader = reader;
    this.#links = settings.urls.map((url) => linkTo(new URL(url), settings.lanes, settings.overSocket));
    this.#histograms = { inclusion: makeHistogram(), irreversibility: makeHistogram(), intervals: makeHistogram() };
    this.#inclusion = new Inclusion(this.#histograms.inclusion, this.#histograms.irreversibility);
    this.#tally = new Tally(
      makeHistogram,
      parts.mix.forms.map(({ name }) => name),
      this.#inclusion,
      (id, { expiration }) => this.#acknowledged.add(id, expiration),
    );
    this.#watch = new BlockWatch(reader, systemClock, head, {
      inclusion: this.#inclusion,
      intervals: this.#histograms.intervals,
      moved: (moved) => this.#source.refer(referenceTo(moved, settings)),
    });
    this.#figures = new NodeFigures(new URL(settings.urls[0]), settings.pid);
    if (settings.hostileShare > 0)
      this.#hostile = new HostileShare(new URL(settings.urls[0]), settings.hostileShare, new Chance(Date.now()), makeHistogram());
  }

  /** Asks the node what it has to know, and signs ahead. */
  static async prepare(settings: TrafficSettings): Promise<TrafficRun> {
    const parts = await prepared(settings);
    settings.progress('signing ahead');
    await parts.source.filled();
    return new TrafficRun(settings, parts, await histogramMaker());
  }

  /** Posts everything and waits until it is in blocks. */
  async post(): Promise<Ran> {
    const { perSecond, durationMs, lanes } = this.#settings;
    const pace = new Pace<TrafficPost, readonly Outcome[]>(
      systemClock,
      { perSecond, durationMs, lanes },
      {
        take: () => this.#source.take(),
        isOver: () => this.#source.isOver(),
        send: (post, dueMs) => {
          this.#tally.sent(post, dueMs);
          return this.#nextLink().post(post.body, post.count);
        },
        answered: (post, moments, outcomes) => {
          this.#tally.answered(post, moments, outcomes);
          this.#hostile?.beside(post);
        },
        unsent: (post, dueMs, endMs) => this.#tally.unsent(post, endMs - dueMs),
      },
    );
    const stop = (): void => pace.stop();
    process.once('SIGINT', stop);
    this.#watch.start();
    const own = ownUse();
    const seconds = this.#everySecond();
    const outcome = await pace.run();
    const used = own();
    process.removeListener('SIGINT', stop);
    await this.#included();
    clearInterval(seconds);
    const node = this.#figures.figures();
    if (this.#settings.untilIrreversible) await this.#irreversible();
    await this.#watch.stop();
    return { outcome, used, node };
  }

  async report({ outcome, used, node }: Ran): Promise<TrafficReport> {
    const { mix, urls, perSecond = null, lanes, overSocket, threads } = this.#settings;
    this.#settings.progress('looking up what was acknowledged');
    const blocks = this.#watch.blocks();
    const tally = this.#tally;
    const seconds = (outcome.endedMs - outcome.startedMs) / 1000;
    const { maximumBlockBytes, averageBlockBytes } = this.#watch.head;
    const self = { ...used, starvedSeconds: outcome.starvedMs / 1000, mostBytes: process.resourceUsage().maxRSS * 1024 };
    return {
      format: 1,
      started: this.#started.toISOString(),
      settings: { mix: mix.name, urls, perSecond, lanes, overSocket, accounts: this.#accounts.length, threads },
      seconds,
      sent: { calls: tally.sentCalls, posts: tally.sentPosts, unsent: tally.unsentCalls },
      answered: tally.answeredCalls,
      answeredPerSecond: (tally.answeredCalls - tally.refusedCalls) / Math.max(seconds, Number.EPSILON),
      refusedCalls: tally.refusedCalls,
      refused: Object.fromEntries(tally.refused),
      latencies: {
        acceptance: spreadOf(tally.latency),
        service: spreadOf(tally.service),
        inclusion: spreadOf(this.#histograms.inclusion),
        irreversibility: spreadOf(this.#histograms.irreversibility),
      },
      hostile: hostileOf(this.#hostile?.report()),
      forms: tally.forms.map(({ name, calls, refused, latency }) => ({ name, calls, refused, latency: spreadOf(latency) })),
      leftOut: this.#leftOut,
      blocks: {
        ...blocks,
        intervals: spreadOf(this.#histograms.intervals),
        maximumBytes: maximumBlockBytes,
        averageBytes: averageBlockBytes,
      },
      included: this.#inclusion.included,
      audit: await audit(this.#reader, this.#acknowledged, blocks.first),
      node,
      self: { ...self, limits: limitsOf(self, seconds, node !== null) },
      timeline: this.#timeline.points,
    };
  }

  async close(): Promise<void> {
    await this.#watch.stop();
    for (const link of this.#links) link.close();
    this.#hostile?.close();
    this.#reader.close();
    this.#acknowledged.remove();
    await this.#source.stop();
  }

  #nextLink(): PostLink {
    const link = this.#links[this.#turn++ % this.#links.length];
    if (link === undefined) throw new Fault('configuration', 'no node to load');
    return link;
  }

  /** Waits until everything that was acknowledged is in blocks, as long as there is hope. */
  async #included(): Promise<void> {
    this.#settings.progress('waiting for blocks');
    let waiting = this.#inclusion.waiting;
    for (let endMs = performance.now() + PATIENCE_MS; waiting > 0 && performance.now() < endMs; await sleep(LOOK_MS)) {
      if (this.#inclusion.waiting < waiting) endMs = performance.now() + PATIENCE_MS;
      ({ waiting } = this.#inclusion);
    }
  }

  async #irreversible(): Promise<void> {
    this.#settings.progress('waiting for the last block to be irreversible');
    for (const endMs = performance.now() + IRREVERSIBLE_MS; this.#inclusion.reversible > 0 && performance.now() < endMs;)
      await sleep(LOOK_MS);
  }

  #everySecond(): NodeJS.Timeout {
    const startedMs = performance.now();
    const tally = this.#tally;
    let before = { sent: 0, answered: 0, refused: 0, included: 0, atMs: startedMs, nodeMicros: 0, own: process.cpuUsage() };
    return setInterval(() => {
      const nowMs = performance.now();
      const node = this.#figures.sample();
      const own = process.cpuUsage(before.own);
      const shareOf = (micros: number): number => micros / 1000 / (nowMs - before.atMs);
      const { halfMs, mostMs } = tally.takeSecond();
      const moment: Moment = {
        second: (nowMs - startedMs) / 1000,
        sent: tally.sentCalls - before.sent,
        answered: tally.answeredCalls - before.answered,
        refused: tally.refusedCalls - before.refused,
        includedInBlocks: this.#inclusion.included - before.included,
        backlog: this.#inclusion.waiting,
        halfMs,
        mostMs,
        nodeCpu: node && shareOf(node.cpuMicros - before.nodeMicros),
        ownCpu: shareOf(own.user + own.system),
        nodeBytes: node?.bytes,
        ownBytes: process.memoryUsage.rss(),
      };
      before = {
        sent: tally.sentCalls,
        answered: tally.answeredCalls,
        refused: tally.refusedCalls,
        included: this.#inclusion.included,
        atMs: nowMs,
        nodeMicros: node?.cpuMicros ?? 0,
        own: process.cpuUsage(),
      };
      this.#timeline.add(moment);
      this.#settings.live(moment, this.#watch.head);
    }, SECOND_MS);
  }
}

interface Ran {
  readonly outcome: PaceOutcome;
  readonly used: OwnUse;
  readonly node: TrafficReport['node'];
}

interface Prepared {
  readonly mix: Mix;
  readonly leftOut: readonly string[];
  readonly accounts: readonly LoadAccount[];
  readonly head: WatchedHead;
  readonly reader: BlockReader;
  readonly source: PostSource;
}

async function prepared(settings: TrafficSettings): Promise<Prepared> {
  const { urls, profileName, threads } = settings;
  const client = new LoadedNode(urls[0]);
  const chainId = member(member(await client.call('alexandria_api.about', {}), 'about'), 'chain_id');
  if (typeof chainId !== 'string') throw new Fault('runtime', 'the node does not tell its chain id');
  const profile = profileNamed(profileName);
  const notation: Notation = { ...profile, dialect: 'default', operationForm: 'pair' };
  const witnesses = await activeWitnessesOf(client);
  const accounts = accountsOf(settings, witnesses);
  const { mix, leftOut } = possible(settings.mix, accounts);
  const kinds = mix.forms.flatMap(({ asks }) => ('operation' in asks ? [asks.operation] : []));
  const fees = await feesOf(client, kinds, notation);
  const reader = new BlockReader(new URL(urls[0]));
  const head = await reader.head();
  const made = { mix, profileName, chainId, accounts, fees, witness: witnesses[0] ?? '', seed: Buffer.from(randomBytes(4)).readUInt32LE() };
  const source = new PostSource({ made, threads, ahead: aheadOf(settings), count: settings.count }, referenceTo(head, settings));
  return { mix, leftOut, accounts, head, reader, source };
}

function accountsOf(settings: TrafficSettings, activeWitnesses: readonly string[]): LoadAccount[] {
  const accounts = settings.accounts.map((account) => ({
    name: account.name,
    secrets: 'secrets' in account ? account.secrets : [account.secret],
    isWitness: activeWitnesses.includes(account.name),
  }));
  const known = new Set(accounts.map(({ name }) => name));
  const witnesses = settings.witnesses.filter(({ name }) => activeWitnesses.includes(name) && !known.has(name));
  return [...accounts, ...witnesses.map(({ name, secret }) => ({ name, secrets: [secret], isWitness: true }))];
}

async function activeWitnessesOf(client: LoadedNode): Promise<readonly string[]> {
  const names = member(await client.call('alexandria_api.get_active_witnesses', {}), 'active_witnesses');
  return Array.isArray(names) ? names.map(String) : [];
}

/** The forms for which there are accounts. */
function possible({ name, forms }: Mix, accounts: readonly LoadAccount[]): { readonly mix: Mix; readonly leftOut: readonly string[] } {
  const isPossible = forms.map((form) => sendersOf(form, accounts).length > 0);
  const mix = { name, forms: forms.filter((_, index) => isPossible[index]) };
  if (mix.forms.length === 0)
    throw new Fault('configuration', `none of the accounts can send what the mix ${name} holds; --prepare makes some that can`);
  return { mix, leftOut: forms.filter((_, index) => isPossible[index] !== true).map((form) => form.name) };
}

function aheadOf({ perSecond, durationMs = Infinity, count = Infinity }: TrafficSettings): number {
  const wanted = perSecond === undefined ? AHEAD_CALLS : perSecond * Math.min(AHEAD_SECONDS, durationMs / 1000);
  return Math.round(Math.min(count, Math.max(LEAST_AHEAD, Math.min(MOST_AHEAD, wanted))));
}

function referenceTo({ id, time }: WatchedHead, { lifetimeSeconds }: TrafficSettings): Reference {
  return { headId: id, headTime: time, expiration: time + lifetimeSeconds };
}

function hostileOf(report: HostileReport | undefined): TrafficReport['hostile'] {
  return report === undefined ? null : { latency: spreadOf(report.latency), kinds: report.kinds };
}

interface OwnUse {
  readonly cpuSeconds: number;
  readonly shareOfMachine: number;
  readonly postingBusy: number;
}

/** Measures this process from now on; the returned function tells. */
function ownUse(): () => OwnUse {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const loop: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = (user + system) / 1e6;
    const seconds = (performance.now() - startedMs) / 1000;
    const { utilization } = performance.eventLoopUtilization(loop);
    return { cpuSeconds, shareOfMachine: cpuSeconds / seconds / availableParallelism(), postingBusy: utilization };
  };
}

/** A thread that is busier makes what is due wait one and a half times as long as it takes to send (a queue M/D/1). */
const BUSY = 0.75;
const STARVED = 0.01;
const LARGE_SHARE = 0.5;

/** Sentences about what may have been slow besides the node. */
function limitsOf(self: OwnUse & { readonly starvedSeconds: number }, seconds: number, isNodeHere: boolean): string[] {
  const limits: string[] = [];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  if (self.starvedSeconds > seconds * STARVED)
    limits.push(
      `signing was too slow: for ${self.starvedSeconds.toFixed(1)} s something was due and not signed yet; give it more --threads`,
    );
  if (self.postingBusy > BUSY)
    limits.push(
      `posting was too slow: its thread was busy ${percent(self.postingBusy)} of the time; larger batches, or another tester beside it, help`,
    );
  if (isNodeHere && self.shareOfMachine > LARGE_SHARE)
    limits.push(`it took ${percent(self.shareOfMachine)} of the machine on which the node runs, too: load it from another machine`);
  return limits;
}
