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
