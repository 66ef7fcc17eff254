import type { Metrics, Watched } from '../../base/metrics.ts';
import type { SinkFigures } from '../../sinks/sink_figures.ts';
import type { SinkRecord } from './sink_record.ts';

/** Metrics on what leaves the node as a stream. */
export function addSinkMetrics(metrics: Metrics, record: SinkRecord): void {
  const level = (name: string, doc: string, read: (figures: SinkFigures) => number, watched?: Watched): void =>
    metrics.level(name, doc, () => record.figures && read(record.figures), watched);
  const count = (name: string, doc: string, read: (figures: SinkFigures) => number, watched?: Watched): void =>
    metrics.count({ name, doc, labels: [], ...watched }, () => [
      { labels: {}, value: record.figures === undefined ? 0 : read(record.figures) },
    ]);
  level(
    'pharos_sink_block_number',
    'Number of the last block that the event stream has accepted.',
    ({ number }) => number,
  );
  level(
    'pharos_sink_lag_blocks',
    'How many blocks the last one of the event stream and the head of the chain are apart.',
    ({ lagBlocks }) => lagBlocks,
    { row: 'Does the event stream keep up?' },
  );
  level(
    'pharos_sink_lag_seconds',
    'From the time of its last block to that of the last one that it is to have.',
    ({ lagSeconds }) => lagSeconds,
    {
      row: 'Does the event stream keep up?',
      alerts: [
        {
          alert: 'PharosSinkBehind',
          expr: 'pharos_sink_lag_seconds > 300 or pharos_sink_working == 0',
          for: '10m',
          severity: 'warning',
          summary: 'the event stream is behind, or takes nothing',
          page: 'event_server',
        },
      ],
    },
  );
  level('pharos_sink_working', '1 while the event stream is written, 0 while something prevents that.', ({ problem }) =>
    problem === undefined ? 1 : 0,
  );
  count('pharos_sink_blocks_total', 'Blocks that were written to the event stream.', ({ blocks }) => blocks);
  count('pharos_sink_messages_total', 'Messages that were written to the event stream.', ({ messages }) => messages, {
    row: 'Does the event stream keep up?',
  });
  count('pharos_sink_bytes_total', 'Bytes of these messages, without headers.', ({ bytes }) => bytes);
  count('pharos_sink_undone_total', 'Blocks that were taken back in the event stream.', ({ undone }) => undone, {
    row: 'Does the event stream keep up?',
  });
  count(
    'pharos_sink_lost_messages_total',
    'Messages that the NATS server had acknowledged and the event stream did not have later.',
    ({ lostMessages }) => lostMessages,
    {
      row: 'Does the event stream keep up?',
      alerts: [
        {
          alert: 'PharosSinkLost',
          expr: 'increase(pharos_sink_lost_messages_total[1h]) > 0',
          for: '0m',
          severity: 'warning',
          summary:
            'the event stream lacked messages that the NATS server had acknowledged: readers may have counted blocks twice',
          page: 'event_server',
        },
      ],
    },
  );
  count(
    'pharos_sink_retries_total',
    'How often the event stream was interrupted and begun again.',
    ({ retries }) => retries,
    {
      row: 'Does the event stream keep up?',
    },
  );
}
