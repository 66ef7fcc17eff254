import { MEBIBYTE } from '../base/bytes.ts';
import type { Moment } from './timeline.ts';
import type { Spread, TrafficReport } from './traffic_report.ts';
import { trafficText } from './traffic_text.ts';

const WIDTH = 860;
const HEIGHT = 220;
const MARGIN = 56;
const TICKS = 4;

/** One line of a chart. */
interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const COLOURS = ['#1b6ca8', '#c4511c', '#2f8f4e', '#7a4fa3'];

/** The report as one page with charts, which asks no other host for anything. */
export function htmlReport(report: TrafficReport): string {
  const { settings, started, timeline, latencies } = report;
  const charts = [
    chart('calls a second', 'seconds', [
      overTime(timeline, 'answered', ({ answered }) => answered),
      overTime(timeline, 'refused', ({ refused }) => refused),
    ]),
    chart('latency, ms', 'seconds', [
      overTime(timeline, '99 %', ({ mostMs }) => mostMs),
      overTime(timeline, 'half', ({ halfMs }) => halfMs),
    ]),
    chart('waiting for a block', 'seconds', [
      overTime(timeline, 'sent', ({ backlog }) => backlog),
      ...(timeline.some(({ pending }) => pending !== undefined)
        ? [overTime(timeline, 'pending', ({ pending }) => pending ?? 0)]
        : []),
    ]),
    chart('cores', 'seconds', [
      overTime(timeline, 'node', ({ nodeCpu }) => nodeCpu ?? 0),
      overTime(timeline, 'load tester', ({ ownCpu }) => ownCpu),
    ]),
    chart('memory, MiB', 'seconds', [
      overTime(timeline, 'node', ({ nodeBytes }) => (nodeBytes ?? 0) / MEBIBYTE),
      overTime(timeline, 'load tester', ({ ownBytes }) => ownBytes / MEBIBYTE),
    ]),
    chart('latency, ms', '% of the calls', [
      byShare('acceptance', latencies.acceptance),
      byShare('until block', latencies.untilBlock),
      byShare('until final', latencies.untilFinal),
      byShare('inclusion', latencies.inclusion),
      byShare('irreversibility', latencies.irreversibility),
    ]),
  ];
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>pharos load, ${escaped(settings.mix)}, ${escaped(started)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:15px system-ui,sans-serif;max-width:${WIDTH}px;margin:2em auto;padding:0 1em;color:#222}pre{white-space:pre-wrap}svg{width:100%;height:auto}h2{font-size:1em;margin:1.5em 0 0}</style>
<h1>A load of ${escaped(settings.mix)} calls</h1>
<p>${escaped(started)}, ${settings.urls.map(escaped).join(', ')}</p>
${charts.join('\n')}
<h2>All figures</h2>
<pre>${escaped(trafficText(report))}</pre>
</html>
`;
}

function overTime(timeline: readonly Moment[], name: string, value: (moment: Moment) => number): Series {
  return { name, points: timeline.map((moment) => [moment.second, value(moment)] as const) };
}

function byShare(name: string, { curve }: Spread): Series {
  return { name, points: curve.map(([share, latencyMs]) => [share * 100, latencyMs] as const) };
}

function chart(title: string, axis: string, series: readonly Series[]): string {
  const drawn = series.filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  if (all.length === 0) return '';
  const mostX = all.reduce((most, [x]) => Math.max(most, x), Number.MIN_VALUE);
  const mostY = all.reduce((most, [, y]) => Math.max(most, y), Number.MIN_VALUE);
  const place = (x: number, y: number): string =>
    `${(MARGIN + (x / mostX) * (WIDTH - 2 * MARGIN)).toFixed(1)},${(HEIGHT - MARGIN / 2 - (y / mostY) * (HEIGHT - MARGIN)).toFixed(1)}`;
  const lines = drawn.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = points.map(([x, y]) => place(x, y)).join(' ');
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${path}"/><text x="${MARGIN + 90 * index}" y="14" fill="${colour}" font-size="12">${escaped(name)}</text>`;
  });
  const ticks = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const [x = '', y = ''] = [place((mostX * tick) / TICKS, 0), place(0, (mostY * tick) / TICKS)].flatMap(
      (at, axisIndex) => at.split(',')[axisIndex] ?? '',
    );
    return `<text x="${x}" y="${HEIGHT - 2}" font-size="11" text-anchor="middle">${shown((mostX * tick) / TICKS)}</text><text x="${MARGIN - 6}" y="${y}" font-size="11" text-anchor="end">${shown((mostY * tick) / TICKS)}</text>`;
  });
  return `<h2>${title}, by ${axis}</h2>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}, by ${axis}">${ticks.join('')}${lines.join('')}</svg>`;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

function escaped(given: string): string {
  return given.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
