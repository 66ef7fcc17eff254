import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { genesisRequest } from '../../../src/wire/messages/genesis_request.ts';
import { messageKinds } from '../../../src/wire/messages/index.ts';
import { peersRequest } from '../../../src/wire/messages/peers_request.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { pong } from '../../../src/wire/messages/pong.ts';
import { range } from '../../../src/wire/messages/range.ts';
import { usualWorkLimits } from '../../../src/p2p/peers/network_settings.ts';
import { chargeArrival, PeerCredit, workBudgets, type WorkBudgets } from '../../../src/p2p/peers/peer_credit.ts';
import { SpareTime } from '../../../src/p2p/peers/spare_time.ts';
import { workCost, WorkPrices } from '../../../src/p2p/peers/work_prices.ts';
import { House } from '../house.ts';

const MIB = 1024 * 1024;

const budgets = (): WorkBudgets => workBudgets(usualWorkLimits, {}, 0);

/** Counts the repetitions from one moment to another, if each takes this long and there is always more to do. */
function done(
  untilMs: number,
  eachMs: number,
  waitMs: (nowMs: number) => number,
  owe: (ms: number, nowMs: number) => void,
): number {
  let spent = 0;
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1) {
    while (waitMs(nowMs) === 0) {
      owe(eachMs, nowMs);
      spent += workCost(eachMs);
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
  const strangers = Array.from(
    { length: 24 },
    (_, index) => new PeerCredit(all, index < 8 ? '1.1.1' : `2.2.${index}`, 0),
  );
  const honest = new PeerCredit(all, '3.3.3', 0);
  const spent = strangers.map(() => 0);
  let waited = 0;
  for (let nowMs = 0; nowMs < 20_000; nowMs++) {
    if (nowMs % 600 === 0) {
      if (honest.readingWaitMs(nowMs) > 0) waited++;
      honest.chargeFrame(1, nowMs);
    }
    for (const [index, stranger] of strangers.entries()) {
      if (stranger.readingWaitMs(nowMs) > 0) continue;
      stranger.chargeFrame(0.2, nowMs);
      spent[index] = (spent[index] ?? 0) + workCost(0.2);
    }
  }
  const sum = (some: readonly number[]): number => some.reduce((one, other) => one + other, 0);
  assert.ok(sum(spent) < 20 * 60 && sum(spent) > 20 * 40, `${sum(spent)} ms of 20 s`);
  const [together, alone] = [sum(spent.slice(0, 8)), sum(spent.slice(8)) / 16];
  assert.ok(
    together < 2 * alone && together > alone / 2,
    `${together} ms of the group of eight, ${alone} of each other`,
  );
  assert.equal(waited, 0);
});

for (const account of ['receiving', 'answering'] as const) {
  test(`whoever goes and comes again has no more for ${account} than who stays`, () => {
    const all = budgets();
    const limit = usualWorkLimits[account].ofAll;
    const isReceiving = account === 'receiving';
    const waitMs = (one: PeerCredit, nowMs: number): number =>
      isReceiving ? one.readingWaitMs(nowMs) : one.answeringWaitMs(0, nowMs);
    const owe = (one: PeerCredit, ms: number, nowMs: number): void =>
      isReceiving ? one.chargeFrame(ms, nowMs) : one.chargeAnswer(ms, nowMs);
    const stay = Array.from({ length: 20 }, (_, index) => new PeerCredit(all, `2.2.${index}`, 0));
    const come = Array.from({ length: 4 }, (_, index) => ({
      group: `3.3.${index}`,
      credit: new PeerCredit(all, `3.3.${index}`, 0),
    }));
    const [FIRST_MS, HELLO_MS] = [2000, 1.5];
    let before = 0;
    for (let nowMs = 0; nowMs < 20_000; nowMs++) {
      if (nowMs === FIRST_MS) before = all[account].chargedMs;
      // Together ten a second, as many as the gate lets in.
      if (nowMs % 400 === 0)
        for (const one of come) {
          one.credit.close();
          one.credit = new PeerCredit(all, one.group, nowMs);
        }
      for (const credit of stay) if (waitMs(credit, nowMs) === 0) owe(credit, 0.2, nowMs);
      // What is read first, a hello, is dear, and whoever leaves leaves its debt.
      for (const { credit } of come)
        for (let piece = 0; piece < 8 && waitMs(credit, nowMs) === 0; piece++) owe(credit, HELLO_MS, nowMs);
    }
    const perSecond = (all[account].chargedMs - before) / ((20_000 - FIRST_MS) / 1000);
    assert.ok(perSecond < limit * 1.04 && perSecond > limit * 0.9, `${perSecond} ms a second of ${limit}`);
  });
}

test('whom the operator has chosen takes nothing of what strangers have', () => {
  const all = budgets();
  const [chosen, stranger] = [new PeerCredit(all, undefined, 0), new PeerCredit(all, '1.2.3', 0)];
  chosen.chargeFrame(240 / workCost(1), 0);
  assert.equal(chosen.readingWaitMs(0), 0);
  stranger.chargeFrame(9 / workCost(1), 0);
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

test('a piece that wakes the thread costs more than one of many, and one piece is given back with a message that was worth it', () => {
  const all = budgets();
  const credit = new PeerCredit(all, '1.2.3', 0);
  const costs = [0, 0.04, 0.08, 1, 1.02, 100].map((nowMs) => {
    const before = all.receiving.chargedMs;
    credit.chargePiece(10, nowMs);
    return Math.round((all.receiving.chargedMs - before) * 1000);
  });
  assert.deepEqual(costs, [32, 12, 12, 32, 12, 32]);
  const [kind = assert.fail()] = Object.values(messageKinds);
  const worth = { ms: credit.charge(kind, 1, 10, false, 100) };
  assert.ok(Math.abs(worth.ms - workCost(1) - 0.032) < 0.001, `${worth.ms} ms`);
  // What was charged before is work that was done; the account has it again.
  credit.chargeFrame(10 / workCost(1) - worth.ms, 100);
  credit.giveBack(worth, 100);
  assert.deepEqual([credit.readingWaitMs(100), worth.ms], [0, 0]);
  assert.ok(Math.abs(credit.charge(kind, 0, 10, false, 100)) < 0.001);
});

test('who has no credit pays for each time that reading stops, and goes on with something to read', () => {
  const all = budgets();
  const credit = new PeerCredit(all, '1.2.3', 0);
  credit.chargeFrame(10, 0);
  const [chargedMs, waitMs] = [all.receiving.chargedMs, credit.readingWaitMs(0)];
  credit.chargeStop(0);
  assert.ok(Math.abs(all.receiving.chargedMs - chargedMs - 0.15) < 0.001);
  assert.ok(credit.readingWaitMs(0) > waitMs);
  assert.equal(credit.readingWaitMs(credit.readingWaitMs(0)), 0);
});

/** Returns the charge of a piece that comes alone. */
function pieceMs(all: WorkBudgets, credit: PeerCredit, nowMs: number): number {
  const before = all.receiving.chargedMs;
  credit.chargePiece(10, nowMs);
  return all.receiving.chargedMs - before;
}

test('what the thread works and nobody measures is what links cost: their prices are learned of it, twice the usual ones at most', () => {
  const all = budgets();
  const credit = new PeerCredit(all, '1.2.3', 0);
  const [usualMs, SECONDS, PIECES] = [pieceMs(all, credit, 0), 20, 300];
  let [workedMs, nowMs] = [0, 0];
  const learn = (linkMs: number): number => {
    for (let second = 0; second < SECONDS; second++) {
      all.prices.look(workedMs, nowMs);
      for (let piece = 0; piece < PIECES; piece++) credit.chargePiece(10, nowMs + piece);
      // A part of the thread's time is measured, and some of it belongs to nobody.
      credit.chargeFrame(5, nowMs);
      workedMs += 8 / 1.2 + linkMs;
      nowMs += 1000;
    }
    all.prices.look(workedMs, nowMs);
    return pieceMs(all, credit, nowMs + 500) / usualMs;
  };
  const dearer = learn((1.5 * PIECES * usualMs) / 1.2);
  assert.ok(dearer > 1.4 && dearer < 1.6, `${dearer} times`);
  const most = learn(PIECES * usualMs * 50);
  assert.ok(most > 1.9 && most <= 2, `${most} times`);
  const usual = learn(0);
  assert.ok(usual >= 1 && usual < 1.1, `${usual} times`);
});

test('where links have nearly nothing to do the work of the thread is not theirs', () => {
  const all = budgets();
  const credit = new PeerCredit(all, '1.2.3', 0);
  const usualMs = pieceMs(all, credit, 0);
  for (let second = 0; second < 20; second++) {
    all.prices.look(second * 300, second * 1000);
    for (let piece = 0; piece < 100; piece++) credit.chargePiece(10, second * 1000 + piece);
  }
  assert.ok(Math.abs(pieceMs(all, credit, 100_000) - usualMs) < 0.001);
});

test('what was asked for is carried for nothing, in records of the usual length; smaller pieces cost something', () => {
  const [RECORD, RECORDS] = [16_384, 64];
  const owed = (pieces: number): number => {
    const all = budgets();
    const credit = new PeerCredit(all, '1.2.3', 0);
    for (let piece = 0; piece < pieces; piece++) credit.chargePiece((RECORDS * RECORD) / pieces, 0);
    credit.charge(range, 3, RECORDS * RECORD, true, 0);
    let ms = 0;
    while (credit.readingWaitMs(0) === 0 && ms < 10) {
      credit.chargeFrame(0.01 / workCost(1), 0);
      ms += 0.01;
    }
    return 10 - ms;
  };
  assert.ok(Math.abs(owed(RECORDS)) < 0.05, `${owed(RECORDS)} ms`);
  assert.ok(owed(RECORDS * 8) > 5, `${owed(RECORDS * 8)} ms`);
});

test('a connection that is dropped is charged to its group, whose next peer begins with some of it; a handshake to nobody alone', () => {
  const all = budgets();
  // All together are over their limit.
  const others = Array.from({ length: 4 }, (_, index) => new PeerCredit(all, `9.9.${index}`, 0));
  for (const other of others) other.chargeFrame(20, 0);
  const before = all.receiving.chargedMs;
  for (let count = 0; count < 1000; count++) chargeArrival(all, '1.1.1.7', undefined, 0);
  assert.ok(Math.abs(all.receiving.chargedMs - before - 80) < 0.1);
  chargeArrival(all, '2.2.2.7', { isKnown: false }, 0);
  const shaken = all.receiving.chargedMs;
  chargeArrival(all, '3.3.3.7', { isKnown: true }, 0);
  assert.deepEqual([Math.round((shaken - before - 80) * 10) / 10, all.receiving.chargedMs], [1, shaken]);
  const waits = ['1.1.1', '2.2.2'].map((group) => new PeerCredit(all, group, 0).readingWaitMs(0));
  assert.ok((waits[0] ?? 0) > 400 && (waits[0] ?? 0) <= 600, `${waits[0]} ms`);
  assert.equal(waits[1], 0);
});

test('a record with nothing but new keys costs as much as one that wakes the thread', () => {
  const all = budgets();
  new PeerCredit(all, '1.2.3', 0).chargeEmpty(27, 0);
  assert.ok(Math.abs(all.receiving.chargedMs - 0.054) < 0.001, `${all.receiving.chargedMs} ms`);
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
