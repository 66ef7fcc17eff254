import type { Metrics } from '../../base/metrics.ts';
import type { SinkFigures } from '../../sinks/sink_figures.ts';
import type { SinkRecord } from './sink_record.ts';

/** Metrics on what leaves the node as a stream. */
export function addSinkMetrics(metrics: Metrics, record: SinkRecord): void {
  const level = (name: string, doc: string, read: (figures: SinkFigures) => number): void =>
    metrics.level(name, doc, () => record.figures && read(record.figures));
  const count = (name: string, doc: string, read: (figures: SinkFigures) => number): void =>
    metrics.count({ name, doc, labels: [] }, () => [{ labels: {}, value: record.figures === undefined ? 0 : read(record.figures) }]);
  level('pharos_sink_block_number', 'Number of the last block that the event stream has accepted.', ({ number }) => number);
  level('pharos_sink_lag_blocks', 'How many blocks the event stream is behind the chain.', ({ lagBlocks }) => lagBlocks);
  level(
    'pharos_sink_lag_seconds',
    'From the time of its last block to that of the last one that it is to have.',
    ({ lagSeconds }) => lagSeconds,
  );
  level('pharos_sink_working', '1 while the event stream is written, 0 while something prevents that.', ({ problem }) =>
    problem === undefined ? 1 : 0,
  );
  count('pharos_sink_blocks_total', 'Blocks that were written to the event stream.', ({ blocks }) => blocks);
  count('pharos_sink_messages_total', 'Messages that were written to the event stream.', ({ messages }) => messages);
  count('pharos_sink_bytes_total', 'Bytes of these messages, without headers.', ({ bytes }) => bytes);
  count('pharos_sink_retries_total', 'How often the event stream was interrupted and begun again.', ({ retries }) => retries);
}
