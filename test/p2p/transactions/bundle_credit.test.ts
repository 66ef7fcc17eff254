import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IN_BUNDLE, LARGE_BYTES, largeBundles, Relaying, largeTransaction } from './relaying.ts';

const MIB = 1024 * 1024;
/** Two MiB a second, four seconds deep, and one bundle that was begun with what was left. */
const [AT_ONCE, A_SECOND, LAST] = [8 * MIB, 2 * MIB, 256 * 1024];

test('of bundles that a peer announces no more are asked for than it has credit for, and the rest at the pace of the credit', () => {
  const relaying = new Relaying();
  const bundles = largeBundles(60);
  const atOnce = relaying.announce(bundles);
  assert.ok(atOnce > AT_ONCE - LAST && atOnce <= AT_ONCE, `${atOnce} bytes at once`);
  let later = 0;
  for (let second = 0; second < 2; second++) {
    relaying.house.clock.pass(1000);
    relaying.relay.tick();
    later += relaying.giveAsked(bundles);
  }
  assert.ok(later > 2 * A_SECOND - 2 * LAST && later <= 2 * A_SECOND + LAST, `${later} bytes in two seconds`);
});

test('bundles that the chain accepts cost nothing: as many come as there are', () => {
  const relaying = new Relaying();
  relaying.outcome = 'accepted';
  const bundles = largeBundles(60);
  const given = relaying.announce(bundles);
  assert.equal(relaying.submitted, 60 * IN_BUNDLE);
  assert.ok(given > 1.5 * AT_ONCE);
});

test('bundles that come unasked have the same credit, and what is longer than announced costs what it is', () => {
  const relaying = new Relaying();
  for (let count = 0; count < 60; count++) relaying.gives([...largeBundles(1).values()][0]?.transactions ?? []);
  assert.ok(relaying.submitted * LARGE_BYTES <= AT_ONCE, `${relaying.submitted} transactions are looked at`);
  assert.ok(relaying.submitted * LARGE_BYTES > AT_ONCE - LAST);

  const liar = new Relaying();
  const bundles = largeBundles(60);
  // A hundredth is announced.
  const small = new Map(
    [...bundles].map(([id, { transactions, bytes }]) => [id, { transactions, bytes: Math.trunc(bytes / 100) }]),
  );
  liar.announce(small);
  liar.house.clock.pass(100);
  liar.relay.tick();
  liar.giveAsked(small);
  assert.ok(liar.submitted * LARGE_BYTES <= AT_ONCE + MIB, `${liar.submitted} transactions are looked at`);
});

test('who brings transactions that the chain refuses brings and is asked for no more until their price is worked off', () => {
  const relaying = new Relaying({ isNamed: false });
  relaying.outcome = 'refused';
  const push = (count: number): number => {
    const before = relaying.submitted;
    for (let index = 0; index < count; index++) relaying.gives([largeTransaction(200)]);
    return relaying.submitted - before;
  };
  // Half a second's worth of 20 ms a second at 0.1 ms each.
  const atOnce = push(400);
  assert.ok(atOnce >= 100 && atOnce <= 102, `${atOnce} at once`);
  assert.equal(relaying.announce(largeBundles(1)), 0, 'nor is what it announces asked for');
  relaying.house.clock.pass(1000);
  const later = push(400);
  assert.ok(later >= 98 && later <= 202, `${later} a second later`);
});
