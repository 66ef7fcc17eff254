import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRepeatable } from '../../src/client/call_limits.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { ownProcess } from '../../src/jsonrpc/limits/request_source.ts';
import { Dispatcher } from '../../src/jsonrpc/dispatcher.ts';
import { defaultLimits } from '../../src/jsonrpc/limits/limits.ts';
import type { Method } from '../../src/rpc/method.ts';
import type { VerifierCall } from '../../src/rpc/services.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { HandClock } from '../builders/hand_clock.ts';

const methods = listMethods(profileNamed('default'), { debug: true, network: true, production: true, snapshots: true });
const waiting = [...methods.values()].filter(({ run }) => run.kind !== 'read');

/** A method as it is declared, whose work never ends. */
function endless(method: Method): Method {
  const never = async (): Promise<never> => await new Promise(() => undefined);
  return {
    ...method,
    run: method.run.kind === 'hand_on' ? { kind: 'hand_on', answer: never } : { kind: 'wait', answer: never },
  };
}

/** Returns the error for a call whose work doesn't end, after this delay; undefined for none. */
async function errorWithinDelay(method: Method, afterMs: number): Promise<string | undefined> {
  const clock = new HandClock(0);
  const host = {
    clock,
    contextOf: () => Object.create(null) as VerifierCall,
    withSubscriber: (call: VerifierCall) => call,
    privateKeyMethods: 'always',
    paramsBytes: Infinity,
    speaksLineage: () => false,
    report: () => assert.fail('a report'),
  } as const;
  const dispatcher = new Dispatcher<VerifierCall>({
    methods: new Map([[method.name, endless(method)]]),
    host,
    limits: defaultLimits,
    bareNamesOf: '',
  });
  const body = writeJson({ jsonrpc: '2.0', id: 1, method: method.name, params: method.example.params });
  let told: string | undefined;
  void Promise.resolve(dispatcher.dispatch(Buffer.from(body), ownProcess)).then(
    (answer) => (told = answer?.toString()),
  );
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  clock.pass(afterMs);
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  return told;
}

const A_DAY_MS = 86_400_000;

test('whatever changes something has no deadline, and is never to be tried again', async () => {
  for (const method of waiting.filter(({ changes }) => changes === true))
    assert.equal(await errorWithinDelay(method, A_DAY_MS), undefined, method.name);
});

test('a transaction that waits for an hour is said to wait still, and what to do repeats nothing', async () => {
  const sending = waiting.filter(({ run }) => run.kind === 'hand_on');
  assert.ok(sending.length > 0);
  for (const method of sending) {
    assert.equal(await errorWithinDelay(method, defaultLimits.waitDeadlineMs - 1), undefined);
    assert.match((await errorWithinDelay(method, defaultLimits.waitDeadlineMs)) ?? '', /"still_waiting"/, method.name);
  }
});

test('whatever only reads has a deadline', async () => {
  const reading = waiting.filter(({ run, changes }) => run.kind === 'wait' && changes === false);
  assert.ok(reading.length > 5);
  for (const method of reading)
    assert.match(
      (await errorWithinDelay(method, defaultLimits.callDeadlineMs)) ?? '',
      /"no_answer_in_time"/,
      method.name,
    );
});

const READING = /^(?:[a-z_]+\.)?(?:get|check|verify|find|list|lookup)_/;

test('what a method is called says whether it changes something, and the client repeats none that does', () => {
  for (const { name, run, changes } of waiting) {
    const isChanging = run.kind === 'hand_on' || changes === true;
    assert.equal(isChanging, !READING.test(name), name);
    assert.equal(isRepeatable(name), !isChanging, name);
  }
  for (const { name, run } of methods.values()) if (run.kind === 'read') assert.ok(isRepeatable(name), name);
});
