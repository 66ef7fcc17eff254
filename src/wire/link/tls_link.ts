import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getDefaultHighWaterMark, setDefaultHighWaterMark } from 'node:stream';
import { connect, createSecureContext, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { idOfCertificate, type NodeCertificate } from '../../crypto/node_certificate.ts';
import type { Target, Address } from '../addresses.ts';
import type { DialEvents, Pipe, PipeListener } from './pipe.ts';
import type { NodeId } from '../wire_values.ts';

/** Decides who may begin a handshake: each costs a millisecond, whoever asks for it. */
export interface Doorkeeper {
  /**
   * A connection has come; undefined when it is to be dropped. `drop` is called when its place is given to somebody
   * else.
   */
  admit(host: string, drop: () => void): Admission | undefined;
}

/** A place of somebody who is not a peer yet. */
export interface Admission {
  /** The other side may become a peer; the result listens to the pipe. The maker of the pipe gives the place back. */
  connected(pipe: Pipe): PipeListener | undefined;
  /** The connection has ended before. */
  ended(): void;
}

export interface TlsLinkOptions {
  readonly identity: NodeCertificate;
  readonly clock: Clock;
}

const PROTOCOL_NAME = 'pharos/1';
/** From the first byte to a finished handshake: 3 round trips of the slowest link. */
const HANDSHAKE_WITHIN_MS = 5000;
const HANDSHAKE_LOOK_EACH_MS = 250;
/** A handshake takes about 2 KiB. */
const MOST_HANDSHAKE_BYTES = 8 * 1024;
/** The time that written bytes may take to leave when a link is closed. */
const LINGER_MS = 2000;

/**
 * Links of TLS 1.3 in which both sides show an Ed25519 key: the only file that knows of it. One curve, one cipher, one
 * kind of signature, no tickets: a stranger chooses nothing that costs more.
 */
export class TlsLinks {
  readonly #clock: Clock;
  readonly #settings;
  readonly #tls;
  readonly #sockets = new Set<Socket>();
  /** By the address of the other side: who has been admitted and has not finished the handshake. */
  readonly #greeting = new Map<string, Greeting>();
  #server: Server | undefined;

  constructor({ identity, clock }: TlsLinkOptions) {
    this.#clock = clock;
    const context = {
      key: identity.privateKey,
      cert: identity.certificate,
      minVersion: 'TLSv1.3',
      ciphers: 'TLS_AES_128_GCM_SHA256',
      ecdhCurve: 'X25519',
      sigalgs: 'ed25519',
    } as const;
    // The chain of trust is off: the key is all that counts, and the handshake proves that the other side holds it.
    const shown = { ALPNProtocols: [PROTOCOL_NAME], requestCert: true, rejectUnauthorized: false };
    // A server makes its context itself, whatever it is given.
    this.#settings = { ...shown, secureContext: createSecureContext(context) };
    this.#tls = createTlsServer({ ...context, ...shown }, (socket) => this.#greeted(socket));
    this.#tls.on('tlsClientError', (_, socket) => socket.destroy());
  }

  /** Takes connections from now on; answers the port. */
  async listen(host: string, port: number, doorkeeper: Doorkeeper): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#admit(socket, doorkeeper));
    this.#server = server;
    return await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve(listeningPort(server.address())));
    });
  }

  dial({ host, port, id }: Target, events: DialEvents): void {
    const socket = withoutReadAhead(() => connect({ ...this.#settings, host, port, servername: '' }));
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    let isOver = false;
    const fail = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      socket.destroy();
      events.failed(reason);
    };
    const cancel = this.#clock.after(HANDSHAKE_WITHIN_MS, () => fail('no answer in time'), false);
    socket.on('error', (error: Error) => fail(error.message));
    socket.on('close', () => {
      this.#sockets.delete(socket);
      fail('closed');
    });
    socket.once('secureConnect', () => {
      const peer = peerNodeId(socket);
      if (peer === undefined) return fail(`it does not speak ${PROTOCOL_NAME} with an Ed25519 key`);
      if (id !== undefined && id !== peer) return fail(`somebody else is there: ${peer}`);
      if (isOver) return;
      isOver = true;
      cancel();
      new TlsPipe(socket, this.#clock, peer).listenWith(events.connected);
    });
  }

  /** Ends all links. */
  async close(): Promise<void> {
    const server = this.#server;
    const closed = server === undefined ? undefined : new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #admit(socket: Socket, doorkeeper: Doorkeeper): void {
    const address = remoteEndpoint(socket);
    const admission = doorkeeper.admit(address.host, () => socket.destroy());
    if (admission === undefined) return void socket.destroy();
    const key = addressKey(address);
    this.#sockets.add(socket);
    const greeting: Greeting = { admission, below: socket, cancel: () => undefined };
    this.#greeting.set(key, greeting);
    const startedMs = this.#clock.elapsedMs();
    const look = (): void => {
      const isLate = this.#clock.elapsedMs() - startedMs > HANDSHAKE_WITHIN_MS;
      if (isLate || socket.bytesRead > MOST_HANDSHAKE_BYTES) socket.destroy();
      else greeting.cancel = this.#clock.after(HANDSHAKE_LOOK_EACH_MS, look, false);
    };
    look();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#greeting.get(key) === greeting) this.#endGreeting(key, greeting);
    });
    withoutReadAhead(() => this.#tls.emit('connection', socket));
  }

  #endGreeting(key: string, { admission, cancel }: Greeting): void {
    this.#greeting.delete(key);
    cancel();
    admission.ended();
  }

  /** A handshake is done. */
  #greeted(socket: TLSSocket): void {
    const address = remoteEndpoint(socket);
    const key = addressKey(address);
    const greeting = this.#greeting.get(key);
    socket.on('error', () => socket.destroy());
    if (greeting === undefined) return void socket.destroy();
    this.#greeting.delete(key);
    greeting.cancel();
    const peer = peerNodeId(socket);
    if (peer === undefined) {
      greeting.admission.ended();
      return void socket.destroy();
    }
    const { below, admission } = greeting;
    new TlsPipe(socket, this.#clock, peer, below).listenWith((pipe) => admission.connected(pipe));
  }
}

interface Greeting {
  readonly admission: Admission;
  readonly below: Socket;
  cancel: () => void;
}

/** The id that the other side has shown; undefined when it has shown none that counts. */
function peerNodeId(socket: TLSSocket): NodeId | undefined {
  // A resumed session shows no key, and nobody needs one.
  if (socket.getProtocol() !== 'TLSv1.3' || socket.alpnProtocol !== PROTOCOL_NAME || socket.isSessionReused())
    return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? undefined : idOfCertificate(certificate);
}

function remoteEndpoint({ remoteAddress = '', remotePort = 0 }: Socket): Address {
  // IPv4 that came over a socket of IPv6.
  return { host: remoteAddress.replace(/^::ffff:(?=\d+\.)/, ''), port: remotePort };
}

function addressKey({ host, port }: Address): string {
  return `${host} ${port}`;
}

function listeningPort(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Makes a socket that reads nothing while it is paused. By default it would go on until 64 KiB wait: of records of a
 * byte each the thread would read 65 536, and wake for each of them. A server of TLS hands no such setting on.
 */
function withoutReadAhead<T>(make: () => T): T {
  const usual = getDefaultHighWaterMark(false);
  setDefaultHighWaterMark(false, 1);
  try {
    return make();
  } finally {
    setDefaultHighWaterMark(false, usual);
  }
}

/** A waiting write takes this memory besides its bytes, so that many small ones count for what they are. */
const WRITE_BYTES = 512;

/** A finished handshake as a pipe. */
class TlsPipe implements Pipe {
  readonly peer: NodeId;
  readonly address: Address;
  readonly isInbound: boolean;
  readonly #socket: TLSSocket;
  /** The socket below an inbound one, and the bytes of the handshake. */
  readonly #below: Socket | undefined;
  readonly #greetingBytes: number;
  readonly #clock: Clock;
  #listener: PipeListener | undefined;
  #writes = 0;
  /** The socket tells of itself only when it had much to do. */
  readonly #written = (): void => {
    this.#writes--;
    if (this.#writes === 0) this.#listener?.drained();
  };

  constructor(socket: TLSSocket, clock: Clock, peer: NodeId, below?: Socket) {
    this.peer = peer;
    this.address = remoteEndpoint(socket);
    this.isInbound = below !== undefined;
    this.#socket = socket;
    this.#below = below;
    this.#greetingBytes = below?.bytesRead ?? 0;
    this.#clock = clock;
  }

  get waitingBytes(): number {
    return this.#socket.writableLength + this.#writes * WRITE_BYTES;
  }

  get carriedBytes(): number | undefined {
    return this.#below && this.#below.bytesRead - this.#greetingBytes;
  }

  /** Asks who listens, and begins to read. */
  listenWith(attach: (pipe: Pipe) => PipeListener | undefined): void {
    const socket = this.#socket;
    this.#listener = attach(this);
    if (this.#listener === undefined) return void socket.destroy();
    socket.on('data', (bytes: Uint8Array) => this.#listener?.received(bytes));
    socket.on('drain', () => this.#listener?.drained());
    socket.on('end', () => this.#lost());
    socket.on('close', () => this.#lost());
  }

  write(bytes: Uint8Array): void {
    if (!this.#socket.writable) return;
    this.#writes++;
    this.#socket.write(bytes, this.#written);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#listener = undefined;
    const socket = this.#socket;
    const cancel = this.#clock.after(LINGER_MS, () => socket.destroy(), false);
    socket.once('close', cancel);
    socket.end();
    // Whatever still comes is not read: nobody pays for it any more. The other side has time to read the last word.
    socket.pause();
  }

  #lost(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#socket.destroy();
    listener?.closed();
  }
}
