// Alerts that no metric of Pharos can raise: a program does not answer, or Node measures trouble in its process. All
// other alerts are declared with their metrics.

/** @type {readonly import('./rules_file.js').Alert[]} */
export const processAlerts = [
  {
    alert: 'PharosDown',
    expr: 'up{job="pharos"} == 0',
    for: '1m',
    severity: 'page',
    summary: 'the node answers no scrape',
    page: 'down',
  },
  {
    alert: 'PharosDescriptorsLow',
    expr: 'process_open_fds{job="pharos"} / process_max_fds{job="pharos"} > 0.7',
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of its descriptors are open',
    page: 'hammered',
  },
  {
    alert: 'PharosIndexDown',
    expr: 'up{job="pharos-index"} == 0',
    for: '5m',
    severity: 'warning',
    summary: 'the index answers no scrape',
    page: 'sql',
  },
  {
    alert: 'PharosRestarts',
    expr: 'changes(process_start_time_seconds{job="pharos"}[1h]) > 2',
    for: '0m',
    severity: 'warning',
    summary: 'it was started {{ $value }} times in an hour; its log says why it ended',
    page: 'down',
  },
];
