import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareText } from '../../src/load_test/compare_reports.ts';
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
  assert.equal((html.match(/<svg /g) ?? []).length, 7);
  assert.doesNotMatch(html, /<b>mix|<signs>/);
  assert.match(html, /<b>3<\/b><span>some_reason: words &amp; &lt;signs&gt;<i /);
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
  assert.match(html, />acceptance, p99 <small>ms<\/small><\/th><td>20<\/td><td>2000<\/td><td>100\.00<\/td>/);
  assert.match(html, /not the same load: perSecond is 100 and 50/);
  requirePlaced(html);
  // The line of half the rate is half as high as the other one.
  const heights = [...html.matchAll(/<title>asked<\/title><polyline points="[\d.]+,([\d.]+) /g)].map(
    ([, y]) => 204 - Number(y),
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

/** The colour of each class in a look, in CIE L*a*b*, where 20 is another colour to everybody who sees colours. */
function coloursOf(look: string): Map<string, readonly [number, number, number]> {
  const found = look.matchAll(/--(l\d|bad):#(\w{2})(\w{2})(\w{2})/g);
  return new Map(
    Array.from(found, ([, name = '', ...parts]) => {
      const [r = 0, g = 0, b = 0] = parts.map((part) => {
        const share = Number.parseInt(part, 16) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      const [x, y, z] = [
        Math.cbrt((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
        Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b),
        Math.cbrt((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089),
      ];
      return [name, [116 * y - 16, 500 * (x - y), 200 * (y - z)]];
    }),
  );
}

test('refused calls have the colour of failures, which no other line of their chart comes near', () => {
  const paced = htmlReport(report);
  const unpaced = htmlReport({ ...report, settings: { ...report.settings, perSecond: null } });
  for (const html of [paced, unpaced]) {
    assert.match(html, /<g class="line cbad"><title>refused<\/title>/);
    assert.match(html, /<span class="fbad">refused<\/span>/);
    const [, beside = ''] = /<h2>Rate: calls a second<\/h2>(.*?)<h2>/s.exec(html) ?? [];
    const others = Array.from(beside.matchAll(/class="line c(\d)"/g), ([, index]) => `l${index}`);
    assert.ok(others.length > 0);
    const looks = [...html.matchAll(/:root\{[^}]*\}/g)].map(([look]) => coloursOf(look));
    assert.equal(looks.length, 2);
    for (const look of looks)
      for (const other of others) {
        const [a = [], b = []] = [look.get('bad'), look.get(other)];
        const distance = Math.hypot(...a.map((part, index) => part - (b[index] ?? Number.NaN)));
        assert.ok(distance > 60, `${other}: ${distance.toFixed(0)}`);
      }
  }
});

test('compared figures are plain numbers, and a dash stands where a run has none', () => {
  for (const p99 of [0.013_62, 1.362, 999.96, 13_620.4, 4.2e9]) {
    const first = shapedReport({ perSecond: 13_620, p99 });
    const second = { ...shapedReport({ perSecond: 50, p99: p99 * 1.5 }), node: null };
    const html = htmlComparison(first, second);
    const rows = compareText(first, second).split('\n').slice(1, -1);
    for (const text of [html, ...rows]) assert.doesNotMatch(text, /[\d.]e[+-]\d|NaN|Infinity|undefined/);
    for (const row of rows.filter((text) => !text.startsWith('not the same')))
      assert.match(row, /^\S.{0,23} *(?:–|[\d.]+) +(?:–|[\d.]+) +(?:–|\d+\.\d\d) +\S/);
    assert.match(html, />memory of the node <small>MiB<\/small><\/th><td>95<\/td><td>–<\/td><td>–<\/td>/);
  }
  const [first, second] = [
    shapedReport({ perSecond: 50, p99: 13_620.4 }),
    shapedReport({ perSecond: 50, p99: 27_240.8 }),
  ];
  assert.match(compareText(first, second), /^acceptance, p99 {9}13620 +27241 +2\.00 +ms$/m);
});

test('a run whose node could not be asked at the end claims nothing of blocks and lost transactions', () => {
  const asked = report.audit.acknowledged;
  const unknown = {
    ...report,
    blocks: { ...report.blocks, transactions: 0, mostTransactions: 0, course: [] },
    included: 0,
    audit: { ...report.audit, irreversible: 0, unknown: asked },
  };
  const html = htmlReport(unknown);
  assert.match(html, /<dt>Unknown<\/dt><dd>200 /);
  assert.doesNotMatch(html, /<dt>Lost|<dt>Fullest block|0 lost|0\.0 transactions|in blocks +0/);
  assert.match(html, /slots missed; what they held is unknown;/);
  assert.match(compareText(report, unknown), /^lost +0 +– +– +transactions$/m);
});

test('block fullness has a gap where no block came, and reaches as far as the other charts', () => {
  const [, moment] = report.timeline;
  assert.ok(moment !== undefined);
  const course = [1, 2, 3, 4, 12, 13, 14, 30].map((second) => ({ second, fullness: 0.5, transactions: 1 }));
  const html = htmlReport({
    ...report,
    timeline: [moment, { ...moment, second: 20 }],
    blocks: { ...report.blocks, course },
  });
  const [, drawn = ''] = /<title>blocks<\/title>(.*?)<\/g>/.exec(html) ?? [];
  const pieces = [...drawn.matchAll(/points="([^"]*)"/g)].map(([, points = '']) => points.split(' ').length);
  assert.deepEqual(pieces, [4, 3]);
  const ends = [...html.matchAll(/text-anchor="middle">([\d.]+)<\/text><(?:line|g)/g)].map(([, tick]) => Number(tick));
  assert.ok(
    ends.every((tick) => tick <= 20 || tick === 100),
    ends.join(),
  );
});
