import assert from 'node:assert/strict';
import { createConnection, type Socket } from 'node:net';
import { after, test } from 'node:test';

import { produce, testParameters } from '../builders/chain.ts';
import { TlsNode } from '../builders/tls_node.ts';
import { dialLocally, HostilePeer, kinds, newIdentity } from './hostile_peer.ts';

const parameters = testParameters();
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The first bytes of a ClientHello, whose rest never comes. */
const HALF_HELLO = Buffer.from('1603010200010001fc0303', 'hex');
const HALF_OPEN = 150;
const SLOW_PEERS = 6;
const RANGE_QUESTIONS = 40;
/** Above 8 MiB nothing more is built for a peer, and one range may be on its way there. */
const MOST_WAITING_BYTES = SLOW_PEERS * 12 * 1024 * 1024;

function makeNode(...options: ConstructorParameters<typeof TlsNode>): TlsNode {
  const node = new TlsNode(...options);
  ends.push(() => node.stop());
  return node;
}

test('handshakes that are begun and never finished hold up nobody who finishes his', async () => {
  const maker = makeNode({ number: 11, parameters });
  for (let number = 0; number < 50; number++) produce(maker.line.chain);
  const seed = await maker.listen();
  const sockets: Socket[] = [];
  for (let count = 0; count < HALF_OPEN; count++) {
    const socket = createConnection({ ...seed, localAddress: `127.0.${count % 16}.9` }, () => socket.write(HALF_HELLO));
    socket.on('error', () => socket.destroy());
    sockets.push(socket);
  }
  ends.push(() => sockets.forEach((socket) => socket.destroy()));
  const follower = makeNode({ number: 12, parameters, seeds: [seed] });
  await follower.listen();
  await follower.until(() => follower.line.head.number === 50);
  assert.ok(maker.network.gate.unfinished <= 64, `${maker.network.gate.unfinished} places`);
});

test('a peer that asks for ranges and reads none gets no more than 8 MiB and the range behind it, and who reads gets its blocks', async () => {
  const maker = makeNode({ number: 13, parameters });
  for (let number = 0; number < 1500; number++) produce(maker.line.chain);
  const seed = await maker.listen();
  const slow: HostilePeer[] = [];
  for (let count = 0; count < SLOW_PEERS; count++)
    ends.push(
      dialLocally(`127.0.0.${20 + count}`, seed.port, newIdentity(), (parts) => {
        const peer = new HostilePeer(parts, (claimed) => ({ claimed }));
        peer.consumes = false;
        slow.push(peer);
        return peer;
      }),
    );
  await maker.until(() => maker.network.connections.live.length === SLOW_PEERS);
  for (const peer of slow)
    for (let number = 0; number < RANGE_QUESTIONS; number++) peer.send(kinds.range_request, rangeQuestion(number));
  const follower = makeNode({ number: 14, parameters, seeds: [seed] });
  await follower.listen();
  await follower.until(() => follower.line.head.number === 1500);
  const { queued } = maker.network.connections.traffic();
  assert.ok(queued <= MOST_WAITING_BYTES, `${queued} bytes wait for peers that read nothing`);
});

/** Number of the question, from block 1, whatever is before it, a thousand blocks, 4 MiB. */
function rangeQuestion(number: number): Buffer {
  const question = Buffer.alloc(34);
  question.writeUInt32LE(number);
  question.writeUInt32LE(1, 4);
  question.writeUInt16LE(1000, 28);
  question.writeUInt32LE(4 * 1024 * 1024, 30);
  return question;
}
