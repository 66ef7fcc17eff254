import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Histogram } from './histogram.ts';

/** A value with its labels. */
export interface Sample<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** All values of a metric; they may take their time. */
export type Samples<L extends string> = Iterable<Sample<L>> | Promise<Iterable<Sample<L>>>;

/** What a metric is called, and what it says. */
export interface MetricDeclaration<L extends string> {
  /** Ends with its unit; a count ends with `_total`. */
  readonly name: string;
  readonly doc: string;
  readonly labels: readonly L[];
}

/**
 * The figures of this process in the text form of Prometheus. Parts keep plain counts of their own, which costs them
 * nanoseconds; they are read when somebody asks.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** Memory, CPU time, garbage collection and the event loop of this thread too. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** What only grows. */
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

  /** What goes up and down, for each of some labels. */
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

  /** What goes up and down; a promise may take its time, and may have no answer. */
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

  /** How values are distributed, in the three counts that Prometheus reckons quantiles from. */
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

  /** The text for a scrape. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }
}
