import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { OtlpExporter } from '../../src/tracing/otlp_exporter.ts';
import { newSpanId, newTraceId, type Span } from '../../src/tracing/span.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { waitUntil } from '../outside/wait_until.ts';

/** A busy machine may hold up this process. */
const PATIENT_MS = 60_000;

function makeSpans(count: number): Span[] {
  return Array.from({ length: count }, () => ({
    ...{ traceId: newTraceId(), spanId: newSpanId(), parentId: undefined, name: 'a', beganMs: 1, endedMs: 2 },
    attributes: {},
  }));
}

test('a collector that stands still gets one request at a time, and what does not fit meanwhile is counted as lost', async () => {
  const held: ServerResponse[] = [];
  let [spansSent, isHolding] = [0, true];
  const collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      spansSent += body.split('"traceId"').length - 1;
      if (isHolding) held.push(response);
      else response.end();
    });
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  const clock = new HandClock(0);
  let lost = 0;
  const exporter = new OtlpExporter({
    ...{ endpoint: `http://127.0.0.1:${port}/v1/traces`, instance: 'one', clock, answerMs: PATIENT_MS },
    failed: (_, count) => (lost += count),
  });
  for (let second = 0; second < 20; second++) {
    exporter.add(makeSpans(1000));
    clock.pass(1000);
    if (second === 0) await waitUntil('a request', () => held.length > 0 || undefined);
  }
  assert.equal(held.length, 1);
  isHolding = false;
  held[0]?.end();
  await exporter.stop();
  assert.deepEqual([spansSent, lost], [3000, 17_000]);
  collector.close();
});

test('spans that a collector refuses within a good answer are told as lost, and an answer that is no JSON is none', async () => {
  const answers = [
    '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}',
    '{"partialSuccess":{"rejectedSpans":1}}',
    '{"partialSuccess":{}}',
    '{}',
    '<p>thanks</p>',
    '',
  ];
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end(answers.shift()));
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  const told: (readonly [reason: string, lost: number])[] = [];
  const exporter = new OtlpExporter({
    ...{
      endpoint: `http://127.0.0.1:${port}/v1/traces`,
      instance: 'one',
      clock: new HandClock(0),
      answerMs: PATIENT_MS,
    },
    failed: (reason, lost) => void told.push([reason, lost]),
  });
  while (answers.length > 0) {
    exporter.add(makeSpans(3));
    await exporter.stop();
  }
  assert.deepEqual(told, [
    ['the collector refuses spans: too old', 2],
    ['the collector refuses spans', 1],
  ]);
  collector.close();
});
