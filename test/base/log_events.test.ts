import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { limitedLog, type LogFields } from '../../src/base/log.ts';
import type { LogEvent } from '../../src/base/log_events/event.ts';
import { logEvents, logEventsBySubject } from '../../src/base/log_events/index.ts';

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('base/log_events/'))
  .map((name) => readFileSync(`${sources}${name}`, 'utf8'));
const declared = Object.entries<LogEvent>(logEvents);

/** A log whose minute passes by hand. */
function handLog(): { log: ReturnType<typeof limitedLog>; lines: LogFields[]; pass: (ms: number) => void } {
  const lines: LogFields[] = [];
  let nowMs = 0;
  const log = limitedLog(
    () => nowMs,
    (level, fields, text) => void lines.push({ level, text, ...fields }),
  );
  return { log, lines, pass: (ms) => void (nowMs += ms) };
}

test('every event is declared once and logged somewhere', () => {
  const count = Object.values(logEventsBySubject).reduce((sum, events) => sum + Object.keys(events).length, 0);
  assert.equal(declared.length, count);
  for (const [name] of declared)
    assert.ok(
      texts.some((text) => text.includes(`'${name}'`)),
      name,
    );
});

test('an event has a stable name, sentences for people, and causes among its fields', () => {
  for (const [name, { level, fields = {}, cause = [], meaning, action }] of declared) {
    assert.match(name, /^[a-z]+(?:_[a-z]+)*$/, name);
    for (const sentence of [meaning, action]) assert.match(sentence, /^[A-Z].*\.$/, name);
    for (const field of cause) assert.ok(field in fields, `${name}: ${field}`);
    for (const field of ['level', 'time', 'thread', 'msg', 'event', 'left_out']) assert.ok(!(field in fields), name);
    if (level === 'error') assert.notEqual(action, 'Nothing.', name);
  }
});

test('the compiler refuses a free text, an undeclared event, another level and other fields', () => {
  const { log, lines } = handLog();
  const calls = (): void => {
    // @ts-expect-error a text alone
    log.warning('a text');
    // @ts-expect-error nobody has declared it
    log.warning('a text', 'no_such_event', {});
    // @ts-expect-error it is a warning
    log.notice('a text', 'machine_busy', { busy_percent: 7 });
    // @ts-expect-error it lacks a field
    log.warning('a text', 'machine_busy', {});
    // @ts-expect-error a field is a number
    log.warning('a text', 'machine_busy', { busy_percent: '7' });
    // @ts-expect-error it has no field
    log.notice('a text', 'no_peers', { block: 7 });
  };
  assert.equal(typeof calls, 'function');
  log.notice('no peers', 'no_peers', {});
  assert.deepEqual(lines, [{ level: 'notice', text: 'no peers', event: 'no_peers' }]);
});

test('a cause is logged once a minute, and the next warning counts the lines that were left out', () => {
  const { log, lines, pass } = handLog();
  for (let second = 0; second < 130; second++) {
    log.warning(`busy for ${second} seconds`, 'machine_busy', { busy_percent: second });
    log.warning(`cannot join`, 'seed_unreachable', { address: second % 2 === 0 ? 'a:1' : 'b:1' });
    pass(1000);
  }
  const ofEvent = (event: string): LogFields[] => lines.filter((line) => line['event'] === event);
  assert.deepEqual(
    ofEvent('machine_busy').map(({ busy_percent, left_out }) => [busy_percent, left_out]),
    [
      [0, undefined],
      [60, 59],
      [120, 59],
    ],
  );
  assert.deepEqual(
    ofEvent('seed_unreachable').map(({ address }) => address),
    ['a:1', 'b:1', 'a:1', 'b:1', 'a:1', 'b:1'],
  );
});

test('lines that name no cause are told apart by their texts and by the fields that are texts', () => {
  const { log, lines } = handLog();
  for (const block of [1, 2, 2]) log.notice(`blocks come again ${block}`, 'head_fresh', { block });
  assert.deepEqual(
    lines.map(({ block }) => block),
    [1, 2],
  );
  const { log: index, lines: waits } = handLog();
  for (const error of ['no database', 'no node', 'no node'])
    index.warning('interrupted', 'index_interrupted', { error });
  assert.deepEqual(
    waits.map(({ error }) => error),
    ['no database', 'no node'],
  );
});
