import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sha256Hex } from '../../../src/crypto/hashes.ts';
import { bundle } from '../../../src/wire/messages/bundle.ts';
import { IN_BUNDLE, largeBundles, Relaying, largeTransaction } from './relaying.ts';

// A posted transaction is known to one node. Who was told of it and did not take it is not told again.

/** Passes some time in steps, in which nobody answers; how often something was asked for. */
function passed(relaying: Relaying, seconds: number): number {
  let asked = 0;
  for (let step = 0; step < seconds * 4; step++) {
    relaying.house.clock.pass(250);
    relaying.relay.tick();
    asked += relaying.asked().length;
  }
  return asked;
}

function tell(relaying: Relaying, bundles: ReturnType<typeof largeBundles>): number {
  relaying.announces(bundles);
  return relaying.asked().length;
}

test('a bundle that comes late is taken, although it is not waited for any more', () => {
  const relaying = new Relaying();
  const bundles = largeBundles(1);
  assert.equal(tell(relaying, bundles), 1);
  passed(relaying, 60);
  for (const { transactions } of bundles.values()) relaying.gives(transactions);
  assert.equal(relaying.submitted, IN_BUNDLE);
});

test('who has slept is asked again and again, more and more seldom, and not for ever', () => {
  const relaying = new Relaying();
  const bundles = largeBundles(1);
  assert.equal(tell(relaying, bundles), 1);
  const [soon, later, never] = [passed(relaying, 10), passed(relaying, 20), passed(relaying, 300)];
  assert.ok(soon >= 2 && later >= 1 && soon + later <= 6, `${soon} and ${later} times`);
  assert.deepEqual([never, relaying.relay.fetches], [0, 0]);
});

test('what a node is told of and given while it is behind is asked for once it is in step', () => {
  const relaying = new Relaying();
  relaying.isBehind = true;
  const large = largeBundles(2);
  assert.equal(tell(relaying, large), 0);
  const small = [largeTransaction(200)];
  relaying.gives(small);
  assert.deepEqual([passed(relaying, 30), relaying.submitted], [0, 0]);
  relaying.isBehind = false;
  const bytes = bundle.encode(small);
  const all = new Map([...large, [sha256Hex(bytes).slice(0, 32), { transactions: small, bytes: bytes.length }]]);
  relaying.house.clock.pass(250);
  relaying.relay.tick();
  relaying.giveAsked(all);
  assert.equal(relaying.submitted, 2 * IN_BUNDLE + 1);
  assert.equal(relaying.relay.fetches, 0);
});

test('what nobody can give any more is forgotten, and one peer does not take all places', () => {
  const relaying = new Relaying();
  relaying.isBehind = true;
  for (let more = 0; more < 40; more++) {
    const invented = Array.from(
      { length: 64 },
      (_, index) =>
        [sha256Hex(Buffer.from(`${more} ${index}`)).slice(0, 32), { transactions: [], bytes: 200_000 }] as const,
    );
    relaying.announces(new Map(invented));
  }
  assert.equal(relaying.relay.fetches, 1024);
  passed(relaying, 59);
  assert.equal(relaying.relay.fetches, 1024);
  passed(relaying, 3);
  assert.equal(relaying.relay.fetches, 0);
});
