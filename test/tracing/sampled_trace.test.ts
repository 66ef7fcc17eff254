import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SampledTrace } from '../../src/tracing/sampled_trace.ts';
import type { Span } from '../../src/tracing/span.ts';

/** A trace whose clock the test sets. */
function traced(): { trace: SampledTrace; pass: (ms: number) => void; spans: Span[] } {
  let nowMs = 1000;
  const spans: Span[] = [];
  const trace = new SampledTrace(
    'broadcast',
    () => nowMs,
    (some) => void spans.push(...some),
  );
  return { trace, spans, pass: (ms) => void (nowMs += ms) };
}

function shown(spans: readonly Span[]): readonly (readonly [string, string, number])[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentId = '', beganMs, endedMs }) => [names.get(parentId) ?? '', name, endedMs - beganMs]);
}

test('a writer that is busy with a block shows as waiting below the writer', () => {
  const { trace, pass, spans } = traced();
  pass(1);
  trace.sent(3);
  pass(2);
  trace.verified(2000);
  pass(400);
  trace.decided(1401, false);
  trace.ended({ blockNumber: 0, refusal: undefined });
  assert.deepEqual(shown(spans), [
    ['broadcast', 'front', 1],
    ['verifier', 'verifier busy', 2],
    ['broadcast', 'verifier', 2],
    ['writer', 'writer busy', 2],
    ['broadcast', 'writer', 400],
    ['', 'broadcast', 403],
  ]);
});

test('a verdict that overtakes the report of the verifier keeps the tree', () => {
  const { trace, pass, spans } = traced();
  trace.sent(1);
  pass(5);
  trace.decided(1004, false);
  pass(1);
  trace.verified(3000);
  pass(10);
  trace.ended({ blockNumber: 7, refusal: undefined });
  assert.deepEqual(
    shown(spans).map(([parent, name]) => `${parent} > ${name}`),
    [
      'broadcast > front',
      'broadcast > verifier',
      'writer > writer busy',
      'broadcast > writer',
      'verifier > verifier busy',
      'broadcast > block',
      ' > broadcast',
    ],
  );
});

test('where the writer verifies, it begins with the transaction when it has', () => {
  const { trace, pass, spans } = traced();
  trace.sent(1);
  pass(5);
  trace.verified(2000, 1003);
  trace.decided(1003, false);
  trace.ended({ blockNumber: 0, refusal: undefined });
  assert.deepEqual(shown(spans), [
    ['broadcast', 'front', 0],
    ['verifier', 'verifier busy', 2],
    ['broadcast', 'verifier', 3],
    ['writer', 'writer busy', 2],
    ['broadcast', 'writer', 2],
    ['', 'broadcast', 5],
  ]);
});

test('a block that is undone gives two blocks and two waits for finality', () => {
  const { trace, pass, spans } = traced();
  trace.sent(1);
  trace.verified(0);
  trace.decided(1000, false);
  pass(3000);
  trace.placed(5);
  pass(1000);
  trace.displaced();
  pass(3000);
  trace.placed(6);
  pass(2000);
  trace.ended({ blockNumber: 6, refusal: undefined });
  const waits = shown(spans).filter(([, name]) => name === 'block' || name === 'final');
  assert.deepEqual(waits, [
    ['broadcast', 'block', 3000],
    ['broadcast', 'final', 1000],
    ['broadcast', 'block', 3000],
    ['broadcast', 'final', 2000],
  ]);
});
