/** @typedef {import('./rules_file.js').DeclaredMetric} DeclaredMetric */

const THE_REST = 'Everything else';
const [COLUMNS, WIDTH, HEIGHT] = [24, 8, 7];

/**
 * A dashboard for Grafana: a panel for each metric that nodes and indexes declare, grouped by the questions of operators.
 * @param {readonly DeclaredMetric[]} metrics
 * @param {readonly string[]} panelRows the titles of the rows, in order
 */
export function dashboardFile(metrics, panelRows) {
  const rows = panelRows.map((title) => ({ title, metrics: metrics.filter(({ row }) => row === title) }));
  const rest = metrics.filter(({ row }) => row === undefined);
  const dashboard = {
    title: 'Pharos',
    uid: 'pharos-node',
    schemaVersion: 38,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    tags: ['pharos'],
    templating: { list: [DATASOURCE, INSTANCE] },
    annotations: { list: [RESTARTS] },
    panels: panelsOf([...rows, { title: THE_REST, metrics: rest }]),
  };
  return `${JSON.stringify(dashboard, undefined, 1)}\n`;
}

const DATASOURCE = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const INSTANCE = {
  ...{ name: 'instance', label: 'Node', type: 'query', datasource: SOURCE, refresh: 2 },
  ...{
    query: { query: 'label_values(pharos_build_info, instance)', refId: 'instances' },
    includeAll: true,
    multi: true,
    allValue: '.*',
  },
};

/** A line through all panels where a node or an index has started. */
const RESTARTS = {
  ...{ name: 'Restarts', datasource: SOURCE, enable: true, iconColor: 'orange', step: '30s' },
  ...{ titleFormat: 'Start of {{instance}}', useValueForTime: false },
  expr: 'changes(process_start_time_seconds{job=~"pharos.*",instance=~"$instance"}[1m]) > 0',
};

/** @param {readonly { readonly title: string, readonly metrics: readonly DeclaredMetric[] }[]} rows */
function panelsOf(rows) {
  /** @type {object[]} */
  const panels = [];
  let y = 0;
  for (const { title, metrics } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    for (const [k, metric] of metrics.entries()) {
      const x = (k * WIDTH) % COLUMNS;
      panels.push(
        panelOf(panels.length + 1, metric, {
          x,
          y: y + Math.trunc((k * WIDTH) / COLUMNS) * HEIGHT,
          w: WIDTH,
          h: HEIGHT,
        }),
      );
    }
    y += Math.ceil((metrics.length * WIDTH) / COLUMNS) * HEIGHT;
  }
  return panels;
}

/** @param {number} id @param {DeclaredMetric} metric @param {object} gridPos */
function panelOf(id, metric, gridPos) {
  const { name, doc, type } = metric;
  return {
    ...{ id, type: 'timeseries', title: titleOf(name), description: doc, gridPos, datasource: SOURCE },
    fieldConfig: {
      defaults: { unit: unitOf(metric), min: name.includes('offset') || name.includes('difference') ? undefined : 0 },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queriesOf(name, type).map((expr, k) => ({
      refId: 'ABC'[k],
      datasource: SOURCE,
      expr,
      legendFormat: '__auto',
    })),
  };
}

/** Of a histogram the middle and the slowest hundredth. @param {string} name @param {DeclaredMetric['type']} type @returns {string[]} */
function queriesOf(name, type) {
  const chosen = '{instance=~"$instance"}';
  if (type === 'gauge') return [`${name}${chosen}`];
  if (type === 'counter') return [`rate(${name}${chosen}[$__rate_interval])`];
  const rate = `rate(${name}_bucket${chosen}[$__rate_interval])`;
  return ['0.5', '0.99'].map((quantile) => `histogram_quantile(${quantile}, sum by (instance, le) (${rate}))`);
}

/** @param {string} name */
function titleOf(name) {
  const words = name.replace(/^pharos_/, '').replaceAll('_', ' ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

/** In the words of Grafana. @param {DeclaredMetric} metric */
function unitOf({ name, type }) {
  if (name.endsWith('_timestamp_seconds')) return 'dateTimeFromNow';
  if (/_bytes(?:_total)?$/.test(name)) return type === 'counter' ? 'Bps' : 'bytes';
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_ratio')) return 'percentunit';
  return type === 'counter' ? 'ops' : 'short';
}
