import { MEBIBYTE } from '../base/bytes.ts';
import type { BarChart, LineChart, Series } from './draw_chart.ts';
import type { Moment } from './timeline.ts';
import type { Spread, TrafficReport } from './traffic_report.ts';

const MOST_ERRORS = 12;

/** The course of a run as charts: each report has the same ones in the same order. */
export function lineCharts({ settings, timeline, latencies, blocks }: TrafficReport): LineChart[] {
  const overTime = (name: string, value: (moment: Moment) => number | undefined): Series => ({
    name,
    points: timeline.map((moment) => [moment.second, value(moment)]),
  });
  const seconds = timeline.map(({ second }, index) => second - (timeline[index - 1]?.second ?? 0));
  const perSecond = (name: string, value: (moment: Moment) => number): Series => ({
    name,
    points: timeline.map((moment, index) => [moment.second, value(moment) / Math.max(seconds[index] ?? 1, 1e-3)]),
  });
  const asked = settings.perSecond;
  // Behind the last call a run waits for answers and blocks.
  const lastSent = timeline.findLast(({ sent }) => sent > 0)?.second ?? 0;
  return [
    {
      title: 'Rate: calls a second',
      axis: 'seconds',
      series: [
        ...(asked === null ? [] : [overTime('asked', ({ second }) => (second <= lastSent ? asked : undefined))]),
        perSecond('answered', ({ answered, refused }) => answered - refused),
        { ...perSecond('refused', ({ refused }) => refused), isBad: true },
      ],
    },
    {
      title: 'Latency of calls, ms',
      axis: 'seconds',
      isLogarithmic: true,
      series: [
        overTime('p50', ({ p50Ms }) => p50Ms),
        overTime('p99', ({ p99Ms }) => p99Ms),
        overTime('p99.9', ({ p999Ms }) => p999Ms),
      ],
    },
    {
      title: 'Block fullness, %',
      axis: 'seconds',
      series: [{ name: 'blocks', points: fullnessPoints(blocks.course, timeline.at(-1)?.second ?? Infinity) }],
    },
    {
      title: 'Queues: transactions that wait for a block',
      axis: 'seconds',
      series: [
        overTime('sent and in no block', ({ backlog }) => backlog),
        overTime('pending at the node', ({ pending }) => pending),
      ],
    },
    {
      title: 'Latency of calls by share, ms',
      axis: '% of the calls',
      isLogarithmic: true,
      series: [
        byShare('acceptance', latencies.acceptance),
        byShare('until block', latencies.untilBlock),
        byShare('until final', latencies.untilFinal),
        byShare('inclusion', latencies.inclusion),
        byShare('irreversibility', latencies.irreversibility),
      ],
    },
    {
      title: 'CPU, cores',
      axis: 'seconds',
      series: [overTime('node', ({ nodeCpu }) => nodeCpu), overTime('load tester', ({ ownCpu }) => ownCpu)],
    },
    {
      title: 'Memory, MiB',
      axis: 'seconds',
      series: [
        overTime('node', ({ nodeBytes }) => (nodeBytes === undefined ? undefined : nodeBytes / MEBIBYTE)),
        overTime('load tester', ({ ownBytes }) => ownBytes / MEBIBYTE),
      ],
    },
  ];
}

/** Refused calls by reason, the most frequent first. */
export function errorChart({ refused }: TrafficReport): BarChart {
  const bars = Object.entries(refused).toSorted(([, a], [, b]) => b - a);
  return { bars: bars.slice(0, MOST_ERRORS) };
}

/** Distances between blocks beyond so many usual ones are gaps: no block came. */
const GAP_DISTANCES = 4;

/** Fullness as far as the other charts reach, with gaps where no blocks came. */
function fullnessPoints(course: TrafficReport['blocks']['course'], lastSecond: number): Series['points'] {
  const distances = course.map(({ second }, index) => second - (course[index - 1]?.second ?? second));
  const usual = distances.toSorted((a, b) => a - b)[Math.ceil(distances.length / 2)] ?? Infinity;
  return course.flatMap(({ second, fullness }, index): Series['points'] => {
    if (second > lastSecond) return [];
    const distance = distances[index] ?? 0;
    const point = [Math.max(second, 0), 100 * fullness] as const;
    return distance > GAP_DISTANCES * usual ? [[second - distance / 2, undefined], point] : [point];
  });
}

function byShare(name: string, { curve }: Spread): Series {
  return { name, points: curve.map(([share, latencyMs]) => [share * 100, latencyMs] as const) };
}
