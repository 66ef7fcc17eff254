import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Target } from '../../src/wire/addresses.ts';
import { produce, testParameters } from '../builders/chain.ts';
import { FastClock } from '../builders/fast_clock.ts';
import { TlsNode, type TlsNodeOptions } from '../builders/tls_node.ts';
import {
  dialLocally,
  HostilePeer,
  inventedId,
  newIdentity,
  openDoor,
  varied,
  type Claimed,
  type HostileScript,
} from './hostile_peer.ts';

const BLOCKS = 1560;
const SPEED = 8;
const START_MS = Date.UTC(2026, 10, 26);
const SLOT_MS = 3000;
const EMPTY_SLOTS = 20;
const parameters = testParameters({
  genesis_time: new Date(START_MS - (BLOCKS + EMPTY_SLOTS + 2) * SLOT_MS).toISOString().slice(0, 19),
});
const HELD_SECONDS = 30;
const ends: (() => unknown)[] = [];

const clock = new FastClock(START_MS, SPEED);
const honest = makeNode({ number: 1, parameters, clock, isFree: false });
/**
 * The honest node's address; a node that has followed the chain for a minute before the first test, as it runs now, and
 * its port.
 */
const site = {
  seed: { host: '127.0.0.1', port: 0 },
  follower: makeNode({ number: 2, parameters, clock, isFree: false }),
  port: 0,
};

after(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

before(async () => {
  // Of some slots nobody has made a block, so that there could be more of them than there are.
  produce(honest.line.chain, EMPTY_SLOTS);
  while (honest.line.head.time * 1000 + SLOT_MS <= clock.nowMs()) produce(honest.line.chain);
  const makeBlock = (): void => {
    while (honest.line.head.time * 1000 + SLOT_MS <= clock.nowMs()) produce(honest.line.chain);
    cancel = clock.after(SLOT_MS, makeBlock);
  };
  let cancel = clock.after(SLOT_MS, makeBlock);
  ends.push(() => cancel());
  site.seed = await honest.listen();
  const { follower } = site;
  ({ port: site.port } = await follower.listen());
  follower.network.add(site.seed);
  await follower.until(() => follower.network.followed !== undefined);
  assert.ok(follower.line.head.number > BLOCKS);
});

function makeNode(options: TlsNodeOptions): TlsNode {
  const node = new TlsNode(options);
  ends.push(() => node.stop());
  return node;
}

/** The same folder again, with other seeds. */
async function restarted(seeds: readonly Target[]): Promise<TlsNode> {
  const { followed } = site.follower.network;
  await site.follower.stop();
  site.follower = makeNode({
    number: 2,
    parameters,
    clock,
    isFree: false,
    seeds,
    store: site.follower.store,
    kept: { followed },
  });
  ({ port: site.port } = await site.follower.listen());
  return site.follower;
}

/** So many seconds of the nodes' clock, and whether something held all the time. */
async function staysTrue(node: TlsNode, holds: () => boolean): Promise<boolean> {
  const untilMs = clock.elapsedMs() + HELD_SECONDS * 1000;
  let held = true;
  await node.until(() => {
    held &&= holds();
    return clock.elapsedMs() >= untilMs;
  });
  return held;
}

/** Claims five blocks above the head for 8.5 s, then none, and again. */
function boaster(more = 5): HostileScript {
  return (parts) => {
    const above = (seen: Claimed): Claimed =>
      varied(seen, { head: seen.head + more, headId: inventedId(seen.head + more) });
    const peer = new HostilePeer(parts, (seen) => ({ claimed: above(seen), nowMs: clock.nowMs() }));
    const say = (isLie: boolean): void => {
      if (peer.isClosed) return;
      if (peer.seen !== undefined) peer.claim(isLie ? above(peer.seen) : peer.seen);
      clock.after(isLie ? 8500 : 1000, () => say(!isLie), false);
    };
    clock.after(8500, () => say(false), false);
    return peer;
  };
}

async function openHostileDoor(host: string, script: HostileScript): Promise<Target> {
  const door = await openDoor(host, newIdentity(), script);
  ends.push(door.close);
  return { host, port: door.port };
}

/**
 * Checks that the node never reports missing blocks which nobody has; a slow machine may make its head old for a
 * moment.
 */
async function staysSynced(node: TlsNode): Promise<void> {
  let looks = 0;
  const held = await staysTrue(node, () => {
    looks++;
    return (
      node.network.standing.isHeadNew === false ||
      (node.network.standing.isSynced && node.network.standing.behindBy <= 1)
    );
  });
  assert.ok(held, `of ${looks} looks one was behind`);
}

test('strangers that claim blocks which nobody has, and other clocks, change neither readiness nor clock nor duties', async () => {
  const { follower, port } = site;
  const { standing } = follower.network;
  ends.push(dialLocally('127.0.0.3', port, newIdentity(), boaster()));
  const wrongClock: HostileScript = (parts) =>
    new HostilePeer(parts, (seen) => ({ claimed: seen, nowMs: clock.nowMs(), clockAheadMs: 3_600_000 }));
  for (const address of ['127.0.0.4', '127.0.0.5', '127.0.0.6'])
    ends.push(dialLocally(address, port, newIdentity(), wrongClock));
  await follower.until(() => follower.network.connections.live.length === 5);
  await staysSynced(follower);
  assert.equal(standing.voices, 1);
  assert.ok(Math.abs(standing.clockAheadMs ?? Infinity) < 60_000, `the clock is ${standing.clockAheadMs} ms off`);
  assert.ok(standing.sources.length <= 1);
});

test('a seed that claims blocks which nobody has changes neither readiness nor duties, and is named', async () => {
  const node = await restarted([await openHostileDoor('127.0.0.3', boaster()), site.seed]);
  await node.until(() => node.network.connections.live.length === 2 && node.network.standing.isHeadNew === true);
  await staysSynced(node);
  await node.until(() => node.network.standing.unproved.peers === 1);
});

/** Each script contradicts what is final at the follower. */
const contradictions: Readonly<Record<string, HostileScript>> = {
  'another irreversible block in its hello': (parts) =>
    new HostilePeer(parts, (seen) => ({
      claimed: varied(seen, { finalId: inventedId(seen.final) }),
      nowMs: clock.nowMs(),
    })),
  'a goodbye that another block is final': (parts) => {
    const peer = new HostilePeer(parts, (seen) => {
      // Behind the hello, however long the handshake takes.
      setTimeout(() => peer.refuses(), 300);
      return { claimed: seen, nowMs: clock.nowMs() };
    });
    return peer;
  },
};

for (const [what, script] of Object.entries(contradictions))
  test(`a folder that has followed the chain goes on when one of its two seeds has ${what}`, async () => {
    const node = await restarted([await openHostileDoor('127.0.0.2', script), site.seed]);
    const { number } = node.line.head;
    assert.ok(await staysTrue(node, () => node.network.state !== 'contested'));
    await node.until(() => node.line.head.number >= number + 8);
    // A goodbye comes when the machine finds the time for it, and blocks don't wait for it.
    await node.until(() => node.said.some((line) => /another block/.test(line)));
  });
