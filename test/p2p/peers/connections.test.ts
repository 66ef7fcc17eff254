import assert from 'node:assert/strict';
import { test } from 'node:test';

import { range } from '../../../src/wire/messages/range.ts';
import { makeNodeId } from '../../builders/pipes.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { House } from '../house.ts';

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
  const [small = '', large = ''] = names.toSorted((a, b) => (makeNodeId(a) < makeNodeId(b) ? -1 : 1));
  for (const first of ['inbound', 'outbound']) {
    const keptConnection = (name: string, other: string): string => {
      const house = new House({ ownId: makeNodeId(name) });
      house.dialler.add({ host: '9.9.9.9', port: 9290 });
      house.dialler.tick();
      const come = (): unknown => house.comes(other, '9.9.9.9');
      const dial = (): unknown => house.answers(0, other, '9.9.9.9');
      for (const meet of first === 'inbound' ? [come, dial] : [dial, come]) meet();
      const [left = assert.fail(), ...more] = house.connections.live;
      assert.equal(more.length, 0);
      assert.equal(left.dialledAt?.host, '9.9.9.9', 'it was dialled, whichever link stays');
      return left.pipe.isInbound ? other : name;
    };
    assert.equal(keptConnection(small, large), small);
    assert.equal(keptConnection(large, small), small);
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
  for (let count = 0; count < 8; count++) assert(left.has(makeNodeId(`old ${count}`)));
  for (let count = 0; count < 5; count++) assert(left.has(makeNodeId(`useful ${count}`)));
});

test('where each has a group of its own, a full node drops another one each time, by chance, and the worst first', () => {
  const droppedPeers = (seed: number): number[] => {
    const house = new House({ maxConnections: 30 }, [], new RandomSource(seed));
    for (let count = 0; count < 30; count++) {
      house.clock.pass(100);
      assert(house.comes(`early ${count}`, `${70 + count}.1.1.1`));
    }
    house.clock.pass(60_000);
    house.joined[29]?.offend('timeout', 'an answer is late');
    assert(house.comes('first', '200.1.1.1'));
    assert(house.pipes.get(makeNodeId('early 29'))?.isClosed, 'the worst is dropped first');
    for (let count = 0; count < 10; count++) assert(house.comes(`late ${count}`, `${150 + count}.1.1.1`));
    return Array.from({ length: 29 }, (_, index) => index).filter(
      (index) => house.pipes.get(makeNodeId(`early ${index}`))?.isClosed,
    );
  };
  const [one, other] = [droppedPeers(1), droppedPeers(2)];
  assert(one.length > 3 && other.length > 3);
  assert.notDeepEqual(one, other, 'full nodes do not all drop the same peers');
  assert(one.every((index) => index >= 8) && other.every((index) => index >= 8), 'the oldest stay');
});

test('whoever is banned stays out, by its id and by its address; who was chosen is only dropped', () => {
  const house = new House({ seeds: [{ host: '5.5.5.5', port: 9290, id: makeNodeId('pinned') }] });
  assert(house.comes('liar', '1.2.3.4'));
  house.joined[0]?.offend('lie', 'a lie');
  assert(house.pipes.get(makeNodeId('liar'))?.isClosed);
  assert(!house.comes('liar', '9.9.9.9') && !house.comes('friend of the liar', '1.2.3.4'));
  house.clock.pass(3_600_001);
  assert(house.comes('liar', '9.9.9.9'));
  assert(house.comes('pinned', '5.5.5.5'));
  house.joined.at(-1)?.offend('lie', 'a mistake');
  assert(house.pipes.get(makeNodeId('pinned'))?.isClosed);
  assert(house.comes('pinned', '5.5.5.5'));
  // Whoever we have dialled may share its address with others.
  house.dialler.add({ host: '6.6.6.6', port: 9290 });
  house.dialler.tick();
  house.answers(0, 'dialled', '7.7.7.7');
  house.joined.at(-1)?.offend('lie', 'a lie');
  assert(!house.comes('dialled', '8.8.8.8') && house.comes('its neighbour', '7.7.7.7'));
});

test('on a private network nobody else gets in', () => {
  const house = new House({ allowed: new Set([makeNodeId('friend')]) });
  assert(house.comes('friend', '1.2.3.4'));
  assert(!house.comes('stranger', '1.2.3.5'));
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
