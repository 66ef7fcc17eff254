import { MEBIBYTE } from '../base/bytes.ts';
import type { Spread, TrafficReport } from './traffic_report.ts';

/** A figure that is compared; undefined where a run has none. */
type Figure = readonly [name: string, unit: string, read: (report: TrafficReport) => number | undefined];

const FIGURES: readonly Figure[] = [
  ['answered', 'a second', ({ answeredPerSecond }) => answeredPerSecond],
  ['refused', 'calls', ({ refusedCalls }) => refusedCalls],
  ...spreadFigures('acceptance', ({ latencies }) => latencies.acceptance),
  ...spreadFigures('until block', ({ latencies }) => latencies.untilBlock),
  ...spreadFigures('until final', ({ latencies }) => latencies.untilFinal),
  ...spreadFigures('inclusion', ({ latencies }) => latencies.inclusion),
  ...spreadFigures('irreversibility', ({ latencies }) => latencies.irreversibility),
  ['blocks undone', 'blocks', ({ blocks }) => blocks.undone],
  ['slots missed', 'slots', ({ blocks }) => blocks.missedSlots],
  ['unknown', 'transactions', ({ audit }) => audit.unknown],
  ...(['lost', 'revoked', 'expired', 'forgotten'] as const).map((name): Figure => [
    name,
    'transactions',
    ({ audit }) => (audit.unknown > 0 ? undefined : audit[name]),
  ]),
  ['CPU of the node', 's', ({ node }) => node?.cpuSeconds],
  ['memory of the node', 'MiB', ({ node }) => mebibytes(node?.mostBytes)],
  ['CPU, as the node says', 's', ({ told }) => told.metrics?.cpuSeconds],
  ['memory, as it says', 'MiB', ({ told }) => mebibytes(told.metrics?.mostBytes)],
  ['CPU of the load tester', 's', ({ self }) => self.cpuSeconds],
  ['its calls a CPU-second', 'calls', ({ self }) => self.perCpuSecond],
];

function mebibytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : Math.round(bytes / MEBIBYTE);
}

function spreadFigures(name: string, read: (report: TrafficReport) => Spread): Figure[] {
  const figure = (part: 'p50' | 'p99' | 'p999', shownAs: string): Figure => [
    `${name}, ${shownAs}`,
    'ms',
    (report) => (read(report).count === 0 ? undefined : read(report)[part]),
  ];
  return [figure('p50', 'p50'), figure('p99', 'p99'), figure('p999', 'p99.9')];
}

const SETTINGS = ['mix', 'perSecond', 'lanes', 'overSocket', 'accounts'] as const;
const COLUMN = 16;
const NAMES = 24;

/** Two reports, figure by figure. */
export interface Comparison {
  /** Each with the ratio of the second to the first. */
  readonly rows: readonly (readonly [name: string, first: string, second: string, ratio: string, unit: string])[];
  /** Differences between the loads. */
  readonly notes: readonly string[];
}

/** Compares the figures that either report has. */
export function compareReports(first: TrafficReport, second: TrafficReport): Comparison {
  const rows = FIGURES.flatMap(([name, unit, read]) => {
    const [a, b] = [read(first), read(second)];
    return a === undefined && b === undefined ? [] : [[name, shown(a), shown(b), ratio(a, b), unit] as const];
  });
  const notes = SETTINGS.flatMap((name) => {
    const [a, b] = [first, second].map(({ settings }) => JSON.stringify(settings[name]));
    return a === b ? [] : [`not the same load: ${name} is ${a} and ${b}`];
  });
  return { rows, notes };
}

/** A comparison as text, a figure a line. */
export function compareText(first: TrafficReport, second: TrafficReport): string {
  const { rows, notes } = compareReports(first, second);
  return `${[row('', 'first', 'second', 'ratio', ''), ...rows.map((cells) => row(...cells)), ...notes].join('\n')}\n`;
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(NAMES)}${cells.map((cell) => cell.padEnd(COLUMN)).join('')}`.trimEnd();
}

/** Of a figure that a run does not have, and of a ratio to 0. */
const NONE = '–';

function ratio(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined) return NONE;
  if (a === b) return '1.00';
  return a === 0 ? NONE : (b / a).toFixed(2);
}

function shown(value: number | undefined): string {
  if (value === undefined) return NONE;
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(4);
}
