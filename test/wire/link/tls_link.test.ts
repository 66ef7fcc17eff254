import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { nodeCertificate } from '../../../src/crypto/node_certificate.ts';
import type { Pipe } from '../../../src/wire/link/pipe.ts';
import { TlsLinks, type Doorkeeper } from '../../../src/wire/link/tls_link.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { foreignCertificate } from '../../builders/foreign_certificate.ts';

/** The received bytes of a pipe, and its end. */
class Heard {
  readonly pipe: Pipe;
  text = '';
  isClosed = false;
  #wake: () => void = () => undefined;

  constructor(pipe: Pipe) {
    this.pipe = pipe;
  }

  received(bytes: Uint8Array): void {
    this.text += Buffer.from(bytes).toString('latin1');
    this.#wake();
  }

  drained(): void {
    this.#wake();
  }

  closed(): void {
    this.isClosed = true;
    this.#wake();
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

class Door implements Doorkeeper {
  readonly peers: Heard[] = [];
  readonly admitted: string[] = [];
  ended = 0;
  isOpen = true;
  dropLast: () => void = () => undefined;
  #wake: () => void = () => undefined;

  admit(host: string, drop: () => void): ReturnType<Doorkeeper['admit']> {
    this.admitted.push(host);
    this.dropLast = drop;
    this.#wake();
    if (!this.isOpen) return undefined;
    const ended = (): void => {
      this.ended++;
      this.#wake();
    };
    const connected = (pipe: Pipe): Heard => {
      const heard = new Heard(pipe);
      this.peers.push(heard);
      this.#wake();
      return heard;
    };
    return { connected, ended };
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

const secret = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const [own, other] = [nodeCertificate(secret(1)), nodeCertificate(secret(2))];
const opened: TlsLinks[] = [];
const sockets: { destroy(): unknown }[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const links of opened.splice(0)) await links.close();
});

/** Ends when a socket has, whatever ended it. */
async function closing(socket: { once(event: 'close', run: () => void): unknown }): Promise<void> {
  await new Promise<void>((resolve) => socket.once('close', resolve));
}

async function listening(): Promise<{ door: Door; clock: HandClock; port: number }> {
  const [door, clock] = [new Door(), new HandClock(0)];
  const links = new TlsLinks({ identity: own, clock });
  opened.push(links);
  return { door, clock, port: await links.listen('127.0.0.1', 0, door) };
}

/** The same, with the sockets below its links. */
async function openListener(): Promise<{ door: Door; port: number; raw: readonly Socket[] }> {
  const raw: Socket[] = [];
  const { door, port } = await listening();
  const note = (message: unknown): void => {
    const { socket }: { socket: Socket } = Object(message);
    if (socket.localPort === port) raw.push(socket);
  };
  subscribe('net.server.socket', note);
  sockets.push({ destroy: () => unsubscribe('net.server.socket', note) });
  return { door, port, raw };
}

/** Dials as a node would; a text says why it failed. */
async function dialled(port: number, id?: string): Promise<Heard | string> {
  const links = new TlsLinks({ identity: other, clock: new HandClock(0) });
  opened.push(links);
  return await new Promise((resolve) => {
    links.dial(
      { host: '127.0.0.1', port, id },
      {
        connected: (pipe) => {
          const heard = new Heard(pipe);
          resolve(heard);
          return heard;
        },
        failed: resolve,
      },
    );
  });
}

/** A stranger's handshake that is right but for what is said. */
function stranger(port: number, differently: ConnectionOptions): TLSSocket {
  const socket = connect({
    host: '127.0.0.1',
    port,
    key: other.privateKey,
    cert: other.certificate,
    ALPNProtocols: ['pharos/1'],
    minVersion: 'TLSv1.3',
    rejectUnauthorized: false,
    ...differently,
  });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

test('both sides know who the other one is, and bytes go both ways, many and few', async () => {
  const { door, port } = await listening();
  const dialler = await dialled(port, own.id);
  assert(dialler instanceof Heard);
  assert.equal(dialler.pipe.peer, own.id);
  await door.until(() => door.peers.length === 1);
  const [listener = assert.fail()] = door.peers;
  assert.equal(listener.pipe.peer, other.id);
  assert.deepEqual([dialler.pipe.isInbound, listener.pipe.isInbound], [false, true]);
  assert.equal(listener.pipe.address.host, '127.0.0.1');
  dialler.pipe.write(Buffer.from('to the listener'));
  await listener.until(() => listener.text.length === 15);
  assert.equal(listener.text, 'to the listener');
  const much = 'x'.repeat(3_000_000);
  listener.pipe.write(Buffer.from(much));
  await dialler.until(() => dialler.text.length === much.length);
  assert.equal(dialler.text, much);
  // What was written before the close still comes.
  listener.pipe.write(Buffer.from('bye'));
  listener.pipe.close();
  await dialler.until(() => dialler.isClosed);
  assert(dialler.text.endsWith('bye'));
  assert(!listener.isClosed);
});

test('while a link is paused nothing is read of it, however little comes at once', async () => {
  const { door, port, raw } = await openListener();
  const writer = await dialled(port, own.id);
  assert(writer instanceof Heard);
  await door.until(() => door.peers.length === 1);
  const [[reader = assert.fail()], [socket = assert.fail()]] = [door.peers, raw];
  const say = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      writer.pipe.write(Buffer.from('x'));
      await pause(1);
    }
  };
  await say(5);
  await reader.until(() => reader.text.length === 5);
  reader.pipe.pause();
  await say(50);
  const { bytesRead } = socket;
  const { carriedBytes = 0 } = reader.pipe;
  assert.ok(carriedBytes >= 5 * 23 && carriedBytes <= 55 * 23, `${carriedBytes} bytes`);
  await say(150);
  assert.equal(socket.bytesRead, bytesRead);
  assert.equal(reader.text.length, 5);
  reader.pipe.resume();
  await reader.until(() => reader.text.length === 205);
  assert.ok(socket.bytesRead > bytesRead);
});

test('of a link that this side has closed nothing is read any more, and its last word still comes', async () => {
  const { door, port, raw } = await openListener();
  const flooder = await dialled(port, own.id);
  assert(flooder instanceof Heard);
  await door.until(() => door.peers.length === 1);
  const [[closer = assert.fail()], [socket = assert.fail()]] = [door.peers, raw];
  for (let count = 0; count < 40; count++) flooder.pipe.write(new Uint8Array(100_000));
  closer.pipe.write(Buffer.from('bye'));
  closer.pipe.close();
  await flooder.until(() => flooder.text === 'bye');
  const { bytesRead } = socket;
  await pause(100);
  assert.equal(socket.bytesRead, bytesRead);
  assert.ok(bytesRead < 1_000_000, `${bytesRead} bytes`);
});

test('the certificate of a secret is always the same, that of another secret another', () => {
  assert.deepEqual(nodeCertificate(secret(1)), own);
  assert.notEqual(own.id, other.id);
  assert.match(own.id, /^[0-9a-f]{64}$/);
});

test('somebody else than the one who was expected is left at once', async () => {
  const { port } = await listening();
  assert.match(String(await dialled(port, other.id)), /^somebody else is there: [0-9a-f]{64}$/);
});

const foreign = foreignCertificate();
const strangers: Readonly<Record<string, ConnectionOptions>> = {
  'who shows no certificate': { key: undefined, cert: undefined },
  'with a key of another kind': { key: foreign.key, cert: foreign.certificate },
  'who offers no protocol': { ALPNProtocols: undefined },
  'who offers another protocol': { ALPNProtocols: ['h2'] },
  'of TLS 1.2': { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  'with another curve': { ecdhCurve: 'P-256' },
  'who has no cipher in common': { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' },
};

for (const [name, differently] of Object.entries(strangers)) {
  test(`a stranger ${name} is dropped and gets no further than the handshake`, async () => {
    const { door, port } = await listening();
    await closing(stranger(port, differently));
    await door.until(() => door.ended >= 1);
    assert.equal(door.peers.length, 0);
  });
}

test('a session that is taken up again shows no key, so it is dropped', async () => {
  const { door, port } = await listening();
  const first = stranger(port, {});
  const [session] = (await once(first, 'session')) as [Buffer];
  const again = stranger(port, { session });
  let isReused = false;
  again.on('secureConnect', () => {
    isReused = again.isSessionReused();
  });
  await closing(again);
  assert(isReused, 'the test takes the session up again');
  await door.until(() => door.ended === 1);
  assert.equal(door.peers.length, 1);
});

test('garbage is dropped, and so is who says nothing or a byte now and then', async () => {
  const { door, clock, port } = await listening();
  const garbage = connectPlain(port, '127.0.0.1');
  sockets.push(garbage);
  garbage.on('error', () => undefined);
  garbage.write(Buffer.alloc(4000, 'GET / HTTP/1.1\r\n'));
  await closing(garbage);
  await door.until(() => door.ended === 1);

  const slow = connectPlain(port, '127.0.0.1');
  sockets.push(slow);
  slow.on('error', () => undefined);
  const closed = closing(slow);
  await door.until(() => door.admitted.length === 2);
  for (const byte of [0x16, 3, 1, 0, 200, 1]) {
    slow.write(Buffer.of(byte));
    clock.pass(900);
  }
  await closed;
  await door.until(() => door.ended === 2);
  assert.equal(door.peers.length, 0);
});

test('whoever is not admitted, or whose place is given to somebody else, is dropped before any handshake', async () => {
  const { door, port } = await listening();
  const waiting = connectPlain(port, '127.0.0.1');
  sockets.push(waiting);
  waiting.on('error', () => undefined);
  const closed = closing(waiting);
  await door.until(() => door.admitted.length === 1);
  door.dropLast();
  await closed;
  door.isOpen = false;
  assert.equal(typeof (await dialled(port)), 'string');
});

test('a dialled port where nobody answers has failed when its time is over', async () => {
  const clock = new HandClock(0);
  const links = new TlsLinks({ identity: own, clock });
  opened.push(links);
  const { createServer } = await import('node:net');
  const mute = createServer((socket) => sockets.push(socket));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const address = mute.address();
  assert(typeof address === 'object' && address !== null);
  const failed = new Promise<string>((resolve) => {
    links.dial({ host: '127.0.0.1', port: address.port }, { connected: () => assert.fail(), failed: resolve });
  });
  await once(mute, 'connection');
  clock.pass(5001);
  assert.equal(await failed, 'no answer in time');
  mute.close();
});
