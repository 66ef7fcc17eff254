import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FailureLines } from '../../src/base/failure_lines.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { sampleDispatcher } from '../jsonrpc/sample_methods.ts';

/** Records the written lines while a test moves the time. */
function opened(): { clock: HandClock; lines: string[]; stacks: string[]; failures: FailureLines } {
  const clock = new HandClock(1_000_000);
  const [lines, stacks]: [string[], string[]] = [[], []];
  const failures = new FailureLines({
    clock,
    write(line, stack) {
      lines.push(line);
      if (stack !== undefined) stacks.push(stack);
    },
  });
  return { clock, lines, stacks, failures };
}

/** Sums the failures that the lines stand for. */
function sumCounts(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Number(/: (\d+) more/.exec(line)?.[1] ?? 1), 0);
}

test('a method that fails is called a thousand times: the operator reads a line a minute, with the method and how many were left out', async () => {
  const { clock, lines, stacks, failures } = opened();
  const { dispatcher } = sampleDispatcher({}, { report: (error, method) => failures.report(error, method) });
  for (let k = 0; k < 1000; k++) {
    const answer = await dispatcher.dispatch(Buffer.from(`{"jsonrpc":"2.0","id":${k},"method":"test_api.mistake"}`));
    assert.match(answer?.toString() ?? '', /"code":-32603/);
    if (k % 100 === 99) clock.pass(15_000);
  }
  clock.pass(300_000);
  assert.ok(lines.length <= 5, lines.join('\n'));
  assert.equal(sumCounts(lines), 1000);
  for (const line of lines) {
    assert.match(line, /^test_api\.mistake: .*AssertionFailure.* at .*sample_methods/);
    assert.ok(!line.includes('\n') && line.length < 500, line);
  }
  assert.equal(stacks.length, 1, 'where it happened is written once');
  assert.match(stacks[0] ?? '', /a secret of the inside\n +at/);
});

test('a failure after a silence is written at once, one of another method too', () => {
  const { clock, lines, failures } = opened();
  const fail = (method: string): void => failures.report(new RangeError('out of range'), method);
  fail('a.a');
  fail('a.b');
  assert.equal(lines.length, 2);
  clock.pass(60_000);
  fail('a.a');
  assert.equal(lines.length, 3);
  fail('a.a');
  clock.pass(600_000);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 11)),
    ['a.a: RangeE', 'a.b: RangeE', 'a.a: RangeE', 'a.a: 1 more'],
  );
});

test('each kind of failure shows its stack once, however many messages it has, and what is no error has none', () => {
  const { clock, stacks, lines, failures } = opened();
  for (let k = 0; k < 500; k++) {
    failures.report(
      k % 2 === 0 ? new TypeError(`of one kind ${k}\n`.repeat(50)) : new TypeError('of another kind'),
      'a.a',
    );
    clock.pass(120_000);
  }
  failures.report('thrown as a text', 'a.a');
  assert.equal(stacks.length, 2);
  assert.equal(lines.at(-1), 'a.a: thrown as a text');
  assert.ok(lines.every((line) => line.length < 500 && !line.includes('\n')));
});

test('failures of ever other places in a program are not remembered without end', () => {
  const { clock, stacks, failures } = opened();
  for (let k = 0; k < 300; k++) {
    const error = new Error('x');
    error.stack = `Error: x\n    at place${k} (file.js:${k}:1)`;
    failures.report(error, 'a.a');
    clock.pass(120_000);
  }
  assert.equal(stacks.length, 100);
});
