import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Histogram } from './histogram.ts';

/** A value with its labels. */
export interface Sample<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
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

/**
 * The metrics of this process in the Prometheus text format. Each part keeps plain counts of its own, which takes
 * nanoseconds; they are read only when scraped.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** Includes memory, CPU time, garbage collection and the event loop of this thread. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry });
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

  /** The distribution of values, as the three counters from which Prometheus calculates quantiles. */
  histogram(name: string, doc: string, read: () => Histogram): void {
    this.count({ name: `${name}_bucket`, doc: `${doc} How many were at most so large.`, labels: ['le'] }, () => {
      const histogram = read();
      const classes = histogram.cumulative().map(([edge, value]) => ({ labels: { le: String(edge) }, value }));
      return [...classes, { labels: { le: '+Inf' }, value: histogram.count }];
    });
    this.count({ name: `${name}_sum`, doc: `${doc} All together.`, labels: [] }, () => [{ labels: {}, value: read().sum }]);
    this.count({ name: `${name}_count`, doc: `${doc} How many.`, labels: [] }, () => [{ labels: {}, value: read().count }]);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The response to a scrape. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }
}
