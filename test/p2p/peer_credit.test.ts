import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { MessageForm } from '../../src/p2p/message_kind.ts';
import { ancestorRequest } from '../../src/p2p/messages/ancestor_request.ts';
import { blockAnnouncement } from '../../src/p2p/messages/block_announcement.ts';
import { blockRequest } from '../../src/p2p/messages/block_request.ts';
import { bundleAnnouncement } from '../../src/p2p/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/p2p/messages/bundle_request.ts';
import { missingRequest } from '../../src/p2p/messages/missing_request.ts';
import { peersRequest } from '../../src/p2p/messages/peers_request.ts';
import { ping } from '../../src/p2p/messages/ping.ts';
import { rangeRequest } from '../../src/p2p/messages/range_request.ts';
import { status } from '../../src/p2p/messages/status.ts';
import { PeerCredit } from '../../src/p2p/peer_credit.ts';

const MIB = 1024 * 1024;
const DEEP_SECONDS = 60;

/** How many are taken of many. */
function taken(take: () => boolean): number {
  let count = 0;
  for (let sent = 0; sent < 10_000; sent++) if (take()) count++;
  return count;
}

const kinds: readonly (readonly [MessageForm, number])[] = [
  ...[ancestorRequest, blockRequest, bundleRequest, missingRequest, rangeRequest, peersRequest, ping].map((form) => [form, 50] as const),
  [blockAnnouncement, 20],
  [bundleAnnouncement, 20],
  [status, 1],
];

for (const [form, perSecond] of kinds) {
  test(`of ${form.name} a minute of ${perSecond} a second is taken at once, and then so many a second`, () => {
    const credit = new PeerCredit(0, () => assert.fail('for a second nobody is sent away'));
    assert.equal(
      taken(() => credit.take(form, 0)),
      perSecond * DEEP_SECONDS,
    );
    assert.equal(
      taken(() => credit.take(form, 1000)),
      perSecond,
    );
  });
}

test('all questions share one credit, and announcements of blocks and of bundles have each their own', () => {
  const credit = new PeerCredit(0, () => undefined);
  assert.equal(taken(() => credit.take(ping, 0)) + taken(() => credit.take(rangeRequest, 0)), 50 * DEEP_SECONDS);
  assert.equal(taken(() => credit.take(blockAnnouncement, 0)) + taken(() => credit.take(bundleAnnouncement, 0)), 2 * 20 * DEEP_SECONDS);
});

test('of bundles that nobody asked for two MiB a second are taken, and a minute of it at once', () => {
  const credit = new PeerCredit(0, () => undefined);
  assert.equal(
    taken(() => credit.takeBundle(MIB / 4, 0)),
    4 * 2 * DEEP_SECONDS,
  );
  assert.equal(
    taken(() => credit.takeBundle(MIB / 4, 1000)),
    4 * 2,
  );
});

test('who is over for a minute is sent away, who pauses for ten seconds is not, and a status too many is no trouble', () => {
  for (const [form, pauseMs, expected] of [
    [ping, 0, true],
    [ping, 11_000, false],
    [status, 0, false],
  ] as const) {
    let isOver = false;
    const credit = new PeerCredit(0, () => (isOver = true));
    const flood = (fromMs: number, forMs: number): void => {
      for (let nowMs = fromMs; nowMs <= fromMs + forMs; nowMs += 1000) for (let sent = 0; sent < 4000; sent++) credit.take(form, nowMs);
    };
    flood(0, 59_000);
    assert(!isOver);
    flood(59_000 + pauseMs, 1000);
    assert.equal(isOver, expected);
  }
});
