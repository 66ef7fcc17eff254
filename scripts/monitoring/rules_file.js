import { processAlerts } from './alerts.js';

/** @typedef {import('../../src/base/metrics.ts').Alert} Alert */
/** @typedef {import('../../src/base/metrics.ts').DeclaredMetric} DeclaredMetric */

/** Those of the process are named as everywhere. */
const OF_OTHERS = new Set(['process_open_fds', 'process_max_fds', 'process_start_time_seconds']);

/** The rules for Prometheus. Throws when one asks for a metric that no node declares. @param {readonly DeclaredMetric[]} metrics */
export function rulesFile(metrics) {
  const known = new Set(metrics.flatMap(seriesNames));
  const alerts = [...processAlerts, ...metrics.flatMap((metric) => metricAlerts(metric))];
  for (const { alert, expr } of alerts)
    for (const name of usedNames(expr))
      if (!known.has(name)) throw new Error(`${alert} asks for ${name}, which no node declares`);
  const head =
    '# Rules for Prometheus, written by npm run operate. The job of the nodes is called pharos, and the label docs names a node; see prometheus.yml.\n';
  return `${head}groups:\n  - name: pharos\n    rules:\n${alerts.map(ruleText).join('')}`;
}

/** Throws for an alert that does not ask for the metric that declares it. @param {DeclaredMetric} metric @returns {readonly Alert[]} */
function metricAlerts({ name, alerts = [] }) {
  for (const { alert, expr } of alerts)
    if (!expr.includes(name)) throw new Error(`${alert} does not ask for ${name}, which declares it`);
  return alerts;
}

/** @param {Alert} alert */
function ruleText({ alert, expr, for: lasts, severity, summary, page }) {
  return [
    `      - alert: ${alert}`,
    `        expr: ${text(expr)}`,
    `        for: ${lasts}`,
    `        labels: { severity: ${severity} }`,
    '        annotations:',
    `          summary: ${text(`{{ $labels.instance }}: ${summary}`)}`,
    `          guide: '{{ $externalLabels.docs }}/docs/guides/${page}.html'`,
    '',
  ].join('\n');
}

/** In single quotes YAML reads all but a quote as it stands, so that a query looks as people type it. @param {string} value */
function text(value) {
  return `'${value.replaceAll("'", "''")}'`;
}

/** The series of a metric. @param {DeclaredMetric} metric */
function seriesNames({ name, type }) {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** The metrics of nodes in a query. @param {string} expr @returns {string[]} */
function usedNames(expr) {
  const names = [...expr.matchAll(/\b(?:pharos|process)_\w+/g)].map(([name]) => name);
  return names.filter((name) => !OF_OTHERS.has(name));
}
