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

/** The rows of the dashboard, in order: what operators ask. Metrics without a row stand in the last one. */
export const panelRows = [
  'Is it up?',
  'Is it in step?',
  'Is it slow?',
  'Who loads it?',
  'Is it full?',
  'Is it final?',
  'Why did I miss slots?',
  'Does the event stream keep up?',
  'Does the index keep up?',
] as const;

/** A number, or a text, in the first row of the dashboard. */
export interface Figure {
  readonly title: string;
  /** Names the metric that declares the figure, with `$instance` for the chosen nodes. */
  readonly expr: string;
  /** The unit, in the words of Grafana. */
  readonly unit?: string;
  /** The values from which it is yellow and red; `warning` above `alarm` means that low values are bad. */
  readonly limits?: { readonly warning: number; readonly alarm: number };
  /** The label that is shown instead of the value. */
  readonly label?: string;
}

/** A rule for Prometheus that tells the operator. */
export interface Alert {
  readonly alert: string;
  /** Names the metric that declares the alert, and perhaps others. */
  readonly expr: string;
  /** The time for which the condition has to hold. */
  readonly for: string;
  readonly severity: 'page' | 'warning';
  readonly summary: string;
  /** The guide below src/pages/guides that says what to do then. */
  readonly page: string;
}

/** The dashboard and alerts of a metric. The dashboard and the rules of scripts/operate follow from it. */
export interface Watched {
  /** The row of its panel; the last one when left out. */
  readonly row?: (typeof panelRows)[number];
  readonly figure?: Figure;
  readonly alerts?: readonly Alert[];
}

/** A metric as it was declared. */
export interface DeclaredMetric extends Watched {
  readonly name: string;
  readonly doc: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
}

/** The name, description and labels of a metric, and how operators see it. */
export interface MetricDeclaration<L extends string> extends Watched {
  /** Ends with its unit; a counter ends with `_total`. */
  readonly name: string;
  readonly doc: string;
  readonly labels: readonly L[];
}

/**
 * Of prom-client's own: the same as the sums of others, named as counters, which they are not; and lags of the event
 * loop, in which the time between two looks is counted.
 */
const LEFT_OUT = [
  ...['resources', 'handles', 'requests'].map((of) => `nodejs_active_${of}_total`),
  ...['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((of) => `nodejs_eventloop_lag_${of}_seconds`),
];
/** For those lags it would wake an idle thread a hundred times a second. */
const eventLoopMonitoringPrecision = 3_600_000;

/**
 * The metrics of this process in the Prometheus text format. Each part keeps plain counts of its own, which takes
 * nanoseconds; they are read only when scraped.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #declared: DeclaredMetric[] = [];

  /** Includes memory, CPU time, garbage collection and the event loop's lag at the scrape, of this thread. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision });
    for (const name of LEFT_OUT) this.#registry.removeSingleMetric(name);
  }

  /** All metrics of Pharos here, in the order in which they were added. */
  get declared(): readonly DeclaredMetric[] {
    return this.#declared;
  }

  /** A counter: a value that only grows. */
  count<L extends string>({ name, doc, labels, ...watched }: MetricDeclaration<L>, read: () => Samples<L>): void {
    this.#declared.push({ name, doc, type: 'counter', ...watched });
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
  levels<L extends string>({ name, doc, labels, ...watched }: MetricDeclaration<L>, read: () => Samples<L>): void {
    this.#declared.push({ name, doc, type: 'gauge', ...watched });
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
  level(
    name: string,
    doc: string,
    read: () => number | undefined | Promise<number | undefined>,
    watched: Watched = {},
  ): void {
    this.#declared.push({ name, doc, type: 'gauge', ...watched });
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
  histogram(name: string, doc: string, read: () => Histogram, watched: Watched = {}): void {
    this.histograms({ name, doc, labels: [], ...watched }, () => [{ labels: {}, histogram: read() }]);
  }

  /** Distributions of values by label. */
  histograms<L extends string>(declaration: MetricDeclaration<L>, read: () => Iterable<Distribution<L>>): void {
    const { name, doc, labels: _, ...watched } = declaration;
    this.#declared.push({ name, doc, type: 'histogram', ...watched });
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
  // The registry makes its text of this.
  const getForPromString = (): object => ({
    name,
    help,
    type: 'histogram',
    values: [...read()].flatMap((each) => distributionLines(name, each)),
  });
  return Object.assign(new ExposedHistogram({ name, help, labelNames, registers: [] }), { getForPromString });
}

/** Cumulative, as Prometheus expects. */
function distributionLines(name: string, { labels, histogram }: Distribution<string>): object[] {
  const classes: (readonly [number | string, number])[] = [...histogram.cumulative(), ['+Inf', histogram.count]];
  return [
    ...classes.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
    { metricName: `${name}_sum`, labels, value: histogram.sum },
    { metricName: `${name}_count`, labels, value: histogram.count },
  ];
}
