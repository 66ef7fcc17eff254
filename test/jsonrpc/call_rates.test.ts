import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallRates } from '../../src/jsonrpc/call_rates.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { sampleDispatcher } from './sample_methods.ts';

test('an address may make two seconds’ worth of calls at once, and earns more with time', () => {
  const clock = new HandClock(0);
  const rates = new CallRates(10, clock);
  assert.equal(rates.take('a', 20), true);
  assert.equal(rates.take('a', 1), false);
  clock.pass(500);
  assert.equal(rates.take('a', 6), false);
  assert.equal(rates.take('a', 5), true);
  clock.pass(1_000_000);
  assert.equal(rates.take('a', 21), false);
  assert.equal(rates.take('a', 20), true);
});

test('addresses do not share what they may do', () => {
  const rates = new CallRates(1, new HandClock(0));
  assert.equal(rates.take('a', 2), true);
  assert.equal(rates.take('a', 1), false);
  assert.equal(rates.take('b', 2), true);
});

test('a rate of 0 is none', () => {
  const rates = new CallRates(0, new HandClock(0));
  assert.equal(rates.isOn, false);
  for (let k = 0; k < 10; k++) assert.equal(rates.take('a', 1_000_000), true);
});

test('elements of a batch count, and whoever asks too often is told', async () => {
  const { dispatcher } = sampleDispatcher({ callsPerSecond: 1 });
  const call = { jsonrpc: '2.0', id: 7, method: 'test_api.echo' };
  const send = async (body: unknown): Promise<unknown> => {
    const answer = await dispatcher.dispatch(Buffer.from(JSON.stringify(body)), undefined, '1.2.3.4');
    assert.ok(typeof answer === 'string');
    return JSON.parse(answer);
  };
  const refusal = {
    code: -32003,
    message: 'this address makes more than 1 calls a second; wait a second',
    data: { limit: 1, code: 10, name: 'rate_exceeded' },
  };
  assert.deepEqual(await send([call, call, call]), { jsonrpc: '2.0', error: refusal, id: null });
  await send([call, call]);
  assert.deepEqual(await send(call), { jsonrpc: '2.0', error: refusal, id: 7 });
});
