import { Metrics, type Watched } from '../../base/metrics.ts';
import { addBuild } from '../../node/http/node_metrics.ts';
import type { IndexFigures } from '../../sinks/postgres/index_record.ts';

/** The metrics of an index. */
export function indexMetrics(figures: () => IndexFigures): Metrics {
  const metrics = new Metrics();
  addBuild(metrics);
  const level = (name: string, doc: string, read: (now: IndexFigures) => number, watched?: Watched): void =>
    metrics.level(name, doc, () => read(figures()), watched);
  const count = (name: string, doc: string, read: (now: IndexFigures) => number, watched?: Watched): void =>
    metrics.count({ name, doc, labels: [], ...watched }, () => [{ labels: {}, value: read(figures()) }]);
  level('pharos_index_block_number', 'Number of the last indexed block.', ({ block }) => block);
  level(
    'pharos_index_irreversible_block_number',
    'The last indexed block that is irreversible.',
    ({ irreversible }) => irreversible,
  );
  level('pharos_index_lag_blocks', 'How many blocks the index is behind its source.', ({ lagBlocks }) => lagBlocks, {
    row: 'Does the index keep up?',
    alerts: [
      {
        alert: 'PharosIndexBehind',
        expr: 'pharos_index_lag_blocks > 100 or pharos_index_working == 0',
        for: '10m',
        severity: 'warning',
        summary: 'the index is behind, or prevented from indexing; its /health says why',
        page: 'sql',
      },
    ],
  });
  level(
    'pharos_index_lag_seconds',
    'Age of the last indexed block; 0 before the first one.',
    ({ lagSeconds = 0 }) => lagSeconds,
    {
      row: 'Does the index keep up?',
    },
  );
  level(
    'pharos_index_working',
    '1 while blocks are indexed, 0 while something prevents that.',
    ({ problem }) => (problem === undefined ? 1 : 0),
    { row: 'Does the index keep up?' },
  );
  level(
    'pharos_index_rows_per_second',
    'Rows that were written, a second, in the last minute.',
    ({ rowsPerSecond }) => rowsPerSecond,
  );
  level(
    'pharos_index_last_error_timestamp_seconds',
    'Unix time of the last error, 0 before the first one; /health has its text.',
    ({ lastError }) => (lastError?.atMs ?? 0) / 1000,
    { row: 'Does the index keep up?' },
  );
  count('pharos_index_blocks_total', 'Blocks that were indexed.', ({ blocks }) => blocks);
  count('pharos_index_operations_total', 'Operations of these blocks.', ({ operations }) => operations);
  count('pharos_index_rows_total', 'Rows that were written.', ({ rows }) => rows, { row: 'Does the index keep up?' });
  count('pharos_index_undone_total', 'Blocks that were taken back.', ({ undone }) => undone);
  count('pharos_index_retries_total', 'How often the index was interrupted and begun again.', ({ retries }) => retries);
  count(
    'pharos_index_unreadable_total',
    'Attempts that met a record which can not be indexed; /health names it.',
    ({ unreadableRecords }) => unreadableRecords,
    {
      row: 'Does the index keep up?',
      alerts: [
        {
          alert: 'PharosIndexUnreadable',
          expr: 'increase(pharos_index_unreadable_total[15m]) > 0',
          for: '0m',
          severity: 'warning',
          summary: 'the index has met a record that it can not take; its /health names block and operation',
          page: 'sql',
        },
      ],
    },
  );
  return metrics;
}
