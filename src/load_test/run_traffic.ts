import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { Acknowledged } from './acknowledged.ts';
import { Backlog } from './backlog.ts';
import type { BlockReader, WatchedHead } from './block_reader.ts';
import { Chance } from './chance.ts';
import { HeadWatch } from './head_watch.ts';
import { HostileShare } from './hostile.ts';
import { histogramMaker, type LatencyHistogram } from './latency_histogram.ts';
import { lookUp, type LookedUp } from './look_up.ts';
import { NodeFigures } from './node_figures.ts';
import { NodePages, type ToldFigures } from './node_pages.ts';
import { ownUse, type OwnUse } from './own_use.ts';
import { Pace, type PaceOutcome } from './pace.ts';
import { openLink, type PostLink } from './post_links.ts';
import { prepareTraffic, makeReference, type Prepared } from './prepare_traffic.ts';
import { makeReport, type ChainHistograms } from './run_report.ts';
import { Seconds } from './seconds.ts';
import { Tally, formWait, type NodeAnswer } from './tally.ts';
import { Timeline } from './timeline.ts';
import type { TrafficPost } from './traffic_post.ts';
import type { TrafficReport } from './traffic_report.ts';
import type { TrafficSettings } from './traffic_settings.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** A transaction won't enter a block after this time without one, or after so many blocks. */
const PATIENCE_MS = 20_000;
const LEAST_PATIENCE_MS = 3000;
const BLOCKS_OF_PATIENCE = 10;
/** Longer than any chain takes to make a block irreversible whose witnesses are there. */
const IRREVERSIBLE_MS = 300_000;
const LOOK_MS = 50;

/**
 * Waits until what was acknowledged last is in blocks, as long as there is hope and somebody wants to wait; whether it
 * is.
 */
async function untilIncluded(backlog: Backlog, watch: HeadWatch, isWanted: () => boolean): Promise<boolean> {
  let [waiting, block, seen, sinceMs] = [Infinity, watch.head.number, '', performance.now()];
  for (; isWanted(); await sleep(LOOK_MS)) {
    const { id, number } = watch.head;
    if (id !== seen) {
      // A node that can't be asked is asked at its next block.
      await backlog.look().catch(() => undefined);
      if ((await backlog.lookAtLast().catch(() => undefined)) === 0) return true;
      if (backlog.waiting < waiting) [waiting, block, sinceMs] = [backlog.waiting, number, performance.now()];
      seen = id;
    }
    const passedMs = performance.now() - sinceMs;
    if (passedMs > PATIENCE_MS || (passedMs > LEAST_PATIENCE_MS && number > block + BLOCKS_OF_PATIENCE)) return false;
  }
  return false;
}

/** Waits until the present head can't be undone any more. */
async function untilIrreversible(watch: HeadWatch, isWanted: () => boolean): Promise<void> {
  const { number } = watch.head;
  const endMs = performance.now() + IRREVERSIBLE_MS;
  while (watch.head.irreversible < number && isWanted() && performance.now() < endMs) await sleep(LOOK_MS);
}

/** A node that was killed at the end may be starting, and what is in no block yet may be in the next one. */
const LOOK_UP_MS = 20_000;
/** Shells report this code for programs that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Runs a load and tells all about it. Throws Fault when the node can't be reached or the load is impossible. */
export async function runTraffic(settings: TrafficSettings): Promise<TrafficReport> {
  let run: TrafficRun | undefined;
  const interrupt = (): void => (run === undefined ? process.exit(INTERRUPTED) : run.interrupt());
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    run = await TrafficRun.prepare(settings);
    return await run.report(await run.post());
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt);
    await run?.close();
  }
}

/** All parts of a run. */
class TrafficRun {
  readonly #settings: TrafficSettings;
  readonly #parts: Prepared;
  readonly #aheadCpuSeconds: number;
  readonly #links: readonly PostLink[];
  readonly #reader: BlockReader;
  readonly #watch: HeadWatch;
  readonly #backlog: Backlog;
  readonly #histograms: ChainHistograms;
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

  private constructor(
    settings: TrafficSettings,
    parts: Prepared,
    aheadCpuSeconds: number,
    makeHistogram: () => LatencyHistogram,
  ) {
    const { head, reader, mix } = parts;
    const [first] = settings.urls;
    this.#settings = settings;
    this.#parts = parts;
    this.#aheadCpuSeconds = aheadCpuSeconds;
    this.#reader = reader;
    this.#links = settings.urls.map((url) => openLink(new URL(url), settings.lanes, settings.overSocket));
    this.#histograms = { inclusion: makeHistogram(), irreversibility: makeHistogram(), intervals: makeHistogram() };
    this.#backlog = new Backlog(reader);
    this.#tally = new Tally(makeHistogram, mix.forms, (id, post, node, dueMs) => this.#note(id, post, node, dueMs));
    this.#watch = new HeadWatch(reader, systemClock, head, this.#histograms.intervals, (moved) => this.#moved(moved));
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
      { tally: this.#tally, backlog: this.#backlog, figures: this.#figures, pages: this.#pages },
      (moment) => {
        this.#timeline.add(moment);
        this.#settings.live(moment, this.#watch.head);
      },
    );
    try {
      const outcome = await this.#pace.run();
      const used = own();
      this.#settings.progress('waiting for blocks');
      const isWanted = (): boolean => this.#interrupts < 2;
      const isLastIncluded = await untilIncluded(this.#backlog, this.#watch, isWanted);
      seconds.stop();
      // Before anything is read that is not part of the load.
      const node = this.#figures.figures();
      await this.#pages.look();
      const told = await this.#pages.figures();
      if (this.#settings.untilIrreversible && this.#acknowledged.count > 0) {
        this.#settings.progress('waiting for the last block to be irreversible');
        await untilIrreversible(this.#watch, isWanted);
      }
      return { outcome, used, node, told, isLastIncluded };
    } finally {
      seconds.stop();
    }
  }

  async report(ran: Ran): Promise<TrafficReport> {
    this.#settings.progress('looking up what was acknowledged');
    const lookedUp = await this.#lookUp(ran.isLastIncluded);
    await this.#watch.stop();
    return makeReport({
      ...ran,
      ...lookedUp,
      settings: this.#settings,
      parts: this.#parts,
      started: this.#started,
      interrupted: this.#interrupts > 0,
      aheadCpuSeconds: this.#aheadCpuSeconds,
      tally: this.#tally,
      histograms: this.#histograms,
      hostile: this.#hostile?.report(),
      watch: this.#watch,
      timeline: this.#timeline,
    });
  }

  async close(): Promise<void> {
    await this.#watch.stop();
    for (const link of this.#links) link.close();
    this.#hostile?.close();
    this.#reader.close();
    this.#acknowledged.remove();
    await this.#parts.source.stop();
  }

  #paceOf({ perSecond, durationMs, lanes }: TrafficSettings): Pace<TrafficPost, NodeAnswer> {
    const { source } = this.#parts;
    return new Pace<TrafficPost, NodeAnswer>(
      systemClock,
      { perSecond, durationMs, lanes },
      {
        take: () => source.take(),
        isOver: () => source.isOver(),
        send: async (post) => {
          this.#tally.sent(post);
          const node = this.#turn++ % this.#links.length;
          return { node, outcomes: await this.#link(node).post(post.body, post.count) };
        },
        answered: (post, moments, answer) => {
          this.#tally.answered(post, moments, answer);
          this.#hostile?.beside(
            post,
            answer.outcomes.every((outcome) => 'result' in outcome),
          );
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

  #note(id: string, { expiration, form }: TrafficPost, node: number, dueMs: number): void {
    const as = formWait(this.#parts.mix.forms[form]);
    const second = this.#runSecond(performance.now());
    this.#acknowledged.add(id, { expiration, as, node, second, dueMs: dueMs - this.#startedMs });
    this.#backlog.add(id);
  }

  #moved(head: WatchedHead): void {
    this.#parts.source.refer(makeReference(head, this.#settings));
    // A node that can't be asked now is asked at its next block.
    this.#backlog.look().catch(() => {});
  }

  #lookUp(isLastIncluded: boolean): Promise<LookedUp> {
    const { inclusion, irreversibility } = this.#histograms;
    return lookUp({
      reader: this.#reader,
      watch: this.#watch,
      acknowledged: this.#acknowledged,
      goneAt: (node) => this.#goneAt(node),
      startedMs: this.#startedMs,
      inclusion,
      irreversibility,
      patienceMs: isLastIncluded ? LOOK_UP_MS : 0,
      finalPatienceMs: LOOK_UP_MS,
    });
  }

  #runSecond(ms: number): number {
    return Math.floor((ms - this.#startedMs) / 1000);
  }

  #goneAt(node: number): number | undefined {
    const moments = [this.#links[node]?.goneAtMs, node === 0 ? this.#reader.goneAtMs : undefined].filter(
      (ms) => ms !== undefined,
    );
    return moments.length === 0 ? undefined : this.#runSecond(Math.max(...moments));
  }
}

interface Ran {
  readonly outcome: PaceOutcome;
  readonly used: OwnUse;
  readonly node: TrafficReport['node'];
  readonly told: ToldFigures;
  /** True when the last acknowledged transaction is in a block. */
  readonly isLastIncluded: boolean;
}
