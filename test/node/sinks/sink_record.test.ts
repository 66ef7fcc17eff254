import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../../src/base/metrics.ts';
import { addSinkMetrics } from '../../../src/node/sinks/sink_metrics.ts';
import { SinkRecord } from '../../../src/node/sinks/sink_record.ts';
import type { SinkFigures } from '../../../src/sinks/sink_figures.ts';

const well: SinkFigures = {
  ...{
    number: 9,
    lagBlocks: 0,
    lagSeconds: 0,
    blocks: 9,
    messages: 12,
    operations: 3,
    bytes: 900,
    undone: 0,
    retries: 0,
  },
  ...{ lostMessages: 0, lostSecondsAgo: undefined, standing: undefined, problem: undefined },
};

function sinkProblems(figures: SinkFigures): readonly string[] {
  const record = new SinkRecord('nats://a');
  record.take(figures);
  return record.problems;
}

test('an operator is told why a stream is not written, what it does for long, and what it has lost in the last hour', () => {
  assert.deepEqual(new SinkRecord('nats://a').problems, []);
  assert.deepEqual(sinkProblems(well), []);
  assert.deepEqual(sinkProblems({ ...well, lagBlocks: 4, problem: 'it is full', standing: 'it waits' }), [
    'the event stream (nats://a) is 4 blocks behind: it is full',
  ]);
  assert.deepEqual(sinkProblems({ ...well, standing: 'it takes back blocks' }), [
    'the event stream (nats://a): it takes back blocks',
  ]);
  assert.match(
    sinkProblems({ ...well, lostMessages: 43, lostSecondsAgo: 3599 }).join('\n'),
    /^the event stream \(nats:\/\/a\) lacked 43 messages that its server had acknowledged, 3599 s ago: /,
  );
  assert.deepEqual(sinkProblems({ ...well, lostMessages: 43, lostSecondsAgo: 3600 }), []);
});

test('what a stream has taken back and what it has lost are metrics', async () => {
  const record = new SinkRecord('nats://a');
  record.take({ ...well, undone: 5, lostMessages: 43 });
  const metrics = new Metrics();
  addSinkMetrics(metrics, record);
  const text = await metrics.text();
  assert.match(text, /^pharos_sink_undone_total 5$/m);
  assert.match(text, /^pharos_sink_lost_messages_total 43$/m);
});
