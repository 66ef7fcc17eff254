import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { catchRefusal } from '../../src/base/refusal.ts';
import { ownProcess } from '../../src/jsonrpc/limits/request_source.ts';
import { ConnectionLimiter } from '../../src/jsonrpc/http/connection_limiter.ts';
import { ReceivedBytes } from '../../src/jsonrpc/http/received_bytes.ts';
import { UnsentBytes } from '../../src/jsonrpc/http/unsent_bytes.ts';
import { defaultLimits, shares, type Limits } from '../../src/jsonrpc/limits/limits.ts';
import { addressHolder, SharedSum } from '../../src/jsonrpc/limits/shared_sum.ts';
import { limitOptions } from '../../src/settings/limit_options.ts';
import { SubscriptionCounts } from '../../src/notices/subscription_counts.ts';
import { ConnectedSubscriber } from '../notices/connected_subscriber.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { sampleDispatcher } from './sample_methods.ts';

/** Limits on one request, one connection or one address. Everything else is a sum of all clients. */
const OF_ONE: ReadonlySet<string> = new Set<keyof Limits>([
  ...(['headBytes', 'bodyBytes', 'answerBytes', 'batchElements', 'batchWeight', 'jsonDepth', 'idBytes'] as const),
  ...(['callDeadlineMs', 'waitDeadlineMs', 'bodyDeadlineMs', 'idleMs', 'answerDeadlineMs', 'stalledMs'] as const),
  ...(['callsPerSocket', 'unsentBytes', 'subscriptionsPerSocket'] as const),
  ...(['callsPerSecond', 'countsLocalCalls'] as const),
  ...Object.values(shares),
]);

test('each limit on all clients together has a share for each address', () => {
  for (const limit of Object.keys(defaultLimits))
    assert.ok(OF_ONE.has(limit) || limit in shares, `${limit} is a sum without a share`);
  for (const { limit, doc } of Object.values(limitOptions))
    if (/everybody together/.test(doc))
      assert.ok(limit in shares, `${limit} is of everybody together and has no share`);
  for (const [sum, share] of Object.entries(shares)) {
    const inAll = Reflect.get(defaultLimits, sum);
    assert.ok(typeof inAll === 'number' && defaultLimits[share] < inAll, `${share} is a part of ${sum}`);
  }
});

/** Takes one unit of a sum for an address, through the part of the node that counts it; false when it is refused. */
type Taker = (address: string) => boolean | Promise<boolean>;

const takers: Readonly<Record<keyof typeof shares, () => { readonly take: Taker; readonly unit: number }>> = {
  connections() {
    const limiter = new ConnectionLimiter(defaultLimits.connectionsPerAddress, defaultLimits.connections);
    return { take: (address) => limiter.enter(address), unit: 1 };
  },
  receivedBytesInAll() {
    const unit = 256 * 1024;
    const received = new ReceivedBytes(defaultLimits);
    return { take: (address) => received.take(address, unit), unit };
  },
  unsentBytesInAll() {
    const unit = 256 * 1024;
    const unsent = new UnsentBytes(defaultLimits);
    return { take: (address) => unsent.change(address, 0, unit), unit };
  },
  subscriptions() {
    const counts = new SubscriptionCounts({ ...defaultLimits, subscriptionsPerSocket: 1 });
    return { take: (address) => catchRefusal(() => counts.add(new Reader(address))) === undefined, unit: 1 };
  },
  requestsInFlight: () => takerOfCalls('{"jsonrpc":"2.0","id":1,"method":"test_api.wait","params":{"forever":true}}'),
  verifierCalls: () => takerOfCalls('{"jsonrpc":"2.0","id":1,"method":"test_api.verify"}'),
};

/** Takes a place for a call that is never answered. */
function takerOfCalls(call: string): { readonly take: Taker; readonly unit: number } {
  const { dispatcher } = sampleDispatcher({}, { clock: new HandClock(1000) });
  return {
    take: (address) => dispatcher.dispatch(Buffer.from(call), { ...ownProcess, address }) instanceof Promise,
    unit: 1,
  };
}

class Reader extends ConnectedSubscriber {
  constructor(address: string) {
    super();
    this.address = address;
  }

  push(): boolean {
    return true;
  }
}

describe('whoever takes all that it can leaves others theirs:', () => {
  for (const [sum, make] of Object.entries(takers)) {
    test(sum, async () => {
      const { take, unit } = make();
      const share = Reflect.get(defaultLimits, Reflect.get(shares, sum));
      const inAll = Reflect.get(defaultLimits, sum);
      assert.ok(typeof share === 'number' && typeof inAll === 'number');
      const takeAll = async (address: string): Promise<number> => {
        for (let taken = 0; ; taken++) if (!(await take(address))) return taken * unit;
      };
      assert.equal(await takeAll('192.0.2.1'), share, 'one address has its share');
      assert.ok(await take('192.0.2.2'), 'another has its own');
      let greedy = 0;
      for (let number = 3; number < 40; number++) greedy += await takeAll(`192.0.2.${number}`);
      assert.ok(greedy + share < inAll, 'many together leave the reserve');
      assert.ok(await take('198.51.100.1'), 'who has nothing yet gets something of it');
    });
  }
});

test('what is given back can be taken again, and nothing is counted for an address that holds nothing', () => {
  const sum = new SharedSum({ inAll: 1000, perAddress: 400 });
  for (let round = 0; round < 3; round++) {
    assert.ok(sum.take('a', 400) && !sum.take('a', 1) && sum.take('b', 400));
    assert.equal(sum.limitFor('c', 200), 875);
    sum.change('a', -400);
    sum.change('b', -400);
    assert.equal(sum.all, 0);
  }
});

test('an IPv6 address stands for its network of 64 bits, however it is written, an IPv4 address for itself', () => {
  const same = ['2001:db8:1:2::1', '2001:0db8:0001:0002:0000:0000:0000:00ff', '2001:DB8:1:2:a:b:c:d'];
  assert.equal(new Set(same.map(addressHolder)).size, 1);
  assert.notEqual(addressHolder('2001:db8:1:3::1'), addressHolder('2001:db8:1:2::1'));
  assert.equal(addressHolder('::1'), '0:0:0:0');
  assert.equal(addressHolder('2001:db8::'), '2001:db8:0:0');
  assert.deepEqual(['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7', ''].map(addressHolder), [
    '192.0.2.7',
    '192.0.2.7',
    '192.0.2.7',
    '',
  ]);
});
