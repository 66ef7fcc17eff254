import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { failureReason } from './post_links.ts';
import { growth, fetchPage, quantileMs, scrape, type Figures } from './scrape.ts';

/** The node's own figures at /metrics. */
export interface ToldMetrics {
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly mostBytes: number;
  /** The number of times that another process answered than before. */
  readonly restarts: number;
  /** The highest that was seen of each level. */
  readonly most: Readonly<Record<string, number>>;
  /** From the beginning of a slot until its block was on the disk, by the upper edges of the node's own classes. */
  readonly blockLateMs: { readonly p50: number; readonly p99: number };
}

/** The node's own figures, as far as they can be read. */
export interface ToldFigures {
  readonly metricsUrl: string;
  readonly metrics: ToldMetrics | null;
  /** The reason why there are no metrics; null when there are. */
  readonly problem: string | null;
  /** Null where there is no /health. */
  readonly health: {
    readonly status: string;
    readonly headAgeSeconds: number;
    readonly clockOffsetSeconds: number;
  } | null;
}

/** The queues and delays of a node, by the names that a report has for them, each with its metric and a factor. */
const LEVELS: readonly (readonly [name: string, metric: string, factor: number])[] = [
  ['broadcasts waiting for a verifier', 'pharos_broadcasts_queued', 1],
  ['broadcasts waiting for a turn', 'pharos_broadcasts_parked', 1],
  ['broadcasts waiting for an answer', 'pharos_broadcasts_unanswered', 1],
  ['calls under way', 'pharos_rpc_in_flight', 1],
  ['transactions waiting for a block', 'pharos_pending_transactions', 1],
  ['ms that the writer was late', 'pharos_writer_delay_seconds', 1000],
  ['ms that the front was late', 'pharos_front_delay_seconds', 1000],
  ['open files', 'process_open_fds', 1],
];
const CPU = 'process_cpu_seconds_total';
const MEMORY = 'process_resident_memory_bytes';
const STARTED = 'process_start_time_seconds';
const LATENESS = 'pharos_block_lateness_seconds';

/** Reads the pages of a node again and again, over its restarts. */
export class NodePages {
  readonly #metricsUrl: string;
  readonly #healthUrl: string;
  readonly #most: Record<string, number> = {};
  /** Of the process that answers now. */
  #first: Figures | undefined;
  #last: Figures | undefined;
  #earlierCpuSeconds = 0;
  #mostBytes = 0;
  #restarts = 0;
  #problem: string | undefined;
  #isLooking = false;

  /** `metricsUrl` when it is known. */
  constructor(node: URL, metricsUrl: string | undefined) {
    this.#metricsUrl = metricsUrl ?? new URL('/metrics', node).href;
    this.#healthUrl = new URL('/health', node).href;
  }

  /** Reads the metrics; a second look while the first is under way does nothing. Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#take(await scrape(this.#metricsUrl));
    } catch (error) {
      // A node that restarts is asked again. A failed fetch has the system's words in its cause.
      if (this.#last === undefined)
        this.#problem = failureReason(error instanceof Error && error.cause instanceof Error ? error.cause : error);
    }
    this.#isLooking = false;
  }

  /**
   * CPU time since the first look, in microseconds, memory, and what waits for a block; undefined when there are no
   * metrics.
   */
  sample(): { readonly cpuMicros: number; readonly bytes: number; readonly pending: number } | undefined {
    if (this.#last === undefined) return undefined;
    const [bytes = 0, pending = 0] = [MEMORY, 'pharos_pending_transactions'].map((name) => this.#last?.get(name));
    return { cpuMicros: this.#cpuSeconds() * 1e6, bytes, pending };
  }

  async figures(): Promise<ToldFigures> {
    const problem = this.#last === undefined ? (this.#problem ?? 'nobody has asked') : null;
    return { metricsUrl: this.#metricsUrl, metrics: this.#metrics() ?? null, problem, health: await this.#health() };
  }

  #metrics(): ToldMetrics | undefined {
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined) return undefined;
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => quantileMs(first, last, LATENESS, share));
    return {
      cpuSeconds: this.#cpuSeconds(),
      bytes: last.get(MEMORY) ?? 0,
      mostBytes: this.#mostBytes,
      restarts: this.#restarts,
      most: this.#most,
      blockLateMs: { p50, p99 },
    };
  }

  #take(figures: Figures): void {
    if (!figures.has(CPU)) {
      this.#problem = 'there is a page, but none of figures for Prometheus';
      return;
    }
    if (this.#last !== undefined && this.#last.get(STARTED) !== figures.get(STARTED)) {
      this.#earlierCpuSeconds = this.#cpuSeconds();
      this.#first = new Map();
      this.#restarts++;
    }
    this.#first ??= figures;
    this.#last = figures;
    this.#mostBytes = Math.max(this.#mostBytes, figures.get(MEMORY) ?? 0);
    for (const [name, metric, factor] of LEVELS) {
      const value = figures.get(metric);
      if (value !== undefined && Number.isFinite(value))
        this.#most[name] = Math.max(this.#most[name] ?? 0, value * factor);
    }
  }

  #cpuSeconds(): number {
    if (this.#first === undefined || this.#last === undefined) return this.#earlierCpuSeconds;
    return this.#earlierCpuSeconds + growth(this.#first, this.#last, CPU);
  }

  async #health(): Promise<ToldFigures['health']> {
    try {
      const json = readJson(Buffer.from(await fetchPage(this.#healthUrl)));
      const status = member(json, 'status');
      return typeof status === 'string'
        ? {
            status,
            headAgeSeconds: numberMember(json, 'head_age_seconds'),
            clockOffsetSeconds: numberMember(json, 'clock_offset_seconds'),
          }
        : null;
    } catch {
      return null;
    }
  }
}

function numberMember(json: Json, name: string): number {
  const value = member(json, name);
  return typeof value === 'number' ? value : 0;
}
