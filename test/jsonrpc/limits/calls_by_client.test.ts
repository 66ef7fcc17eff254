import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownProcess, type RequestSource } from '../../../src/jsonrpc/limits/request_source.ts';
import { CallsByClient } from '../../../src/jsonrpc/limits/calls_by_client.ts';
import { Dispatcher } from '../../../src/jsonrpc/dispatcher.ts';
import { defaultLimits } from '../../../src/jsonrpc/limits/limits.ts';
import { makeHost } from '../../../src/rpc/host.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { emptyChain } from '../../rpc/empty_chain.ts';
import { sampleMethods } from '../sample_methods.ts';

const from = (address: string): RequestSource => ({ ...ownProcess, address, isLocal: false });

function call(clients: CallsByClient, address: string, weight: number): void {
  const tally = clients.of(address);
  tally.calls++;
  tally.weight += weight;
}

test('clients are told by what they asked for in the last minute, and of the minute before as much as is less than a minute ago', () => {
  const clock = new HandClock(0);
  const clients = new CallsByClient(clock);
  for (let k = 0; k < 40; k++) call(clients, 'a', 1);
  call(clients, 'b', 1000);
  clock.pass(75_000);
  call(clients, 'c', 5);
  assert.deepEqual(clients.busiest(2), {
    clients: [
      { address: 'b', calls: 1, weight: 750, refused: 0 },
      { address: 'a', calls: 30, weight: 30, refused: 0 },
    ],
    weight: 785,
  });
  clock.pass(120_000);
  assert.deepEqual(clients.busiest(2), { clients: [], weight: 0 });
});

test('answers that are known are counted by sample, of clients who call by turns alike', () => {
  const clients = new CallsByClient(new HandClock(0));
  for (let k = 0; k < 17_000; k++) clients.repeated(from(k % 2 === 0 ? 'a' : 'b'), 1);
  assert.deepEqual(
    clients.busiest(5).clients.map(({ calls }) => calls),
    [8500, 8500],
  );
});

test('a flood from ever new addresses does not hide who goes on calling, and takes a bounded memory', () => {
  const clients = new CallsByClient(new HandClock(0));
  for (let k = 0; k < 20_000; k++) {
    call(clients, `10.0.${k >> 8}.${k & 255}`, 1);
    if (k % 10 === 0) call(clients, 'greedy', 1);
  }
  const { clients: busiest, weight } = clients.busiest(1);
  assert.deepEqual(busiest, [{ address: 'greedy', calls: 2000, weight: 2000, refused: 0 }]);
  assert.equal(weight, 2000 + 4095);
});

test('a dispatcher counts single calls, those of a batch by what they weigh, what is no call, and what goes beyond the limit', async () => {
  const clients = new CallsByClient(new HandClock(0));
  const services = {
    ...emptyChain(),
    clock: new HandClock(0),
    report: (error: unknown) => assert.fail(String(error)),
  };
  const host = makeHost(services, 'never');
  const limits = { ...defaultLimits, callsPerSecond: 5 };
  const dispatcher = new Dispatcher({ methods: sampleMethods, host, limits, bareNamesOf: 'alexandria_api', clients });
  const one = { jsonrpc: '2.0', id: 1, method: 'test_api.add', params: { left: 1 } };
  await dispatcher.dispatch(Buffer.from(JSON.stringify(one)), from('modest'));
  await dispatcher.dispatch(Buffer.from('no call'), from('modest'));
  const many = Array.from({ length: 20 }, (_, id) => ({ ...one, id }));
  await dispatcher.dispatch(Buffer.from(JSON.stringify(many)), from('greedy'));
  const [greedy, modest] = clients.busiest(5).clients;
  assert.deepEqual(greedy, { address: 'greedy', calls: 20, weight: 10, refused: 10 });
  assert.deepEqual(modest, { address: 'modest', calls: 2, weight: 1, refused: 0 });
  assert.equal(clients.refused, 10);
});
