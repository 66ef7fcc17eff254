import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addressGroup } from '../../../src/wire/addresses.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { goodbye } from '../../../src/wire/messages/goodbye.ts';
import type { Pipe } from '../../../src/wire/link/pipe.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { House } from '../house.ts';

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
  for (let count = 0; count < 20; count++)
    house.book.hear(`30.1.1.${count + 1}:9290`, makeNodeId(`near ${count}`), makeNodeId('teller'));
  for (let count = 0; count < 6; count++)
    house.book.hear(`4${count}.1.1.1:9290`, makeNodeId(`far ${count}`), makeNodeId('other'));
  house.pass(1);
  assert.equal(house.dialled.length, 8);
  const groups = new Set(house.dialled.map(({ target }) => addressGroup(target.host)));
  assert.equal(groups.size, 7, 'those of other groups before others of one');
  for (const [index, { target }] of house.dialled.slice(0, 8).entries())
    house.answers(index, `peer ${index}`, target.host);
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

test('a stopped dialler takes nobody in any more', () => {
  const house = new House({ seeds: [{ host: '5.5.5.5', port: 9290 }] });
  house.pass(1);
  house.dialler.stop();
  const pipe: Pipe & { isClosed: boolean } = new HandPipe(makeNodeId('late'), false, { host: '5.5.5.5', port: 9290 });
  house.dialled[0]?.events.connected(pipe);
  assert(pipe.isClosed);
});

for (const [hasNewBlocks, seconds] of [
  [true, [64, 128, 180, 180, 180]],
  [false, [5, 5, 5, 5, 5]],
] as const) {
  const when = hasNewBlocks
    ? 'each three minutes in the end, while there are new blocks'
    : 'each five seconds when there are none';
  test(`a seed that never answers is dialled ${when}, and somebody else is there`, () => {
    const house = new House({ seeds: [{ host: 'seed.example', port: 9290 }] });
    assert(house.comes('other', '8.8.8.8'));
    house.hasNewBlocks = hasNewBlocks;
    for (let second = 0; second < 1200; second++) {
      const before = house.dialled.length;
      house.pass(1);
      if (house.dialled.length > before) house.dialled.at(-1)?.events.failed('refused');
    }
    // Each attempt fails a second later.
    const waits = house.dialled
      .slice(1)
      .map(({ atMs }, index) => (atMs - (house.dialled[index]?.atMs ?? 0)) / 1000 - 1);
    assert.deepEqual(waits.slice(6, 11), seconds);
  });
}

test('peers of the last run come before addresses from the book, and those that have been here longest are kept for the next one', () => {
  const anchors = [1, 2].map((count) => ({ host: `66.${count}.1.1`, port: 9290, id: makeNodeId(`anchor ${count}`) }));
  const house = new House({ targetPeers: 3 }, anchors);
  for (let count = 0; count < 20; count++)
    house.book.noteReached({ host: `3${count}.1.1.1`, port: 9290 }, makeNodeId(`peer ${count}`), 0);
  house.pass(1);
  assert.deepEqual(
    house.dialled.slice(0, 2).map(({ target }) => target),
    anchors,
  );
  assert.equal(house.dialled.length, 3);
  for (const index of [2, 0, 1]) {
    house.answers(index, index === 2 ? 'third' : `anchor ${index + 1}`, house.dialled[index]?.target.host);
    house.clock.pass(1000);
  }
  assert.deepEqual(
    house.dialler.anchors(2).map(({ id }) => id),
    [makeNodeId('third'), makeNodeId('anchor 1')],
  );
});

test('who has delivered nothing, and a second one of a group, is no peer to begin with while there are others', () => {
  const house = new House({ targetPeers: 4 });
  const hosts = ['40.1.1.1', '50.1.1.1', '50.1.1.2', '60.1.1.1'];
  for (const [index, host] of hosts.entries())
    house.book.noteReached({ host, port: 9290 }, makeNodeId(`peer ${index}`), 0);
  house.pass(1);
  for (const [index, { target }] of house.dialled.entries()) {
    house.answers(index, target.host, target.host);
    house.clock.pass(1000);
  }
  const anchors = (): string[] => house.dialler.anchors(4).map(({ host }) => host);
  assert.equal(anchors().filter((host) => addressGroup(host) === '50.1.1').length, 1);
  for (const peer of house.joined) if (peer.pipe.address.host.startsWith('60')) peer.deliveries = 1;
  assert.equal(anchors()[0], '60.1.1.1');
});

test('while there are peers and no new blocks one connection more is made; where there is nobody else, none', () => {
  for (const [isStalled, dialled] of [
    [false, 3],
    [true, 4],
  ] as const) {
    const house = new House({ targetPeers: 3 });
    for (let count = 0; count < 20; count++)
      house.book.noteReached({ host: `3${count}.1.1.1`, port: 9290 }, makeNodeId(`peer ${count}`), 0);
    house.hasNewBlocks = !isStalled;
    house.pass(1);
    for (const [index, { target }] of house.dialled.entries()) house.answers(index, `peer ${index}`, target.host);
    house.pass(29);
    assert.equal(house.dialled.length, 3);
    house.pass(5);
    assert.equal(house.dialled.length, dialled);
  }
  const closed = new House({ targetPeers: 0 });
  closed.book.noteReached({ host: '30.1.1.1', port: 9290 }, makeNodeId('peer'), 0);
  closed.hasNewBlocks = false;
  closed.comes('other', '8.8.8.8');
  closed.pass(60);
  assert.equal(closed.dialled.length, 0, 'whoever wants no peers gets none');
});
