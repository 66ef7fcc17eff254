import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TransactionOutcome } from '../../../src/p2p/environment/chain_access.ts';
import { bundle } from '../../../src/wire/messages/bundle.ts';
import { ArrivingTransactions } from '../../../src/p2p/transactions/arriving_transactions.ts';
import { NetworkCounts } from '../../../src/p2p/peers/network_counts.ts';
import { Score, type Offence } from '../../../src/p2p/peers/score.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { TransactionRelay } from '../../../src/p2p/transactions/transaction_relay.ts';
import { NULL_KEY } from '../../../src/values/public_key.ts';
import { makeNodeId } from '../../builders/pipes.ts';
import { House } from '../house.ts';

const TEN_MINUTES = 600_000;

/** With which of them a peer goes, all at once, and whether it is banned then. */
const ends: Readonly<Record<Exclude<Offence, 'timeout'>, readonly [number, boolean]>> = {
  malformed: [1, true],
  lie: [1, true],
  doubtful_block: [2, false],
  body_unasked: [5, false],
  announced_in_vain: [10, false],
  forged_transaction: [20, false],
  wrong_hint: [20, false],
};

const isOffence = (name: string): name is keyof typeof ends => name in ends;

for (const offence of Object.keys(ends).filter(isOffence)) {
  const [most, isBanned] = ends[offence];
  test(`whoever has done a ${offence} goes with number ${most} and is ${isBanned ? 'banned' : 'not banned'}`, () => {
    const house = new House();
    assert(house.comes('peer', '1.2.3.4'));
    const [peer = assert.fail()] = house.joined;
    let done = 0;
    while (peer.isLive) {
      peer.offend(offence, 'a mistake');
      done++;
    }
    assert.equal(done, most);
    for (const key of [makeNodeId('peer'), '1.2.3.4'])
      assert.equal(house.connections.bans.has(key, house.clock.nowMs()), isBanned);
    assert.equal(house.comes('peer', '1.2.3.4'), !isBanned);
  });
}

test('timeouts count once in ten seconds, and points are forgotten meanwhile: only the seventy-fourth in a row costs a place', () => {
  const house = new House();
  assert(house.comes('peer', '1.2.3.4'));
  const [peer = assert.fail()] = house.joined;
  let done = 0;
  while (peer.isLive) {
    for (let all = 0; all < 10; all++) peer.offend('timeout', 'late');
    done++;
    house.clock.pass(9999);
    peer.offend('timeout', 'late again');
    house.clock.pass(1);
  }
  assert.equal(done, 74);
});

test('who delivers blocks first earns a point each, twenty at most, and they are forgotten like all others', () => {
  const score = new Score(0);
  for (let block = 1; block <= 30; block++) {
    score.earn(0);
    assert.equal(score.at(0), Math.min(block, 20));
  }
  assert.equal(score.at(TEN_MINUTES), 10);
  // Good deeds buy no lie.
  score.offend('lie', TEN_MINUTES);
  assert(score.at(TEN_MINUTES) < -80);
});

/** A relay whose chain finds the same out about every transaction, and a peer that sends it bundles of so many. */
function makeBundles(size: number, found: TransactionOutcome): { readonly house: House; readonly send: () => void } {
  const house = new House();
  assert(house.comes('peer', '1.2.3.4'));
  const relay = new TransactionRelay({
    environment: {
      ...house.environment,
      intake: {
        ...house.environment.intake,
        submitTransactions: ({ transactions }, done) => done(transactions.map(() => found)),
      },
    },
    ...{
      live: () => house.connections.live,
      router: house.router,
      turns: house.turns,
      pool: new TransactionPool(2 ** 20, house.environment.randomSource),
      isBehind: () => false,
    },
    ...{
      arriving: new ArrivingTransactions(house.environment.clock, house.environment.randomSource),
      takesTransactions: true,
      counts: new NetworkCounts(),
      poolBytes: 2 ** 20,
    },
  });
  let number = 0;
  const send = (): void => {
    const items = Array.from({ length: size }, (_, index) => {
      const packed = Buffer.from(`${number} ${index}`);
      return { key: NULL_KEY, unsignedBytes: packed.length, packed };
    });
    number++;
    house.says('peer', bundle, items);
  };
  assert.equal(relay.submittedBytes, 0);
  return { house, send };
}

for (const [what, found] of [
  ['that nobody can have signed', { outcome: 'forged', isHintRight: true }],
  ['that nobody can have signed, with a key besides', { outcome: 'forged', isHintRight: false }],
  ['with keys that have not signed them', { outcome: 'accepted', isHintRight: false }],
] as const) {
  test(`a bundle of a hundred transactions ${what} costs half of a place, a second one the rest`, () => {
    const { house, send } = makeBundles(100, found);
    const [peer = assert.fail()] = house.joined;
    send();
    assert.equal(Math.round(peer.score.at(house.clock.elapsedMs())), -50);
    assert(peer.isLive);
    send();
    assert(!peer.isLive);
    assert(!house.connections.isBanned(peer.id));
  });
}

for (const outcome of ['accepted', 'known', 'refused'] as const) {
  test(`a bundle of a hundred transactions that are ${outcome} costs nothing`, () => {
    const { house, send } = makeBundles(100, { outcome, isHintRight: true });
    for (let count = 0; count < 10; count++) send();
    const [peer = assert.fail()] = house.joined;
    assert.equal(peer.score.at(house.clock.elapsedMs()), 0);
    assert(peer.isLive);
  });
}
