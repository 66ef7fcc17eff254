import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AddressBook } from '../../src/p2p/address_book.ts';
import { Connections } from '../../src/p2p/connections.ts';
import { Dialler } from '../../src/p2p/dialler.ts';
import { encodeFrame } from '../../src/p2p/frame.ts';
import { MessageRouter } from '../../src/p2p/message_router.ts';
import { goodbye } from '../../src/p2p/messages/goodbye.ts';
import { hello } from '../../src/p2p/messages/hello.ts';
import { PeerExchange } from '../../src/p2p/peer_exchange.ts';
import { peers } from '../../src/p2p/messages/peers.ts';
import { range } from '../../src/p2p/messages/range.ts';
import type { NetworkSettings } from '../../src/p2p/network_settings.ts';
import type { Target } from '../../src/p2p/addresses.ts';
import type { DialEvents } from '../../src/p2p/outside.ts';
import type { Peer } from '../../src/p2p/peer.ts';
import type { Pipe, PipeListener } from '../../src/p2p/pipe.ts';
import { Dice } from '../builders/dice.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { HandPipe, nodeIdOf } from '../builders/pipes.ts';
import { CHAIN_ID, madeUpId, PROFILE, quietWorld, StillChain } from '../builders/still_chain.ts';

const GREETING = hello.encode({
  protocol: 1,
  chain_id: CHAIN_ID,
  profile: PROFILE,
  agent: 'them',
  endpoints: [],
  roles: 1,
  oldest_block: 1,
  status: { head_number: 9, head_id: madeUpId(9), irreversible_number: 1, irreversible_id: madeUpId(1) },
  clock_ms: 0n,
});

class House {
  readonly clock = new HandClock(3_000_000);
  readonly router = new MessageRouter<Peer>();
  readonly book: AddressBook;
  readonly dialled: { readonly target: Target; readonly events: DialEvents; atMs: number }[] = [];
  readonly connections: Connections;
  readonly dialler: Dialler;
  readonly joined: Peer[] = [];
  readonly pipes = new Map<Peer['id'], HandPipe>();

  constructor(settings: Partial<NetworkSettings> = {}) {
    const all = networkSettings(settings);
    this.book = new AddressBook(false);
    const outside = {
      ...quietWorld(this.clock, new StillChain(900)),
      dial: (target: Target, events: DialEvents) => this.dialled.push({ target, events, atMs: this.clock.nowMs() }),
    };
    const exchange = new PeerExchange(outside, this.book, this.router);
    this.connections = new Connections(outside, all, this.router, {
      joined: (peer) => {
        this.joined.push(peer);
        this.dialler.reached(peer);
        exchange.joined(peer);
      },
      moved: () => undefined,
      left: (peer, reason) => this.dialler.left(peer, reason),
    });
    this.dialler = new Dialler(outside, all, this.connections, this.book);
  }

  /** Somebody connects and says hello; answers whether it stayed. */
  comes(name: string, host: string): boolean {
    const pipe = new HandPipe(nodeIdOf(name), true, { host, port: 1 });
    const listener = this.connections.accept(pipe);
    return listener !== undefined && this.greets(pipe, listener);
  }

  greets(pipe: HandPipe, listener: PipeListener): boolean {
    pipe.listener = listener;
    this.pipes.set(pipe.peer, pipe);
    listener.received(encodeFrame(0, 0, GREETING, false));
    return !pipe.isClosed;
  }

  /** Whom we have dialled answers. */
  answers(index: number, name: string, host = `77.${index}.1.1`): { readonly pipe: HandPipe; readonly listener: PipeListener } {
    const pipe = new HandPipe(nodeIdOf(name), false, { host, port: 9290 });
    const listener = this.dialled[index]?.events.connected(pipe) ?? assert.fail('nobody was dialled');
    this.greets(pipe, listener);
    return { pipe, listener };
  }

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.dialler.tick();
      this.clock.pass(1000);
    }
  }
}

test('an address has two places and a group eight; loopback as many as there are', () => {
  const house = new House();
  assert(house.comes('a', '1.2.3.4') && house.comes('b', '1.2.3.4'));
  assert(!house.comes('c', '1.2.3.4'));
  for (let count = 0; count < 6; count++) assert(house.comes(`d${count}`, `1.2.3.${10 + count}`));
  assert(!house.comes('e', '1.2.3.99'));
  for (let count = 0; count < 20; count++) assert(house.comes(`f${count}`, '127.0.0.1'));
});

test('of two links to one node both sides keep the same one', () => {
  // Whichever of two nodes has the smaller id, the link that it has dialled stays.
  const names = ['us', 'them'];
  const [small = '', large = ''] = names.toSorted((a, b) => (nodeIdOf(a) < nodeIdOf(b) ? -1 : 1));
  for (const first of ['inbound', 'outbound']) {
    const keptBy = (name: string, other: string): string => {
      const house = new House({ ownId: nodeIdOf(name) });
      house.dialler.add({ host: '9.9.9.9', port: 9290 });
      house.dialler.tick();
      const come = (): unknown => house.comes(other, '9.9.9.9');
      const dial = (): unknown => house.answers(0, other, '9.9.9.9');
      for (const meet of first === 'inbound' ? [come, dial] : [dial, come]) meet();
      assert.equal(house.connections.live.length, 1);
      return house.connections.live[0]?.pipe.isInbound === true ? other : name;
    };
    assert.equal(keptBy(small, large), small);
    assert.equal(keptBy(large, small), small);
  }
});

test('when there are too many the worst of the largest group goes, and never who was there first or delivers blocks', () => {
  const house = new House({ maxConnections: 30 });
  for (let count = 0; count < 8; count++) assert(house.comes(`old ${count}`, `50.1.1.${count + 1}`));
  house.clock.pass(1000);
  for (let count = 0; count < 5; count++) assert(house.comes(`useful ${count}`, `60.1.1.${count + 1}`));
  for (const peer of house.joined.slice(-5)) peer.deliveries = 3;
  house.clock.pass(1000);
  for (let count = 0; count < 17; count++) assert(house.comes(`far ${count}`, `${70 + count}.1.1.1`));
  for (let count = 0; count < 500; count++) {
    house.clock.pass(100);
    house.comes(`sybil ${count}`, `${100 + (count % 5)}.1.1.${count % 250}`);
  }
  const left = new Set(house.connections.live.map(({ id }) => id));
  assert.equal(left.size, 30);
  for (let count = 0; count < 8; count++) assert(left.has(nodeIdOf(`old ${count}`)));
  for (let count = 0; count < 5; count++) assert(left.has(nodeIdOf(`useful ${count}`)));
});

test('whoever is banned stays out, by its id and by its address; who was chosen is only dropped', () => {
  const house = new House({ seeds: [{ host: '5.5.5.5', port: 9290, id: nodeIdOf('pinned') }] });
  assert(house.comes('liar', '1.2.3.4'));
  house.joined[0]?.offend('lie', 'a lie');
  assert(house.pipes.get(nodeIdOf('liar'))?.isClosed);
  assert(!house.comes('liar', '9.9.9.9') && !house.comes('friend of the liar', '1.2.3.4'));
  house.clock.pass(3_600_001);
  assert(house.comes('liar', '9.9.9.9'));
  assert(house.comes('pinned', '5.5.5.5'));
  house.joined.at(-1)?.offend('lie', 'a mistake');
  assert(house.pipes.get(nodeIdOf('pinned'))?.isClosed);
  assert(house.comes('pinned', '5.5.5.5'));
});

test('on a private network nobody else gets in', () => {
  const house = new House({ allowed: new Set([nodeIdOf('friend')]) });
  assert(house.comes('friend', '1.2.3.4'));
  assert(!house.comes('stranger', '1.2.3.5'));
});

test('seeds are dialled at once, then less and less often, and each quarter of a minute while nobody is there', () => {
  const house = new House({ seeds: [{ host: 'seed.example', port: 9290 }] });
  for (let second = 0; second < 400; second++) {
    const before = house.dialled.length;
    house.dialler.tick();
    if (house.dialled.length > before) house.dialled.at(-1)?.events.failed('refused');
    house.clock.pass(1000);
  }
  const waits = house.dialled.slice(1).map(({ atMs }, index) => atMs - (house.dialled[index]?.atMs ?? 0));
  assert.deepEqual(waits.slice(0, 4), [1000, 2000, 4000, 8000]);
  assert(waits.slice(4).every((ms) => ms === 15_000));
});

test('a node makes as many connections as it wants, each to another group while it can, and probes those that it has only heard of', () => {
  const house = new House();
  for (let count = 0; count < 20; count++) house.book.hear(`30.1.1.${count + 1}:9290`, nodeIdOf(`near ${count}`), nodeIdOf('teller'));
  for (let count = 0; count < 6; count++) house.book.hear(`4${count}.1.1.1:9290`, nodeIdOf(`far ${count}`), nodeIdOf('other'));
  house.pass(1);
  assert.equal(house.dialled.length, 8);
  for (const [index, { target }] of house.dialled.slice(0, 8).entries()) house.answers(index, `peer ${index}`, target.host);
  assert.equal(house.connections.live.length, 8);
  house.pass(119);
  assert.equal(house.dialled.length, 8);
  house.pass(3);
  assert.equal(house.dialled.length, 9);
});

test('whoever goes away is dialled again, not before it said it would be ready', () => {
  const house = new House({ seeds: [{ host: '5.5.5.5', port: 9290 }] });
  house.pass(1);
  const { listener } = house.answers(0, 'seed', '5.5.5.5');
  listener.received(encodeFrame(2, 0, goodbye.encode({ reason: 3, text: '', retry_after_seconds: 60 }), false));
  // There is somebody else, or the seeds would be asked sooner.
  house.comes('other', '8.8.8.8');
  house.pass(59);
  assert.equal(house.dialled.length, 1);
  house.pass(3);
  assert.equal(house.dialled.length, 2);
});

test('only those who were dialled are asked for addresses, and what others tell unasked counts against them', () => {
  const house = new House();
  house.comes('caller', '1.2.3.4');
  const tell = peers.encode({ peers: [{ id: nodeIdOf('x'), endpoint: '12.1.1.1:9290', seen_hours: 0 }] });
  house.pipes.get(nodeIdOf('caller'))?.listener?.received(encodeFrame(19, 0, tell, false));
  assert.equal(house.book.size, 0);
  assert(house.joined[0] !== undefined && house.joined[0].score.at(house.clock.nowMs()) < 0);
  house.dialler.add({ host: '9.9.9.9', port: 9290 });
  house.pass(1);
  const { listener } = house.answers(0, 'dialled', '9.9.9.9');
  listener.received(encodeFrame(19, 0, tell, false));
  assert.equal(house.book.size, 2);
  assert.deepEqual(
    house.book.told(64, house.clock.nowMs(), new Dice(1)).map(({ endpoint }) => endpoint),
    ['9.9.9.9:9290'],
  );
});

test('a stopped dialler takes nobody in any more', () => {
  const house = new House({ seeds: [{ host: '5.5.5.5', port: 9290 }] });
  house.pass(1);
  house.dialler.stop();
  const pipe: Pipe & { isClosed: boolean } = new HandPipe(nodeIdOf('late'), false, { host: '5.5.5.5', port: 9290 });
  house.dialled[0]?.events.connected(pipe);
  assert(pipe.isClosed);
});

test('what waits for all together is bounded: whoever takes least goes, the others stay', () => {
  const house = new House();
  for (let index = 0; index < 6; index++) house.comes(`peer ${index}`, `10.${index}.0.1`);
  const { live } = house.connections;
  assert.equal(live.length, 6);
  const MIB = 1024 * 1024;
  for (const [index, peer] of live.entries()) {
    for (let part = 0; part < (index === 3 ? 60 : 45); part++) peer.channel.sendEncoded(range, new Uint8Array(MIB));
  }
  house.connections.tick();
  const gone = live.filter((peer) => !peer.isLive);
  assert.deepEqual(gone, [live[3]]);
  const { queued, sent } = house.connections.traffic();
  assert(queued <= 256 * MIB && queued > 200 * MIB);
  assert(sent[3] >= 285 * MIB, 'what a closed link carried still counts');
});
