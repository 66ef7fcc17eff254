import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { Acknowledged } from './acknowledged.ts';
import { audit } from './audit.ts';
import { type BlockReader } from './block_reader.ts';
import { BlockWatch } from './block_watch.ts';
import { Chance } from './chance.ts';
import { HostileShare, type HostileReport } from './hostile.ts';
import { Inclusion } from './inclusion.ts';
import { histogramMaker, type LatencyHistogram } from './latency_histogram.ts';
import { NodeFigures } from './node_figures.ts';
import { NodePages, type ToldFigures } from './node_pages.ts';
import { limitsOf, ownUse, type OwnUse } from './own_use.ts';
import { Pace, type PaceOutcome } from './pace.ts';
import { linkTo, type PostLink } from './post_links.ts';
import { prepareTraffic, referenceTo, type Prepared } from './prepare_traffic.ts';
import { Seconds } from './seconds.ts';
import { untilIncluded, untilIrreversible, type FollowedChain } from './followed_chain.ts';
import { Tally, type NodeAnswer } from './tally.ts';
import { Timeline } from './timeline.ts';
import type { TrafficPost } from './traffic_post.ts';
import { spreadOf, type TrafficReport } from './traffic_report.ts';
import type { TrafficSettings } from './traffic_settings.ts';

/** What shells give to programs that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Runs a load and tells all about it. Throws Fault when the node can't be reached or the load is impossible. */
export async function runTraffic(settings: TrafficSettings): Promise<TrafficReport> {
  const run = await TrafficRun.prepare(settings);
  const interrupt = (): void => run.interrupt();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await run.report(await run.post());
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt);
    await run.close();
  }
}

/** All parts of a run. */
class TrafficRun {
  readonly #settings: TrafficSettings;
  readonly #parts: Prepared;
  readonly #aheadCpuSeconds: number;
  readonly #links: readonly PostLink[];
  readonly #reader: BlockReader;
  readonly #watch: BlockWatch;
  readonly #inclusion: Inclusion;
  readonly #histograms: {
    readonly inclusion: LatencyHistogram;
    readonly irreversibility: LatencyHistogram;
    readonly intervals: LatencyHistogram;
  };
  readonly #acknowledged = new Acknowledged();
  readonly #tally: Tally;
  readonly #figures: NodeFigures;
  readonly #pages: NodePages;
  readonly #hostile: HostileShare | undefined;
  readonly #timeline = new Timeline();
  readonly #started = new Date();
  readonly #startedMs = performance.now();
  readonly #pace: Pace<TrafficPost, NodeAnswer>;
  #turn = 0;
  #interrupts = 0;

  private constructor(settings: TrafficSettings, parts: Prepared, aheadCpuSeconds: number, makeHistogram: () => LatencyHistogram) {
    const { head, reader, source, mix } = parts;
    const [first] = settings.urls;
    this.#settings = settings;
    this.#parts = parts;
    this.#aheadCpuSeconds = aheadCpuSeconds;
    this.#reader = reader;
    this.#links = settings.urls.map((url) => linkTo(new URL(url), settings.lanes, settings.overSocket));
    this.#histograms = { inclusion: makeHistogram(), irreversibility: makeHistogram(), intervals: makeHistogram() };
    this.#inclusion = new Inclusion(this.#histograms.inclusion, this.#histograms.irreversibility);
    const names = mix.forms.map(({ name }) => name);
    this.#tally = new Tally(makeHistogram, names, this.#inclusion, (id, post, node) => this.#note(id, post, node));
    this.#watch = new BlockWatch(reader, systemClock, head, {
      inclusion: this.#inclusion,
      intervals: this.#histograms.intervals,
      moved: (moved) => source.refer(referenceTo(moved, settings)),
    });
    this.#figures = new NodeFigures(new URL(first), settings.pid);
    this.#pages = new NodePages(new URL(first), settings.metricsUrl);
    this.#pace = this.#paceOf(settings);
    if (settings.hostileShare > 0)
      this.#hostile = new HostileShare(new URL(first), settings.hostileShare, new Chance(Date.now()), makeHistogram());
  }

  /** Asks the node what it has to know, and signs ahead. */
  static async prepare(settings: TrafficSettings): Promise<TrafficRun> {
    const own = ownUse();
    const parts = await prepareTraffic(settings);
    settings.progress('signing ahead');
    await parts.source.filled();
    return new TrafficRun(settings, parts, own().cpuSeconds, await histogramMaker());
  }

  /** The first time sends no more, the second time waits no longer, the third time ends the program. */
  interrupt(): void {
    this.#interrupts++;
    if (this.#interrupts > 2) process.exit(INTERRUPTED);
    this.#pace.stop();
  }

  /** Posts everything and waits until it is in blocks. */
  async post(): Promise<Ran> {
    await this.#pages.look();
    this.#watch.start();
    const own = ownUse();
    const seconds = new Seconds(
      { tally: this.#tally, inclusion: this.#inclusion, figures: this.#figures, pages: this.#pages },
      (moment) => {
        this.#timeline.add(moment);
        this.#settings.live(moment, this.#watch.head);
      },
    );
    try {
      const outcome = await this.#pace.run();
      const used = own();
      this.#settings.progress('waiting for blocks');
      await untilIncluded(this.#chain, () => this.#interrupts < 2);
      seconds.stop();
      const node = this.#figures.figures();
      await this.#pages.look();
      const told = await this.#pages.figures();
      if (this.#settings.untilIrreversible) {
        this.#settings.progress('waiting for the last block to be irreversible');
        await untilIrreversible(this.#chain, () => this.#interrupts < 2);
      }
      await this.#watch.stop();
      return { outcome, used, node, told };
    } finally {
      seconds.stop();
    }
  }

  async report({ outcome, used, node, told }: Ran): Promise<TrafficReport> {
    const { urls, perSecond = null, lanes, overSocket, threads } = this.#settings;
    const { mix, accounts, leftOut } = this.#parts;
    this.#settings.progress('looking up what was acknowledged');
    const blocks = this.#watch.blocks();
    const tally = this.#tally;
    const seconds = (outcome.endedMs - outcome.startedMs) / 1000;
    const { maximumBlockBytes, averageBlockBytes } = this.#watch.head;
    return {
      format: 1,
      started: this.#started.toISOString(),
      settings: { mix: mix.name, urls, perSecond, lanes, overSocket, accounts: accounts.length, threads },
      seconds,
      interrupted: this.#interrupts > 0,
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
      leftOut,
      blocks: {
        ...blocks,
        intervals: spreadOf(this.#histograms.intervals),
        maximumBytes: maximumBlockBytes,
        averageBytes: averageBlockBytes,
      },
      included: this.#inclusion.included,
      audit: await audit(this.#reader, this.#acknowledged, blocks.first, (at) => this.#goneAt(at)),
      node,
      told,
      self: this.#self(used, outcome, seconds, node !== null),
      timeline: this.#timeline.points,
    };
  }

  async close(): Promise<void> {
    await this.#watch.stop();
    for (const link of this.#links) link.close();
    this.#hostile?.close();
    this.#reader.close();
    this.#acknowledged.remove();
    await this.#parts.source.stop();
  }

  get #chain(): FollowedChain {
    return { inclusion: this.#inclusion, watch: this.#watch };
  }

  #paceOf({ perSecond, durationMs, lanes }: TrafficSettings): Pace<TrafficPost, NodeAnswer> {
    const { source } = this.#parts;
    return new Pace<TrafficPost, NodeAnswer>(
      systemClock,
      { perSecond, durationMs, lanes },
      {
        take: () => source.take(),
        isOver: () => source.isOver(),
        send: async (post, dueMs) => {
          this.#tally.sent(post, dueMs);
          const node = this.#turn++ % this.#links.length;
          return { node, outcomes: await this.#link(node).post(post.body, post.count) };
        },
        answered: (post, moments, answer) => {
          this.#tally.answered(post, moments, answer);
          this.#hostile?.beside(post);
        },
        unsent: (post, dueMs, endMs) => this.#tally.unsent(post, endMs - dueMs),
      },
    );
  }

  #link(node: number): PostLink {
    const link = this.#links[node];
    if (link === undefined) throw new Fault('configuration', 'no node to load');
    return link;
  }

  #note(id: string, { expiration, form }: TrafficPost, node: number): void {
    const asks = this.#parts.mix.forms[form]?.asks;
    const isInBlock = asks !== undefined && 'operation' in asks && asks.synchronous;
    this.#acknowledged.add(id, { expiration, isInBlock, node, second: this.#secondOf(performance.now()) });
  }

  #secondOf(ms: number): number {
    return Math.floor((ms - this.#startedMs) / 1000);
  }

  #goneAt(node: number): number | undefined {
    const moments = [this.#links[node]?.goneAtMs, node === 0 ? this.#reader.goneAtMs : undefined].filter((ms) => ms !== undefined);
    return moments.length === 0 ? undefined : this.#secondOf(Math.max(...moments));
  }

  #self(used: OwnUse, { starvedMs }: PaceOutcome, seconds: number, isNodeHere: boolean): TrafficReport['self'] {
    const self = { ...used, starvedSeconds: starvedMs / 1000 };
    const aheadCpuSeconds = this.#aheadCpuSeconds;
    const perCpuSecond = this.#tally.answeredCalls / Math.max(used.cpuSeconds + aheadCpuSeconds, Number.EPSILON);
    const mostBytes = process.resourceUsage().maxRSS * 1024;
    return { ...self, aheadCpuSeconds, perCpuSecond, mostBytes, limits: limitsOf(self, seconds, isNodeHere) };
  }
}

interface Ran {
  readonly outcome: PaceOutcome;
  readonly used: OwnUse;
  readonly node: TrafficReport['node'];
  readonly told: ToldFigures;
}

function hostileOf(report: HostileReport | undefined): TrafficReport['hostile'] {
  return report === undefined ? null : { latency: spreadOf(report.latency), kinds: report.kinds };
}
