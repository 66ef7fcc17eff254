/** @typedef {import('./rules_file.js').DeclaredMetric} DeclaredMetric */

/** What an operator asks, and the metrics that answer; all others follow in the last row. @type {Readonly<Record<string, readonly string[]>>} */
const QUESTIONS = {
  'Is it well?': [
    'pharos_head_age_seconds',
    'pharos_participation_ratio',
    'pharos_peers',
    'pharos_head_block_number',
    'pharos_clock_offset_seconds',
    'pharos_build_info',
  ],
  'Why is it slow?': [
    'pharos_busy_ratio',
    'pharos_rpc_answer_seconds',
    'pharos_rpc_in_flight',
    'pharos_broadcasts_queued',
    'pharos_writer_delay_seconds',
    'pharos_network_delay_seconds',
    'pharos_verifier_batch_seconds',
  ],
  'Why is it behind?': [
    'pharos_blocks_behind',
    'pharos_block_received_delay_seconds',
    'pharos_block_applied_delay_seconds',
    'pharos_partition_suspected',
  ],
  'Why did I miss slots?': [
    'pharos_slots_missed_total',
    'pharos_witness_obstacle',
    'pharos_block_start_lateness_seconds',
    'pharos_block_lateness_seconds',
    'pharos_peer_clock_difference_seconds',
    'pharos_standby_obstacle',
  ],
  'When is the disk full?': ['pharos_store_free_bytes', 'pharos_store_size_bytes', 'pharos_oldest_block_number'],
  'Who is hammering me?': [
    'pharos_connections',
    'pharos_client_weight',
    'pharos_rpc_over_limit_total',
    'pharos_rpc_refused_total',
    'pharos_rpc_bad_requests_total',
  ],
  'Does the event stream keep up?': [
    'pharos_sink_lag_seconds',
    'pharos_sink_lag_blocks',
    'pharos_sink_retries_total',
    'pharos_sink_messages_total',
  ],
};
const THE_REST = 'Everything else';
const [COLUMNS, WIDTH, HEIGHT] = [24, 8, 7];

/** A dashboard for Grafana: a panel for each metric that nodes declare, grouped by the questions of operators. @param {readonly DeclaredMetric[]} metrics */
export function dashboardFile(metrics) {
  const asked = new Set(Object.values(QUESTIONS).flat());
  const rest = metrics.filter(({ name }) => !asked.has(name));
  const rows = Object.entries(QUESTIONS).map(([title, names]) => ({ title, metrics: names.map((name) => metricNamed(name, metrics)) }));
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
    panels: panelsOf([...rows, { title: THE_REST, metrics: rest }]),
  };
  return `${JSON.stringify(dashboard, undefined, 1)}\n`;
}

const DATASOURCE = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const INSTANCE = {
  ...{ name: 'instance', label: 'Node', type: 'query', datasource: SOURCE, refresh: 2 },
  ...{ query: { query: 'label_values(pharos_build_info, instance)', refId: 'instances' }, includeAll: true, multi: true, allValue: '.*' },
};

/** Throws for a name that no node declares. @param {string} name @param {readonly DeclaredMetric[]} metrics */
function metricNamed(name, metrics) {
  const found = metrics.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`the dashboard asks for ${name}, which no node declares`);
  return found;
}

/** @param {readonly { readonly title: string, readonly metrics: readonly DeclaredMetric[] }[]} rows */
function panelsOf(rows) {
  /** @type {object[]} */
  const panels = [];
  let y = 0;
  for (const { title, metrics } of rows) {
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, panels: [] });
    y += 1;
    for (const [k, metric] of metrics.entries()) {
      const x = (k * WIDTH) % COLUMNS;
      panels.push(panelOf(panels.length + 1, metric, { x, y: y + Math.trunc((k * WIDTH) / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT }));
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
    targets: queriesOf(name, type).map((expr, k) => ({ refId: 'ABC'[k], datasource: SOURCE, expr, legendFormat: '__auto' })),
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
