// npm run operate: writes the files of scripts/operate that follow from declarations of the program, and the pictures of
// the documents; with --check it says which are due.
import { readFileSync, writeFileSync } from 'node:fs';
import { dashboardFile } from './monitoring/dashboard.js';
import { declaredMetrics } from './monitoring/declared_metrics.js';
import { rulesFile } from './monitoring/rules_file.js';
import { pictures } from './pictures.js';
import { inProject } from './place.js';
import { reportingFailure } from './setup/failure.js';
import { setUp } from './setup.js';
import { currentNotice } from './supply.js';

/** @returns {Promise<Readonly<Record<string, string>>>} what these files are to have, by their paths */
async function operateFiles() {
  const { settingsFile } = await import('../build/src/settings/settings_file.js');
  const { schemaText } = await import('../build/src/sinks/event_schema.js');
  const { panelRows } = await import('../build/src/base/metrics.js');
  const { nodeMetrics } = await import('../build/src/node/http/node_metrics.js');
  const { indexMetrics } = await import('../build/src/cli/index/index_metrics.js');
  const metrics = declaredMetrics(nodeMetrics, indexMetrics);
  return {
    'scripts/operate/pharos.ini': settingsFile(),
    'scripts/operate/events.avsc': schemaText,
    'scripts/operate/pharos.rules.yml': rulesFile(metrics),
    'scripts/operate/grafana.json': dashboardFile(metrics, panelRows),
    'scripts/operate/compose/prometheus.yml': composeScrapes(
      readFileSync(inProject('scripts/operate/prometheus.yml'), 'utf8'),
    ),
    NOTICE: currentNotice(),
    ...pictures(),
  };
}

/** Prometheus of compose.yaml: node and index are services there. @param {string} text that of one beside a node */
function composeScrapes(text) {
  return text
    .replace(/^# .*\n/, '# Prometheus of compose.yaml, from ../prometheus.yml by npm run operate.\n')
    .replace(/^ {2}# Beside an index .*\n/m, '')
    .replaceAll(/^ {2}#(?=[- ])/gm, '  ')
    .replace('127.0.0.1:9191', 'node:9191')
    .replace('127.0.0.1:9192', 'index:9192');
}

if (process.argv[1] === inProject('scripts', 'operate.js'))
  await reportingFailure(async () => {
    const onlyLooks = process.argv.includes('--check');
    if (!onlyLooks) setUp();
    for (const [name, text] of Object.entries(await operateFiles())) {
      const path = inProject(name);
      if (onlyLooks && readFileSync(path, 'utf8') === text) continue;
      if (onlyLooks) process.exitCode = 1;
      else writeFileSync(path, text);
      console.log(`${name}${onlyLooks ? ' is out of date: npm run operate' : ''}`);
    }
  });
