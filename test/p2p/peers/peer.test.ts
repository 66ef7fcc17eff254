import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteBudget } from '../../../src/wire/link/byte_budget.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { chooseLane, type MessageKind } from '../../../src/wire/message_kind.ts';
import { MessageRouter } from '../../../src/p2p/peers/message_router.ts';
import { block, MOST_PUSHED_BYTES } from '../../../src/wire/messages/block.ts';
import { blockAnnouncement } from '../../../src/wire/messages/block_announcement.ts';
import { blockRequest } from '../../../src/wire/messages/block_request.ts';
import { genesisRequest } from '../../../src/wire/messages/genesis_request.ts';
import { goodbye } from '../../../src/wire/messages/goodbye.ts';
import { hello, type Hello } from '../../../src/wire/messages/hello.ts';
import { messageNumber } from '../../../src/wire/messages/index.ts';
import { missing } from '../../../src/wire/messages/missing.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { pong } from '../../../src/wire/messages/pong.ts';
import { status, type Status } from '../../../src/wire/messages/status.ts';
import type { Environment } from '../../../src/p2p/environment/environment.ts';
import { Peer } from '../../../src/p2p/peers/peer.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { NetworkCounts } from '../../../src/p2p/peers/network_counts.ts';
import { usualWorkLimits } from '../../../src/p2p/peers/network_settings.ts';
import { workBudgets } from '../../../src/p2p/peers/peer_credit.ts';
import { CHAIN_ID, madeUpId, PROFILE, quietWorld, StillChain } from '../../builders/still_chain.ts';

const NOW_MS = 3_000_000; // a thousand slots

class Meeting {
  readonly clock = new HandClock(NOW_MS);
  readonly chain = new StillChain(900);
  readonly pipe = new HandPipe(makeNodeId('them'), true);
  readonly router = new MessageRouter<Peer>();
  readonly moved: (Status | undefined)[] = [];
  readonly bans: string[] = [];
  readonly gone: string[] = [];
  readonly peer: Peer;

  constructor(differently: Partial<Environment> = {}, them = 'them') {
    this.pipe = new HandPipe(makeNodeId(them), true);
    this.peer = new Peer(this.pipe, {
      environment: { ...quietWorld(this.clock, this.chain), ...differently },
      introduction: { agent: 'pharos/1', endpoints: [], takesTransactions: true },
      ownId: makeNodeId('us'),
      budget: new ByteBudget(1024 * 1024),
      router: this.router,
      counts: new NetworkCounts(),
      budgets: workBudgets(usualWorkLimits, {}, NOW_MS),
      isChosen: false,
      keeper: {
        greeted: () => true,
        moved: (peer) => this.moved.push(peer.status),
        ban: (_, why) => this.bans.push(why),
        gone: (_, reason) => this.gone.push(reason),
      },
    });
    this.pipe.listener = this.peer.channel;
  }

  says<T>(kind: MessageKind<T>, value: T): void {
    const bytes = kind.encode(value);
    this.peer.channel.received(encodeFrame(messageNumber(kind), chooseLane(kind, bytes.length), bytes, false));
  }

  /** The kinds of the frames that have been sent since this was last asked. */
  heard(): number[] {
    const all = Buffer.from(this.pipe.take());
    const kinds: number[] = [];
    for (let at = 0; at < all.length; at += 6 + all.readUInt32LE(at)) kinds.push(all[at + 4] ?? -1);
    return kinds;
  }

  /** Seconds in which the other side answers nothing; it says where it stands now and then when it is there. */
  pass(seconds: number, isThere = true): void {
    for (let second = 0; second < seconds; second++) {
      this.clock.pass(1000);
      if (isThere && second % 10 === 0) this.says(status, standing(900));
      this.peer.tick();
    }
  }
}

function standing(number: number, irreversible = number - 10): Status {
  return {
    head_number: number,
    head_id: madeUpId(number),
    irreversible_number: irreversible,
    irreversible_id: madeUpId(irreversible),
  };
}

function makeHello(differently: Partial<Hello> = {}): Hello {
  const usual = {
    protocol: 1,
    chain_id: CHAIN_ID,
    profile: PROFILE,
    agent: 'them',
    endpoints: [],
    roles: 1,
    oldest_block: 1,
  };
  return { ...usual, status: standing(900), clock_ms: BigInt(NOW_MS), ...differently };
}

function met(differently: Partial<Environment> = {}): Meeting {
  const meeting = new Meeting(differently);
  meeting.says(hello, makeHello());
  meeting.heard();
  return meeting;
}

test('both sides say hello at once, and then whether they are there and where they stand', () => {
  const meeting = new Meeting();
  assert.deepEqual(meeting.heard(), [0]);
  assert(!meeting.peer.isLive);
  meeting.says(hello, makeHello());
  assert(meeting.peer.isLive);
  assert.deepEqual(meeting.moved, [standing(900)]);
  assert.deepEqual(meeting.heard(), [3]);
  meeting.pass(11);
  assert.deepEqual(new Set(meeting.heard()), new Set([1, 3]));
  assert.deepEqual(meeting.bans, []);
});

test('news of our head are told once a second at most', () => {
  const meeting = met();
  meeting.clock.pass(1000);
  for (let number = 901; number < 911; number++) {
    meeting.chain.head = { ...meeting.chain.head, number, id: madeUpId(number) };
    meeting.peer.tick();
    meeting.clock.pass(100);
  }
  assert.deepEqual(meeting.heard(), [1]);
});

test('a ping is answered, and how long ours took is known', () => {
  const meeting = new Meeting();
  meeting.says(hello, makeHello());
  const sent = Buffer.from(meeting.pipe.take());
  const { number } = ping.decode(sent.subarray(-8));
  meeting.clock.pass(70);
  // Not the answer to anything that was asked.
  meeting.says(pong, { number: number + 1n });
  assert.equal(meeting.peer.pingMs, undefined);
  meeting.says(pong, { number });
  assert.equal(meeting.peer.pingMs, 70);
  meeting.says(ping, { number: 5n });
  assert.deepEqual(meeting.heard(), [4]);
});

for (const [name, differently, reason] of [
  ['another chain', { chain_id: 'ee'.repeat(32) }, 'other_chain'],
  ['another profile', { profile: 'ee'.repeat(32) }, 'other_chain'],
  ['another protocol', { protocol: 2 }, 'other_protocol'],
] as const) {
  test(`a node of ${name} is told so and left, without being blamed`, () => {
    const meeting = new Meeting();
    meeting.says(hello, makeHello(differently));
    assert(meeting.gone[0]?.startsWith(reason));
    assert(meeting.pipe.isClosed);
    assert.deepEqual(meeting.heard(), [0, 2]);
    assert.deepEqual(meeting.bans, []);
    assert.deepEqual(meeting.moved, []);
  });
}

test('a node that meets itself leaves', () => {
  const meeting = new Meeting({}, 'us');
  meeting.says(hello, makeHello());
  assert.deepEqual(meeting.gone, ['oneself']);
});

test('whoever says no hello within five seconds, or nothing for thirty, is left without being blamed', () => {
  const mute = new Meeting();
  mute.pass(5, false);
  assert.deepEqual(mute.gone, []);
  mute.pass(1, false);
  assert.deepEqual(mute.gone, ['silent: no hello']);
  const fallenSilent = met();
  fallenSilent.pass(30, false);
  assert.deepEqual(fallenSilent.gone, []);
  fallenSilent.pass(1, false);
  assert.deepEqual(fallenSilent.gone, ['silent']);
  assert.deepEqual([...mute.bans, ...fallenSilent.bans], []);
});

const mistakes: Readonly<Record<string, (meeting: Meeting) => void>> = {
  'says hello twice': (meeting) => meeting.says(hello, makeHello()),
  'sends what is no frame': (meeting) => meeting.peer.channel.received(new Uint8Array(6).fill(0xff)),
  'sends a message that is cut off': (meeting) =>
    meeting.peer.channel.received(encodeFrame(3, 0, new Uint8Array(3), false)),
  'has a head beyond all slots': (meeting) => meeting.says(status, standing(1002)),
  'has a head whose id is that of another number': (meeting) =>
    meeting.says(status, { ...standing(900), head_id: madeUpId(901) }),
  'has an irreversible block above its head': (meeting) => meeting.says(status, standing(900, 901)),
  'has an irreversible block whose id is that of another number': (meeting) =>
    meeting.says(status, { ...standing(900), irreversible_id: madeUpId(1) }),
};

for (const [name, mistake] of Object.entries(mistakes)) {
  test(`who ${name} is told that it is malformed, and banned`, () => {
    const meeting = met();
    mistake(meeting);
    assert.equal(meeting.bans.length, 1);
    assert.match(meeting.gone.join(), /^malformed: /);
  });
}

test('who says something before hello is banned', () => {
  const meeting = new Meeting();
  meeting.says(ping, { number: 1n });
  assert.equal(meeting.bans.length, 1);
  assert.match(meeting.gone.join(), /^malformed: a ping before hello/);
});

test('a chain that moves its own time believes any number of blocks', () => {
  const { chain } = new Meeting();
  const meeting = met({
    view: {
      ...chain,
      slots: undefined,
      head: chain.head,
      blockId: madeUpId,
      readParts: () => undefined,
      knows: () => true,
    },
  });
  meeting.says(status, standing(1_000_000));
  assert.deepEqual(meeting.bans, []);
});

test('a body that nobody asked for is skipped and counts against its sender, one that was asked for does not', () => {
  const meeting = met();
  const got: Uint8Array[] = [];
  meeting.router.on(block, (_, packed) => got.push(packed));
  // A small block may be pushed, also while a large one that was asked for is on its way.
  meeting.says(block, new Uint8Array(MOST_PUSHED_BYTES));
  meeting.peer.ask(blockRequest, { id: madeUpId(901), form: 1 }, block);
  meeting.says(block, new Uint8Array(10));
  assert.equal(got.length, 2);
  meeting.says(block, new Uint8Array(MOST_PUSHED_BYTES + 1));
  assert.equal(got.length, 3);
  assert.equal(meeting.peer.score.at(meeting.clock.nowMs()), 0);
  for (let sent = 0; sent < 4; sent++) meeting.says(block, new Uint8Array(MOST_PUSHED_BYTES + 1));
  assert.equal(got.length, 3);
  assert.deepEqual(meeting.gone, []);
  meeting.says(missing, { id: madeUpId(901), transactions: [] });
  assert.match(meeting.gone.join(), /^misbehaved: a missing that nobody asked for/);
  assert.deepEqual(meeting.bans, []);
});

test('points are forgotten by half in ten minutes, and timeouts count once in ten seconds', () => {
  const meeting = met();
  const { score } = meeting.peer;
  score.offend('announced_in_vain', NOW_MS);
  assert.equal(Math.round(score.at(NOW_MS + 600_000)), -5);
  const now = NOW_MS + 600_000;
  for (let late = 0; late < 100; late++) score.offend('timeout', now + late);
  assert.equal(Math.round(score.at(now)), -7);
  score.offend('timeout', now + 10_000);
  assert.equal(Math.round(score.at(now + 10_000)), -9);
});

test('whoever sends more than it has credit for waits for as long as it does so, and nothing of it is lost or blamed', () => {
  const meeting = met();
  let got = 0;
  meeting.router.on(blockAnnouncement, () => got++);
  meeting.clock.goesOn = true;
  const announcement = { id: madeUpId(901), previous: madeUpId(900), transactions: 0, bytes: 0 };
  for (let sent = 0; sent < 2000; sent++) meeting.says(blockAnnouncement, announcement);
  assert(got < 500, `${got} at once`);
  assert(meeting.pipe.isPaused);
  for (let second = 0; second < 70; second++) {
    meeting.clock.pass(1000);
    meeting.peer.tick();
  }
  assert.equal(got, 2000);
  assert.deepEqual([meeting.pipe.isPaused, meeting.peer.isLive], [false, true]);
  assert.deepEqual([...meeting.bans, ...meeting.gone], []);
});

test('what a development chain was made of is told once a link, before hello too, and other chains tell nothing', () => {
  const genesis = { profile: Buffer.from('p'), genesis: Buffer.from('g') };
  const meeting = new Meeting({ genesis });
  meeting.says(genesisRequest, {});
  assert.deepEqual(meeting.heard(), [0, 26]);
  meeting.says(genesisRequest, {});
  assert.deepEqual(meeting.heard(), [21]);
  const other = new Meeting();
  other.says(genesisRequest, {});
  assert.deepEqual(other.heard(), [0, 21]);
});

test('a goodbye is the last word', () => {
  const meeting = met();
  meeting.says(goodbye, { reason: 3, text: 'come later', retry_after_seconds: 60 });
  assert.deepEqual(meeting.gone, ['it said goodbye: full, come later']);
  assert(meeting.pipe.isClosed);
  assert.deepEqual(meeting.heard(), []);
  assert.equal(meeting.peer.farewell?.retry_after_seconds, 60);
});
