import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dashboardFile } from '../../scripts/monitoring/dashboard.js';
import { rulesFile } from '../../scripts/monitoring/rules_file.js';

test('what scripts/operate has of settings, rules, dashboard and schema follows from what a node declares: npm run operate writes it', () => {
  const script = fileURLToPath(new URL('../../../scripts/operate.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});

test('a rule or a panel for a metric that no node declares is refused by its name', () => {
  assert.throws(() => rulesFile([]), /PharosHeadOld asks for pharos_head_age_seconds, which no node declares/);
  assert.throws(() => dashboardFile([]), /the dashboard asks for pharos_head_age_seconds, which no node declares/);
});
