import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlComparison, htmlReport } from '../../src/load_test/html_report.ts';
import { shapedReport } from './shaped_report.ts';

const report = shapedReport({ perSecond: 100, p99: 20, refused: 3, name: '<b>mix</b>' });

function requirePlaced(html: string): void {
  for (const [, points = ''] of html.matchAll(/points="([^"]*)"/g))
    for (const point of points.split(' ')) {
      const [x = Number.NaN, y = Number.NaN] = point.split(',').map(Number);
      assert.ok(x >= 0 && x <= 640 && y >= 0 && y <= 240, point);
    }
}

test('a page draws each course, and what a node has said cannot become part of it', () => {
  const html = htmlReport(report);
  assert.equal((html.match(/<svg /g) ?? []).length, 8);
  assert.doesNotMatch(html, /<b>|<signs>/);
  assert.match(html, /some_reason: words &amp; &lt;signs&gt;<\/text>/);
  assert.match(html, /3 × some_reason: words &amp; &lt;signs&gt;/);
  requirePlaced(html);
});

test('a page begins with the verdict, then the summary, and only then the charts', () => {
  const html = htmlReport(report);
  const places = [
    'Passed, with remarks',
    '<dt>Rate reached',
    '<dt>p50',
    '<dt>p99',
    '<dt>p99.9',
    '<svg ',
    'All figures',
  ];
  const found = places.map((part) => html.indexOf(part));
  assert.ok(!found.includes(-1), JSON.stringify(found));
  assert.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  );
  assert.match(html, /aria-label="Rate: calls a second: asked, answered, refused, by seconds"/);
  assert.match(html, /aria-label="Latency of calls, ms: p50, p99, p99.9, by seconds"/);
});

test('two runs stand side by side on the same scales, with their ratio', () => {
  const slower = shapedReport({ perSecond: 50, p99: 2_000 });
  const html = htmlComparison(report, slower);
  assert.equal((html.match(/<div class="pair">/g) ?? []).length, 9);
  assert.match(html, /^acceptance, p99 +20 +2000 +100\.00 +ms$/m);
  assert.match(html, /not the same load: perSecond is 100 and 50/);
  requirePlaced(html);
  // The line of half the rate is half as high as the other one.
  const heights = [...html.matchAll(/<title>asked<\/title><polyline points="[\d.]+,([\d.]+) /g)].map(
    ([, y]) => 206 - Number(y),
  );
  assert.equal(heights.length, 2);
  assert.ok(Math.abs((heights[0] ?? 0) - 2 * (heights[1] ?? 0)) < 1, JSON.stringify(heights));
});

test('a run that had no answer at all still has a page', () => {
  const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0, curve: [] };
  const empty = {
    ...report,
    answered: 0,
    refused: {},
    timeline: [],
    latencies: { ...report.latencies, acceptance: none, untilFinal: none },
    blocks: { ...report.blocks, course: [] },
    node: null,
    told: { ...report.told, metrics: null },
  };
  for (const html of [htmlReport(empty), htmlComparison(empty, report)]) {
    assert.doesNotMatch(html, /NaN|Infinity|undefined/);
    requirePlaced(html);
  }
});

test('a second without an answer is a gap in the latencies, and the rate asked for ends with the last call', () => {
  const [first, second] = report.timeline;
  assert.ok(first !== undefined && second !== undefined);
  const silent = { ...second, second: 3, answered: 0, p50Ms: undefined, p99Ms: undefined, p999Ms: undefined };
  const later = { ...second, second: 4 };
  const behind = { ...second, second: 5, sent: 0 };
  const html = htmlReport({ ...report, timeline: [first, second, silent, later, behind] });
  const pieces = (name: string): string[] => {
    const [, lines = ''] = new RegExp(`<title>${name}</title>(.*?)</g>`).exec(html) ?? [];
    return [...lines.matchAll(/points="([^"]*)"/g)].map(([, points = '']) => points);
  };
  assert.equal(pieces('p50').length, 2);
  const [asked = ''] = pieces('asked');
  assert.equal(asked.split(' ').length, 4, asked);
});

test('axes have round numbers, also where nothing was counted', () => {
  for (const perSecond of [7, 451, 1354, 60_000]) {
    const html = htmlReport(shapedReport({ perSecond, p99: 20 }));
    const [chart = ''] = /<svg [^>]*aria-label="Rate.*?<\/svg>/.exec(html) ?? [];
    const ticks = [...chart.matchAll(/text-anchor="end">([\d.]+(?: k)?)</g)].map(([, tick = '']) => tick);
    assert.ok(ticks.length >= 3 && ticks.length <= 8, ticks.join());
    for (const tick of ticks) assert.match(tick, /^(?:0|0\.[1-9]|[1-9]\d?0*(?: k)?)$/);
  }
  const still = report.timeline.map((moment) => ({ ...moment, backlog: 0, pending: 0 }));
  requirePlaced(htmlReport({ ...report, timeline: still }));
});
