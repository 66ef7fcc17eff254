import { MEBIBYTE } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import type { MethodTimes } from '../../jsonrpc/limits/method_times.ts';
import { localJsonPage } from '../../jsonrpc/http/json_page.ts';

/** The path of the figures for a browser of this machine. */
const PATH = '/node/last_hour.json';
const EVERY_MS = 15_000;
/** An hour of samples, of eight bytes a figure: 12 KiB. */
const MOST_SAMPLES = 240;

/** The sampled figures by their names. */
export interface SampledParts {
  readonly clock: Clock;
  readonly times: Pick<MethodTimes, 'counts' | 'inFlight'>;
  readonly broadcasts: { readonly size: number };
  readonly headAgeSeconds: () => number;
  readonly filledSlots: () => number;
  readonly peers: () => number;
}

const figureNames = [
  'cpu_percent',
  'memory_mib',
  'calls_per_second',
  'calls_waiting',
  'broadcasts_waiting',
  'head_age_seconds',
  'filled_slots',
  'peers',
] as const;

/** The figures of one moment. */
type Figures = Readonly<Record<(typeof figureNames)[number], number>>;

/**
 * Keeps the figures of the last hour for the page of the operator. It samples each 15 seconds what is at hand without
 * asking another thread, so nothing that Prometheus scrapes is used up. Programs of other machines are told nothing.
 */
export class LastHour {
  readonly #parts: SampledParts;
  readonly #samples: Figures[] = [];
  #stop: () => void = () => {};
  #before: { readonly atMs: number; readonly cpuMicroseconds: number; readonly calls: number };

  constructor(parts: SampledParts) {
    this.#parts = parts;
    this.#before = this.#counts();
    this.#wait();
  }

  stop(): void {
    this.#stop();
  }

  /** `standing` is the body of /readyz, which with a status of its own would be an error in the browser's console. */
  page(path: string, requestSource: PageRequestSource, standing: () => string): Page | undefined {
    if (path !== PATH) return undefined;
    const refusal = 'the figures of the node are for programs of its own machine that come through no proxy';
    return localJsonPage(requestSource, refusal, () => this.#body(standing));
  }

  #body(standing: () => string): string {
    const figures = Object.fromEntries(figureNames.map((name) => [name, this.#samples.map((sample) => sample[name])]));
    return `{"every_seconds":${EVERY_MS / 1000},"standing":${standing()},"figures":${JSON.stringify(figures)}}`;
  }

  #wait(): void {
    this.#stop = this.#parts.clock.after(
      EVERY_MS,
      () => {
        this.#sample();
        this.#wait();
      },
      false,
    );
  }

  #sample(): void {
    const { times, broadcasts, headAgeSeconds, filledSlots, peers } = this.#parts;
    const [before, now] = [this.#before, this.#counts()];
    const seconds = Math.max(1, now.atMs - before.atMs) / 1000;
    this.#before = now;
    this.#samples.push({
      cpu_percent: rounded(((now.cpuMicroseconds - before.cpuMicroseconds) / 1e6 / seconds) * 100),
      memory_mib: rounded(process.memoryUsage.rss() / MEBIBYTE),
      calls_per_second: rounded((now.calls - before.calls) / seconds),
      calls_waiting: times.inFlight,
      broadcasts_waiting: broadcasts.size,
      head_age_seconds: rounded(headAgeSeconds()),
      filled_slots: filledSlots(),
      peers: peers(),
    });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }

  #counts(): { readonly atMs: number; readonly cpuMicroseconds: number; readonly calls: number } {
    const { clock, times } = this.#parts;
    const { user, system } = process.cpuUsage();
    let calls = 0;
    for (const { answered, repeated } of times.counts.values()) calls += answered.count + repeated;
    return { atMs: clock.elapsedMs(), cpuMicroseconds: user + system, calls };
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
