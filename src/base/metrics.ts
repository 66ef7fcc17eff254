import { Counter, Gauge, Histogram as ExposedHistogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Histogram } from './histogram.ts';

/** A value with its labels. */
export interface Sample<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** A histogram with its labels. */
export interface Distribution<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly histogram: Histogram;
}

/** All values of a metric, possibly as a promise. */
export type Samples<L extends string> = Iterable<Sample<L>> | Promise<Iterable<Sample<L>>>;

/** The name, description and labels of a metric. */
export interface MetricDeclaration<L extends string> {
  /** Ends with its unit; a counter ends with `_total`. */
  readonly name: string;
  readonly doc: string;
  readonly labels: readonly L[];
}

/** Of prom-client's own: the same as the sums of others, and named as counters, which they are not. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/**
 * The metrics of this process in the Prometheus text format. Each part keeps plain counts of its own, which takes
 * nanoseconds; they are read only when scraped.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** Includes memory, CPU time, garbage collection and the event loop of this thread. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  /** A counter: a value that only grows. */
  count<L extends string>({ name, doc, labels }: MetricDeclaration<L>, read: () => Samples<L>): void {
    new Counter<L>({
      ...{ name, help: doc, labelNames: labels, registers: [this.#registry] },
      async collect() {
        const samples = await read();
        this.reset();
        for (const { labels: of, value } of samples) this.inc({ ...of }, value);
      },
    });
  }

  /** A labelled gauge: values that go up and down. */
  levels<L extends string>({ name, doc, labels }: MetricDeclaration<L>, read: () => Samples<L>): void {
    new Gauge<L>({
      ...{ name, help: doc, labelNames: labels, registers: [this.#registry] },
      async collect() {
        const samples = await read();
        this.reset();
        for (const { labels: of, value } of samples) this.set({ ...of }, value);
      },
    });
  }

  /** A gauge: a value that goes up and down; it may be a promise, and may be undefined. */
  level(name: string, doc: string, read: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      ...{ name, help: doc, registers: [this.#registry] },
      async collect() {
        const value = await read();
        if (value === undefined) this.reset();
        else this.set(value);
      },
    });
  }

  /** The distribution of values. */
  histogram(name: string, doc: string, read: () => Histogram): void {
    this.histograms({ name, doc, labels: [] }, () => [{ labels: {}, histogram: read() }]);
  }

  /** Distributions of values by label. */
  histograms<L extends string>(declaration: MetricDeclaration<L>, read: () => Iterable<Distribution<L>>): void {
    this.#registry.registerMetric(readHistogram(declaration, read));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The response to a scrape. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }
}

/** A histogram whose values are counted elsewhere and read when somebody asks: prom-client's own counts itself. */
function readHistogram(
  { name, doc: help, labels: labelNames }: MetricDeclaration<string>,
  read: () => Iterable<Distribution<string>>,
): ExposedHistogram {
  // What the registry makes its text of.
  const getForPromString = (): object => ({ name, help, type: 'histogram', values: [...read()].flatMap((each) => linesOf(name, each)) });
  return Object.assign(new ExposedHistogram({ name, help, labelNames, registers: [] }), { getForPromString });
}

/** Cumulative, as Prometheus expects. */
function linesOf(name: string, { labels, histogram }: Distribution<string>): object[] {
  const classes: (readonly [number | string, number])[] = [...histogram.cumulative(), ['+Inf', histogram.count]];
  return [
    ...classes.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
    { metricName: `${name}_sum`, labels, value: histogram.sum },
    { metricName: `${name}_count`, labels, value: histogram.count },
  ];
}
