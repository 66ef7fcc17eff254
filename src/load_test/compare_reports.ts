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
  ['lost', 'transactions', ({ audit }) => audit.lost],
  ['revoked', 'transactions', ({ audit }) => audit.revoked],
  ['expired', 'transactions', ({ audit }) => audit.expired],
  ['forgotten', 'transactions', ({ audit }) => audit.forgotten],
  ['CPU of the node', 's', ({ node }) => node?.cpuSeconds],
  ['memory of the node', 'bytes', ({ node }) => node?.mostBytes],
  ['CPU, as the node says', 's', ({ told }) => told.metrics?.cpuSeconds],
  ['memory, as it says', 'bytes', ({ told }) => told.metrics?.mostBytes],
  ['CPU of the load tester', 's', ({ self }) => self.cpuSeconds],
  ['its calls a CPU-second', 'calls', ({ self }) => self.perCpuSecond],
];

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

/** Two reports, figure by figure, with the ratio of the second to the first. */
export function compareText(first: TrafficReport, second: TrafficReport): string {
  const rows = FIGURES.flatMap(([name, unit, read]) => {
    const [a, b] = [read(first), read(second)];
    return a === undefined || b === undefined ? [] : [row(name, shown(a), shown(b), ratio(a, b), unit)];
  });
  const notes = SETTINGS.flatMap((name) => {
    const [a, b] = [first, second].map(({ settings }) => JSON.stringify(settings[name]));
    return a === b ? [] : [`not the same load: ${name} is ${a} and ${b}`];
  });
  return `${[row('', 'first', 'second', 'ratio', ''), ...rows, ...notes].join('\n')}\n`;
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(NAMES)}${cells.map((cell) => cell.padEnd(COLUMN)).join('')}`.trimEnd();
}

function ratio(a: number, b: number): string {
  if (a === b) return '1.00';
  return a === 0 ? '' : (b / a).toFixed(2);
}

function shown(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(4);
}
