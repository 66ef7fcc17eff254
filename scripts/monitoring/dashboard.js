/** @typedef {import('./rules_file.js').DeclaredMetric} DeclaredMetric */
/** @typedef {import('../../src/base/metrics.ts').Figure} Figure */

const THE_REST = 'Everything else';
const [COLUMNS, WIDTH, HEIGHT] = [24, 8, 7];
const FIGURE_HEIGHT = 4;

/**
 * A dashboard for Grafana: a panel for each metric that nodes and indexes declare, grouped by the questions of operators.
 * @param {readonly DeclaredMetric[]} metrics
 * @param {readonly string[]} panelRows the titles of the rows, in order
 */
export function dashboardFile(metrics, panelRows) {
  const rows = panelRows.map((title) => ({ title, metrics: metrics.filter(({ row }) => row === title) }));
  const rest = metrics.filter(({ row }) => row === undefined);
  const figures = figurePanels(metrics);
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
    annotations: { list: [RESTARTS, HARDFORKS] },
    panels: [...figures, ...makePanels([...rows, { title: THE_REST, metrics: rest }], FIGURE_HEIGHT, figures.length)],
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
  ...{ name: 'Restarts', datasource: SOURCE, enable: true, iconColor: 'orange' },
  ...{ titleFormat: 'Start of {{instance}}', useValueForTime: false },
  target: annotationQuery('changes(process_start_time_seconds{job=~"pharos.*",instance=~"$instance"}[1m]) > 0'),
};

/** A line where the chain has applied a hardfork. */
const HARDFORKS = {
  ...{ name: 'Hardforks', datasource: SOURCE, enable: true, iconColor: 'purple' },
  ...{ titleFormat: 'Hardfork at {{instance}}', useValueForTime: false },
  target: annotationQuery('delta(pharos_hardforks_applied{instance=~"$instance"}[1m]) > 0'),
};

/** @param {string} expr */
function annotationQuery(expr) {
  return { refId: 'Anno', expr, interval: '30s' };
}

/** The alerts that fire. */
const ALERTS_FIRING = {
  title: 'Alerts',
  expr: 'count(ALERTS{alertstate="firing",instance=~"$instance"}) or vector(0)',
  limits: { warning: 1, alarm: 3 },
};

/** The first row: figures that are green, yellow or red. @param {readonly DeclaredMetric[]} metrics */
function figurePanels(metrics) {
  const figures = [...metrics.flatMap(({ figure }) => figure ?? []), ALERTS_FIRING];
  const width = Math.trunc(COLUMNS / figures.length);
  return figures.map((figure, k) => figurePanel(k + 1, figure, { x: k * width, y: 0, w: width, h: FIGURE_HEIGHT }));
}

/** @param {number} id @param {Figure} figure @param {object} gridPos */
function figurePanel(id, { title, expr, unit = 'short', limits, label }, gridPos) {
  return {
    ...{ id, type: 'stat', title, gridPos, datasource: SOURCE },
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps: makeSteps(limits) } }, overrides: [] },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: label === undefined ? 'value' : 'name',
      colorMode: label === undefined ? 'background' : 'none',
      graphMode: 'none',
    },
    targets: [
      {
        ...{ refId: 'A', datasource: SOURCE, expr, instant: true },
        legendFormat: label === undefined ? '{{instance}}' : `{{${label}}}`,
      },
    ],
  };
}

/** Steps rise in Grafana, so those of a value that must not fall begin with red. @param {Figure['limits']} limits */
function makeSteps(limits) {
  if (limits === undefined) return [{ color: 'text', value: null }];
  const { warning, alarm } = limits;
  return alarm > warning
    ? [colour('green', null), colour('yellow', warning), colour('red', alarm)]
    : [colour('red', null), colour('yellow', alarm), colour('green', warning)];
}

/** @param {string} color @param {number | null} value */
function colour(color, value) {
  return { color, value };
}

/**
 * @param {readonly { readonly title: string, readonly metrics: readonly DeclaredMetric[] }[]} rows
 * @param {number} top the line below the figures
 * @param {number} before panels that have an id
 */
function makePanels(rows, top, before) {
  /** @type {object[]} */
  const panels = [];
  let y = top;
  for (const { title, metrics } of rows) {
    panels.push({
      id: before + panels.length + 1,
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
        makePanel(before + panels.length + 1, metric, {
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
function makePanel(id, metric, gridPos) {
  const { name, doc, type } = metric;
  return {
    ...{ id, type: 'timeseries', title: metricTitle(name), description: doc, gridPos, datasource: SOURCE },
    fieldConfig: {
      defaults: {
        unit: metricUnit(metric),
        min: name.includes('offset') || name.includes('difference') ? undefined : 0,
      },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: metricQueries(name, type).map((expr, k) => ({
      refId: 'ABC'[k],
      datasource: SOURCE,
      expr,
      legendFormat: '__auto',
    })),
  };
}

/** Of a histogram the middle and the slowest hundredth. @param {string} name @param {DeclaredMetric['type']} type @returns {string[]} */
function metricQueries(name, type) {
  const chosen = '{instance=~"$instance"}';
  if (type === 'gauge') return [`${name}${chosen}`];
  if (type === 'counter') return [`rate(${name}${chosen}[$__rate_interval])`];
  const rate = `rate(${name}_bucket${chosen}[$__rate_interval])`;
  return ['0.5', '0.99'].map((quantile) => `histogram_quantile(${quantile}, sum by (instance, le) (${rate}))`);
}

/** @param {string} name */
function metricTitle(name) {
  const words = name.replace(/^pharos_/, '').replaceAll('_', ' ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

/** In the words of Grafana. @param {DeclaredMetric} metric */
function metricUnit({ name, type }) {
  if (name.endsWith('_timestamp_seconds')) return 'dateTimeFromNow';
  if (/_bytes(?:_total)?$/.test(name)) return type === 'counter' ? 'Bps' : 'bytes';
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_ratio')) return 'percentunit';
  return type === 'counter' ? 'ops' : 'short';
}
