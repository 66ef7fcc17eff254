import type { Histogram } from 'hdr-histogram-js';

/** Three digits: a percentile is right within 0.1 %. */
const DIGITS = 3;
const MICROS = 1000;

/** Latencies by how often each occurred: however many are recorded, it takes some hundred KiB. */
export class LatencyHistogram {
  readonly #counts: Histogram;

  constructor(counts: Histogram) {
    this.#counts = counts;
  }

  get count(): number {
    return this.#counts.totalCount;
  }

  get maxMs(): number {
    return this.count === 0 ? 0 : this.#counts.maxValue / MICROS;
  }

  get meanMs(): number {
    return this.count === 0 ? 0 : this.#counts.mean / MICROS;
  }

  /** Records a latency that this many calls had. */
  record(latencyMs: number, calls = 1): void {
    this.#counts.recordValueWithCount(Math.max(0, Math.round(latencyMs * MICROS)), calls);
  }

  /**
   * The latency that this share of the calls did not exceed; 0 when there are none. The library rounds up, also above
   * the maximum.
   */
  percentile(share: number): number {
    return this.count === 0 ? 0 : Math.min(this.maxMs, this.#counts.getValueAtPercentile(share * 100) / MICROS);
  }

  clear(): void {
    this.#counts.reset();
  }
}

/** Loads the library of histograms here, because hardly any command needs it. */
export async function histogramMaker(): Promise<() => LatencyHistogram> {
  const { default: library } = await import('hdr-histogram-js');
  return () => new LatencyHistogram(library.build({ numberOfSignificantValueDigits: DIGITS }));
}
