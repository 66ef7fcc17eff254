import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlReport } from '../../src/load_test/html_report.ts';
import { shapedReport } from './shaped_report.ts';

test('a page draws each course, and what a node has said cannot become part of it', () => {
  const html = htmlReport(shapedReport({ perSecond: 100, p99: 20, refused: 3, name: '<b>mix</b>' }));
  assert.equal((html.match(/<svg /g) ?? []).length, 6);
  assert.doesNotMatch(html, /<b>|<signs>/);
  assert.match(html, /3 × some_reason: words &amp; &lt;signs&gt;/);
  for (const [, points = ''] of html.matchAll(/points="([^"]*)"/g)) {
    for (const point of points.split(' ')) {
      const [x = Number.NaN, y = Number.NaN] = point.split(',').map(Number);
      assert.ok(x >= 0 && x <= 860 && y >= 0 && y <= 220, point);
    }
  }
});
