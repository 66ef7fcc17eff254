import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AddressBook } from '../../../src/p2p/peers/address_book.ts';
import { Bans } from '../../../src/p2p/peers/bans.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { peers } from '../../../src/wire/messages/peers.ts';
import { peersRequest } from '../../../src/wire/messages/peers_request.ts';
import { Network } from '../../../src/p2p/network.ts';
import type { DialEvents, PipeListener } from '../../../src/wire/link/pipe.ts';
import { present } from '../../../src/base/assert.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { networkSettings } from '../../builders/network_settings.ts';
import { quietWorld, StillChain } from '../../builders/still_chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { countFrames, GREETING, House } from '../house.ts';

test('only those who were dialled are asked for addresses, and what others tell unasked counts against them', () => {
  const house = new House();
  house.comes('caller', '1.2.3.4');
  const tell = peers.encode({ peers: [{ id: makeNodeId('x'), endpoint: '12.1.1.1:9290', seen_hours: 0 }] });
  house.pipes.get(makeNodeId('caller'))?.listener?.received(encodeFrame(19, 0, tell, false));
  assert.equal(house.book.size, 0);
  assert(house.joined[0] !== undefined && house.joined[0].score.at(house.clock.nowMs()) < 0);
  house.dialler.add({ host: '9.9.9.9', port: 9290 });
  house.pass(1);
  const { listener } = house.answers(0, 'dialled', '9.9.9.9');
  listener.received(encodeFrame(19, 0, tell, false));
  assert.equal(house.book.size, 2);
  assert.deepEqual(
    house.book.told(64, house.clock.nowMs(), new RandomSource(1)).map(({ endpoint }) => endpoint),
    ['9.9.9.9:9290'],
  );
});

test('a node that has dialled us is told to others after it was reached where it says that it listens', () => {
  const house = new House({ targetPeers: 0 });
  const elsewhere = ['99.1.1.1:9290', 'seed.example:9290'];
  assert(house.comes('listening', '12.3.4.5', [...elsewhere, '12.3.4.5:9290']));
  assert(house.comes('deceiving', '14.3.4.5', ['14.3.4.5:9290']));
  assert(house.comes('deaf', '16.3.4.5', ['16.3.4.5:9290']));
  const told = (): string[] =>
    house.book.told(64, house.clock.nowMs(), new RandomSource(1)).map(({ endpoint }) => endpoint);
  assert.deepEqual(told(), []);
  house.pass(60);
  assert.deepEqual(house.dialled.map(({ target }) => target.host).toSorted(), ['12.3.4.5', '14.3.4.5', '16.3.4.5']);
  for (const { target, events } of house.dialled) {
    if (target.host === '16.3.4.5') events.failed('refused');
    // At the second address somebody else answers.
    const pipe = new HandPipe(makeNodeId(target.host === '12.3.4.5' ? 'listening' : 'other'), false, target);
    if (target.host !== '16.3.4.5') events.connected(pipe);
    assert(target.host === '16.3.4.5' || pipe.isClosed, 'the link was for a look only');
  }
  assert.deepEqual(told(), ['12.3.4.5:9290']);
  assert.equal(house.book.size, 1);
  assert.equal(house.connections.live.length, 3);
});

test('who asks for addresses is answered once in twenty seconds, and not told of itself', () => {
  const house = new House();
  for (const name of ['asker', 'else'])
    house.book.noteReached({ host: `12.1.1.${name.length}`, port: 1 }, makeNodeId(name), house.clock.nowMs());
  assert(house.comes('asker', '1.2.3.4'));
  house.heard('asker', peers);
  const asks = (): number => {
    house.says('asker', peersRequest, {});
    house.clock.pass(0);
    return house.heard('asker', peers);
  };
  assert.deepEqual([asks(), asks()], [1, 0]);
  house.clock.pass(20_000 - 1);
  assert.equal(asks(), 0);
  house.clock.pass(1);
  assert.equal(asks(), 1);
});

test('while peers are missing those that were dialled are asked again, after twice as long each time', () => {
  const house = new House();
  house.dialler.add({ host: '9.9.9.9', port: 9290 });
  house.pass(1);
  house.answers(0, 'dialled', '9.9.9.9');
  const askedAtSecond: number[] = [];
  for (let second = 0; second <= 240; second++) {
    house.exchange.askAgain(house.dialler.fewerThanWanted);
    if (house.heard('dialled', peersRequest) > 0) askedAtSecond.push(second);
    house.pass(1);
  }
  assert.deepEqual(askedAtSecond, [0, 30, 90, 210]);
});

test('a node that has as many peers as it wants asks no more', () => {
  const house = new House({ targetPeers: 1 });
  house.dialler.add({ host: '9.9.9.9', port: 9290 });
  house.pass(1);
  house.answers(0, 'dialled', '9.9.9.9');
  assert.equal(house.heard('dialled', peersRequest), 1);
  house.pass(1000);
  house.exchange.askAgain(house.dialler.fewerThanWanted);
  assert.equal(house.heard('dialled', peersRequest), 0);
});

test('where addresses are not exchanged nobody is asked for any, and nobody is told', () => {
  for (const exchangesPeers of [true, false]) {
    const dialled: DialEvents[] = [];
    const clock = new HandClock(3_000_000);
    const world = quietWorld(clock, new StillChain(1000));
    const settings = networkSettings({ exchangesPeers, seeds: [{ host: '5.5.5.5', port: 9290 }] });
    const network = new Network(
      { ...world, dial: (_, events) => dialled.push(events) },
      { settings, book: new AddressBook(false), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 1024 },
    );
    network.start();
    const greet = (pipe: HandPipe, listener: PipeListener | undefined): void => {
      pipe.listener = listener;
      listener?.received(encodeFrame(0, 0, GREETING, false));
    };
    const seed = new HandPipe(makeNodeId('seed'), false, { host: '5.5.5.5', port: 9290 });
    greet(seed, dialled[0]?.connected(seed));
    assert.equal(countFrames(seed, peersRequest), exchangesPeers ? 1 : 0);
    const caller = new HandPipe(makeNodeId('caller'), true, { host: '6.6.6.6', port: 1 });
    greet(
      caller,
      network.accept(
        caller,
        present(
          network.admit('6.6.6.6', () => undefined),
          'a place',
        ),
      ),
    );
    caller.listener?.received(encodeFrame(18, 0, new Uint8Array(0), false));
    clock.pass(1);
    assert.equal(countFrames(caller, peers), exchangesPeers ? 1 : 0);
    network.stop();
  }
});
