import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastHour } from '../../../src/node/http/last_hour.ts';
import { MethodTimes } from '../../../src/jsonrpc/limits/method_times.ts';
import { HandClock } from '../../builders/hand_clock.ts';

const PATH = '/node/last_hour.json';
const requestSource = { accept: '', acceptEncoding: '', ifNoneMatch: '', address: '127.0.0.1', isLocal: true };

function makeHour(clock: HandClock): { readonly hour: LastHour; readonly times: MethodTimes } {
  const times = new MethodTimes();
  const parts = {
    clock,
    times,
    broadcasts: { size: 3 },
    headAgeSeconds: () => 1.234,
    filledSlots: () => 51,
    peers: () => 2,
  };
  return { hour: new LastHour(parts), times };
}

function readFigures(hour: LastHour): Readonly<Record<string, readonly number[]>> {
  const page = hour.page(PATH, requestSource, () => '{"status":"ready"}');
  assert.equal(page?.status, 200);
  const { every_seconds: every, standing, figures } = JSON.parse(String(page.body));
  assert.deepEqual([every, standing], [15, { status: 'ready' }]);
  return figures;
}

test('a sample is taken each 15 seconds, and an hour of them is kept', () => {
  const clock = new HandClock(1_000_000);
  const { hour, times } = makeHour(clock);
  assert.deepEqual(readFigures(hour)['peers'], []);
  for (let call = 0; call < 30; call++) times.answered('a.b', 1, false);
  times.repeated('a.b');
  clock.pass(15_000);
  clock.pass(15_000);
  const figures = readFigures(hour);
  assert.deepEqual(figures['calls_per_second'], [2.07, 0]);
  assert.deepEqual(
    [figures['peers'], figures['filled_slots'], figures['broadcasts_waiting']],
    [
      [2, 2],
      [51, 51],
      [3, 3],
    ],
  );
  assert.deepEqual(figures['head_age_seconds'], [1.23, 1.23]);
  assert.ok(figures['memory_mib']?.every((mebibytes) => mebibytes > 10));
  assert.ok(figures['cpu_percent']?.every((percent) => percent >= 0));
  clock.pass(2 * 3_600_000);
  for (const values of Object.values(readFigures(hour))) assert.equal(values.length, 240);
});

test('clients of other machines are told nothing but why', () => {
  const { hour } = makeHour(new HandClock(0));
  const page = hour.page(PATH, { ...requestSource, isLocal: false }, () => assert.fail());
  assert.equal(page?.status, 403);
  assert.match(String(page.body), /its own machine/);
  assert.equal(
    hour.page('/node', requestSource, () => assert.fail()),
    undefined,
  );
});

test('nothing is sampled once it has stopped', () => {
  const clock = new HandClock(0);
  const { hour } = makeHour(clock);
  hour.stop();
  clock.pass(60_000);
  assert.deepEqual(readFigures(hour)['peers'], []);
});
