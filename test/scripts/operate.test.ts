import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { panelRows } from '../../src/base/metrics.ts';
import { indexMetrics } from '../../src/cli/index/index_metrics.ts';
import { nodeMetrics } from '../../src/node/http/node_metrics.ts';
import { dashboardFile } from '../../scripts/monitoring/dashboard.js';
import { declaredMetrics } from '../../scripts/monitoring/declared_metrics.js';
import { rulesFile } from '../../scripts/monitoring/rules_file.js';

test('what scripts/operate has of settings, rules, dashboard and schema follows from what a node declares: npm run operate writes it', () => {
  const script = fileURLToPath(new URL('../../../scripts/operate.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});

const metric = { name: 'pharos_a', doc: 'A.', type: 'gauge' } as const;
const alert = {
  alert: 'PharosA',
  expr: 'pharos_a > 1',
  for: '1m',
  severity: 'page',
  summary: 'a',
  page: 'down',
} as const;

test('an alert that asks for a metric that no node declares is refused by its name, as is one that does not ask for its own', () => {
  assert.match(rulesFile([{ ...metric, alerts: [alert] }]), /- alert: PharosA\n {8}expr: 'pharos_a > 1'\n/);
  const [other, foreign] = [
    { ...alert, expr: 'pharos_a > pharos_b' },
    { ...alert, expr: 'pharos_b > 1' },
  ];
  assert.throws(() => rulesFile([{ ...metric, alerts: [other] }]), /PharosA asks for pharos_b, which no node declares/);
  assert.throws(
    () => rulesFile([{ ...metric, alerts: [foreign] }]),
    /PharosA does not ask for pharos_a, which declares it/,
  );
});

test('each metric of a node has one panel, in the row that it names', () => {
  const metrics = declaredMetrics(nodeMetrics, indexMetrics);
  assert.ok(metrics.length > 70);
  const { panels }: { panels: { type: string; title: string; description?: string }[] } = JSON.parse(
    dashboardFile(metrics, panelRows),
  );
  let row = '';
  const placed = panels.flatMap(({ type, title, description = '' }) => {
    if (type === 'stat') return [];
    if (type !== 'row') return [`${row} ${description}`];
    row = title;
    return [];
  });
  const declared = metrics.map(({ doc, row: named = 'Everything else' }) => `${named} ${doc}`);
  assert.deepEqual(placed.toSorted(), declared.toSorted());
  for (const { alerts = [] } of metrics)
    for (const { page } of alerts)
      assert.ok(existsSync(new URL(`../../../src/pages/guides/${page}.md`, import.meta.url)), page);
});

test('the dashboard begins with figures that are green, yellow or red, and marks restarts and hardforks', () => {
  const metrics = declaredMetrics(nodeMetrics, indexMetrics);
  const dashboard: {
    panels: {
      id: number;
      type: string;
      title: string;
      gridPos: { x: number; y: number; w: number; h: number };
      fieldConfig?: { defaults: { thresholds?: { steps: { color: string; value: number | null }[] } } };
      options?: { textMode?: string };
      targets?: { expr: string }[];
    }[];
    annotations: { list: { name: string; target: { expr: string } }[] };
  } = JSON.parse(dashboardFile(metrics, panelRows));
  const { panels, annotations } = dashboard;
  const figures = panels.filter(({ type }) => type === 'stat');
  assert.deepEqual(figures.map(({ title }) => title).toSorted(), [
    'Alerts',
    'Disk days left',
    'Final age',
    'Head age',
    'Internal errors, 1 h',
    'Missed slots, 1 h',
    'Peers',
    'Version',
  ]);
  assert.deepEqual(panels.slice(0, figures.length), figures);
  const colours = ({ fieldConfig }: (typeof panels)[number]): (string | number | null)[][] =>
    fieldConfig?.defaults.thresholds?.steps.map(({ color, value }) => [color, value]) ?? [];
  const named = (name: string): (string | number | null)[][] =>
    figures.filter(({ title }) => title === name).flatMap((figure) => colours(figure));
  assert.deepEqual(named('Head age'), [
    ['green', null],
    ['yellow', 15],
    ['red', 60],
  ]);
  assert.deepEqual(named('Peers'), [
    ['red', null],
    ['yellow', 1],
    ['green', 3],
  ]);
  assert.equal(figures.find(({ title }) => title === 'Version')?.options?.textMode, 'name');
  assert.deepEqual(
    annotations.list.map(({ name }) => name),
    ['Restarts', 'Hardforks'],
  );
  const known = new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`]));
  const exprs = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...annotations.list.map(({ target: { expr } }) => expr),
  ];
  for (const expr of exprs)
    for (const [name] of expr.matchAll(/\bpharos_\w+/g)) assert.ok(known.has(name), `${name} of ${expr}`);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, k) => `${x + (k % w)},${y + Math.trunc(k / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length, 'no panel covers another one');
});
