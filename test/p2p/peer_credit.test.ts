import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodeFrame } from '../../src/p2p/frame.ts';
import { genesisRequest } from '../../src/p2p/messages/genesis_request.ts';
import { messageKinds } from '../../src/p2p/messages/index.ts';
import { peersRequest } from '../../src/p2p/messages/peers_request.ts';
import { ping } from '../../src/p2p/messages/ping.ts';
import { pong } from '../../src/p2p/messages/pong.ts';
import { usualWorkLimits } from '../../src/p2p/network_settings.ts';
import { PeerCredit, workBudgets, type WorkBudgets } from '../../src/p2p/peer_credit.ts';
import { SpareTime } from '../../src/p2p/spare_time.ts';
import { WorkPrices } from '../../src/p2p/work_prices.ts';
import { House } from './house.ts';

const MIB = 1024 * 1024;

const budgets = (): WorkBudgets => workBudgets(usualWorkLimits, {}, 0);

/** How much of something is done from one moment to another, if each time takes so long and there is always more to do. */
function done(untilMs: number, eachMs: number, waitMs: (nowMs: number) => number, owe: (ms: number, nowMs: number) => void): number {
  let spent = 0;
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1) {
    while (waitMs(nowMs) === 0) {
      owe(eachMs, nowMs);
      spent += eachMs;
    }
  }
  return spent;
}

test('one peer alone costs at most a fiftieth of the thread by what it sends, and a twentieth by what it asks', () => {
  const credit = new PeerCredit(budgets(), '1.2.3', 0);
  const sent = done(
    10_000,
    0.5,
    (nowMs) => credit.readingWaitMs(nowMs),
    (ms, nowMs) => credit.chargeFrame(ms, nowMs),
  );
  const asked = done(
    10_000,
    0.5,
    (nowMs) => credit.answeringWaitMs(0, nowMs),
    (ms, nowMs) => credit.chargeAnswer(ms, nowMs),
  );
  assert.ok(sent > 190 && sent < 220, `${sent} ms of 10 s`);
  assert.ok(asked > 480 && asked < 540, `${asked} ms of 10 s`);
});

test('all strangers together cost a tenth, of which each group of addresses has an equal part, and who does little never waits', () => {
  const all = budgets();
  // Eight in one group, sixteen in groups of their own.
  const strangers = Array.from({ length: 24 }, (_, index) => new PeerCredit(all, index < 8 ? '1.1.1' : `2.2.${index}`, 0));
  const honest = new PeerCredit(all, '3.3.3', 0);
  const spent = strangers.map(() => 0);
  let waited = 0;
  for (let nowMs = 0; nowMs < 20_000; nowMs++) {
    if (nowMs % 500 === 0) {
      if (honest.readingWaitMs(nowMs) > 0) waited++;
      honest.chargeFrame(1, nowMs);
    }
    for (const [index, stranger] of strangers.entries()) {
      if (stranger.readingWaitMs(nowMs) > 0) continue;
      stranger.chargeFrame(0.2, nowMs);
      spent[index] = (spent[index] ?? 0) + 0.2;
    }
  }
  const sum = (some: readonly number[]): number => some.reduce((one, other) => one + other, 0);
  assert.ok(sum(spent) < 20 * 110 && sum(spent) > 20 * 80, `${sum(spent)} ms of 20 s`);
  const [together, alone] = [sum(spent.slice(0, 8)), sum(spent.slice(8)) / 16];
  assert.ok(together < 2 * alone && together > alone / 2, `${together} ms of the group of eight, ${alone} of each other`);
  assert.equal(waited, 0);
});

test('whom the operator has chosen takes nothing of what strangers have', () => {
  const all = budgets();
  const [chosen, stranger] = [new PeerCredit(all, undefined, 0), new PeerCredit(all, '1.2.3', 0)];
  chosen.chargeFrame(240, 0);
  assert.equal(chosen.readingWaitMs(0), 0);
  stranger.chargeFrame(9, 0);
  assert.equal(stranger.readingWaitMs(0), 0);
  stranger.chargeFrame(2, 0);
  assert.ok(stranger.readingWaitMs(0) > 0);
});

test('what is gone leaves its part to the others', () => {
  const all = budgets();
  const gone = Array.from({ length: 50 }, (_, index) => new PeerCredit(all, `9.9.${index}`, 0));
  for (const one of gone) one.close();
  const [first, second] = [new PeerCredit(all, '1.1.1', 0), new PeerCredit(all, '2.2.2', 0)];
  for (const credit of [first, second]) {
    const spent = done(
      1000,
      0.5,
      (nowMs) => credit.answeringWaitMs(0, nowMs),
      (ms, nowMs) => credit.chargeAnswer(ms, nowMs),
    );
    assert.ok(spent > 70, `${spent} ms`);
  }
});

test('of bundles, asked for or not, eight MiB are taken at once and two MiB a second; what the chain takes is given back', () => {
  const credit = new PeerCredit(budgets(), '1.2.3', 0);
  const taken = (nowMs: number): number => {
    let count = 0;
    while (credit.takeBundle(MIB / 4, nowMs)) count++;
    return count;
  };
  assert.deepEqual([taken(0), taken(1000)], [4 * 8, 4 * 2]);
  credit.oweBundle(-MIB, 1000);
  assert.equal(taken(1000), 4);
});

test('who brings transactions that the chain refuses brings no more until their price is worked off', () => {
  const credit = new PeerCredit(budgets(), '1.2.3', 0);
  assert.ok(credit.takeBundle(1000, 0));
  credit.chargeRefused(1024, 0);
  assert.ok(!credit.takeBundle(1000, 4000));
  assert.ok(credit.takeBundle(1000, 5000));
});

test('a price is learned of what messages took, and one that took long moves it little', () => {
  const prices = new WorkPrices({}, new SpareTime(0));
  const [kind = assert.fail()] = Object.values(messageKinds);
  assert.equal(prices.of(kind), kind.price.firstMs);
  for (let count = 0; count < 100; count++) prices.learn(kind, 2);
  assert.ok(Math.abs(prices.of(kind) - 2) < 0.001);
  prices.learn(kind, 12);
  assert.ok(Math.abs(prices.of(kind) - 3) < 0.001);
});

test('a status more than one a second is no news', () => {
  const credit = new PeerCredit(budgets(), '1.2.3', 0);
  let taken = 0;
  while (credit.takeStatus(0)) taken++;
  assert.equal(taken, 60);
  assert.ok(credit.takeStatus(1000) && !credit.takeStatus(1000));
});

test('who asks and takes no answers has few of them waiting, however small they are', () => {
  const house = new House();
  assert.ok(house.comes('them', '1.2.3.4'));
  const [peer = assert.fail()] = house.joined;
  let most = 0;
  for (let round = 0; round < 200; round++) {
    for (let number = 0n; number < 50n; number++) {
      house.says('them', ping, { number });
      house.says('them', peersRequest, {});
      house.says('them', genesisRequest, {});
    }
    house.pass(1);
    most = Math.max(most, peer.channel.queuedBytes);
  }
  assert.ok(peer.isLive && most > 10_000 && most < 100_000, `${most} bytes`);
  house.heard('them', pong);
  peer.channel.drained();
  for (let more = 0; more < 5; more++) {
    house.heard('them', pong);
    peer.channel.drained();
  }
  house.says('them', ping, { number: 1n });
  assert.ok(house.heard('them', pong) > 0, 'it is answered again when it takes');
});

for (const [number, kind] of Object.entries(messageKinds)) {
  test(`a ${kind.name} has a price, and nobody sends it for nothing unless it was asked for`, () => {
    assert.ok(kind.price.firstMs > 0);
    const house = new House();
    assert.ok(house.comes('them', '1.2.3.4'));
    const [peer = assert.fail()] = house.joined;
    const { work } = house.connections.counts;
    const before = work['link'] ?? 0;
    // A clock that goes on whenever it is looked at: whatever is done takes time.
    house.clock.goesOn = true;
    const pipe = house.pipes.get(peer.id);
    const frame = encodeFrame(Number(number), kind.lane, new Uint8Array(Math.min(kind.mostBytes, 60)), false);
    const isOpen = (): boolean => peer.isLive && pipe?.isPaused === false;
    for (let sent = 0; sent < 500 && isOpen(); sent++) pipe?.listener?.received(frame);
    assert.ok(!isOpen(), 'it is sent away or has to wait');
    assert.ok((work['link'] ?? 0) > before);
  });
}
