import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createConnection } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';

/**
 * A hostile peer, written from the network's description alone: it imports nothing of src/p2p. It says what its script
 * tells it, over a real socket or over a pipe of the simulator.
 */

export const kinds = {
  hello: 0,
  status: 1,
  goodbye: 2,
  ping: 3,
  pong: 4,
  block_announcement: 5,
  compact_block: 6,
  block_request: 7,
  block: 10,
  ancestor_request: 14,
  ancestor: 15,
  range_request: 16,
  range: 17,
  peers_request: 18,
  peers: 19,
  state_hash: 24,
} as const;

const LANES: Readonly<Record<number, number>> = { 5: 1, 6: 1, 10: 1, 17: 3 };
const MORE_FOLLOWS = 0x80;
const HEADER_BYTES = 6;
const MOST_PAYLOAD = 65_536;
const CONSUMED = 22;
const ANOTHER_FINAL_BLOCK = 11;

/** A peer's claim about its chain. */
export interface Claimed {
  readonly head: number;
  readonly headId: Buffer;
  readonly final: number;
  readonly finalId: Buffer;
}

/** An id of nothing: number, then filler. */
export function inventedId(number: number, filler = 0xee): Buffer {
  const id = Buffer.alloc(20, filler);
  id.writeUInt32BE(number);
  return id;
}

/** Takes what the other side says of its own chain and says something else of it. */
export function varied(seen: Claimed, change: Partial<Claimed>): Claimed {
  return { ...seen, ...change };
}

export interface HostileParts {
  readonly write: (bytes: Buffer) => void;
  readonly end: () => void;
}

/** One connection of the hostile peer. */
export class HostilePeer {
  readonly #parts: HostileParts;
  readonly #answers = new Map<number, (payload: Buffer) => void>();
  #waiting: Buffer = Buffer.alloc(0);
  readonly #halves = new Map<number, Buffer>();
  #paced = 0;
  #saidPaced = 0;
  /** The latest standing that the other side has told; undefined before its hello. */
  seen: Claimed | undefined;
  /** The reason of the goodbye that it was told. */
  dismissed: number | undefined;
  isClosed = false;
  /** True when it reads the answers to its requests. */
  consumes = true;
  readonly heard = new Map<number, number>();

  /** `greeting` makes its hello of that of the other side. */
  constructor(
    parts: HostileParts,
    greeting: (seen: Claimed) => { readonly claimed: Claimed; readonly clockAheadMs?: number; readonly nowMs?: number },
  ) {
    this.#parts = parts;
    this.on(kinds.hello, (payload) => {
      const seen = this.#readHello(payload);
      this.seen = seen;
      const { claimed, clockAheadMs = 0, nowMs = Date.now() } = greeting(seen);
      this.#sayHello(payload, claimed, nowMs + clockAheadMs);
    });
    this.on(kinds.ping, (payload) => this.send(kinds.pong, payload));
    this.on(kinds.status, (payload) => (this.seen = readStanding(payload, 0)));
    this.on(kinds.goodbye, (payload) => (this.dismissed = payload[0]));
  }

  on(kind: number, run: (payload: Buffer) => void): void {
    this.#answers.set(kind, run);
  }

  send(kind: number, payload: Buffer = Buffer.alloc(0)): void {
    const lane = LANES[kind] ?? 0;
    for (let at = 0; at === 0 || at < payload.length; at += MOST_PAYLOAD) {
      const part = payload.subarray(at, at + MOST_PAYLOAD);
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(part.length);
      header[4] = kind;
      header[5] = lane | (at + MOST_PAYLOAD < payload.length ? MORE_FOLLOWS : 0);
      if (!this.isClosed) this.#parts.write(Buffer.concat([header, part]));
    }
  }

  claim(claimed: Claimed): void {
    this.send(kinds.status, standing(claimed));
  }

  /** Says goodbye as a node does where another block is final. */
  refuses(): void {
    this.send(kinds.goodbye, Buffer.concat([Buffer.from([ANOTHER_FINAL_BLOCK, 0]), Buffer.alloc(4)]));
    this.#parts.end();
  }

  receive(bytes: Uint8Array): void {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    while (this.#waiting.length >= HEADER_BYTES) {
      const length = this.#waiting.readUInt32LE(0);
      if (this.#waiting.length < HEADER_BYTES + length) return;
      const [kind = 0, flags = 0] = this.#waiting.subarray(4, 6);
      const payload = this.#waiting.subarray(HEADER_BYTES, HEADER_BYTES + length);
      this.#waiting = this.#waiting.subarray(HEADER_BYTES + length);
      this.#takeFrame(kind, flags, payload);
    }
  }

  #takeFrame(kind: number, flags: number, payload: Buffer): void {
    const lane = flags & 3;
    if (lane >= 2) this.#consume(payload.length + HEADER_BYTES);
    const whole = Buffer.concat([this.#halves.get(lane) ?? Buffer.alloc(0), payload]);
    this.#halves.delete(lane);
    if ((flags & MORE_FOLLOWS) !== 0) return void this.#halves.set(lane, whole);
    this.heard.set(kind, (this.heard.get(kind) ?? 0) + 1);
    this.#answers.get(kind)?.(whole);
  }

  #consume(bytes: number): void {
    this.#paced += bytes;
    if (!this.consumes || this.#paced - this.#saidPaced < MOST_PAYLOAD) return;
    this.#saidPaced = this.#paced;
    const said = Buffer.alloc(8);
    said.writeBigUInt64LE(BigInt(this.#paced));
    this.send(CONSUMED, said);
  }

  #readHello(payload: Buffer): Claimed {
    const [, at] = skipText(payload, 66);
    let place = at + 1;
    for (let left = payload[at] ?? 0; left > 0; left--) [, place] = skipText(payload, place);
    return readStanding(payload, place + 8);
  }

  /** Protocol, chain and profile as the other side has them. */
  #sayHello(theirs: Buffer, claimed: Claimed, clockMs: number): void {
    const agent = Buffer.from('hostile');
    const tail = Buffer.alloc(8);
    tail.writeBigUInt64LE(BigInt(Math.trunc(clockMs)));
    const roles = Buffer.from([3, 0, 0, 0, 1, 0, 0, 0]);
    this.send(
      kinds.hello,
      Buffer.concat([
        theirs.subarray(0, 66),
        Buffer.from([agent.length]),
        agent,
        Buffer.from([0]),
        roles,
        standing(claimed),
        tail,
      ]),
    );
  }
}

function skipText(payload: Buffer, at: number): [string, number] {
  const length = payload[at] ?? 0;
  return [payload.subarray(at + 1, at + 1 + length).toString(), at + 1 + length];
}

function standing({ head, headId, final, finalId }: Claimed): Buffer {
  const numbers = [Buffer.alloc(4), Buffer.alloc(4)] as const;
  numbers[0].writeUInt32LE(head);
  numbers[1].writeUInt32LE(final);
  return Buffer.concat([numbers[0], headId, numbers[1], finalId]);
}

function readStanding(payload: Buffer, at: number): Claimed {
  const copy = (from: number): Buffer => Buffer.from(payload.subarray(from, from + 20));
  return {
    head: payload.readUInt32LE(at),
    headId: copy(at + 4),
    final: payload.readUInt32LE(at + 24),
    finalId: copy(at + 28),
  };
}

/** A key and a certificate of its own, as the description asks: version 3, any names, any dates, Ed25519. */
export interface HostileIdentity {
  readonly id: string;
  readonly key: string;
  readonly certificate: string;
}

export function newIdentity(): HostileIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const spki: Buffer = publicKey.export({ format: 'der', type: 'spki' });
  const der = makeCertificate(spki, privateKey);
  const text = der.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    id: spki.subarray(-32).toString('hex'),
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}

function makeCertificate(spki: Buffer, key: KeyObject): Buffer {
  const algorithm = Buffer.from('300506032b6570', 'hex');
  const name = Buffer.from('300c310a300806035504030c0178', 'hex');
  const dates = tlv(0x30, tlv(0x17, Buffer.from('250101000000Z')), tlv(0x17, Buffer.from('490101000000Z')));
  const body = tlv(
    0x30,
    Buffer.from('a003020102', 'hex'),
    tlv(0x02, Buffer.from([7])),
    algorithm,
    name,
    dates,
    name,
    spki,
  );
  return tlv(0x30, body, algorithm, tlv(0x03, Buffer.from([0]), sign(null, body, key)));
}

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

/** A script of a connection. */
export type HostileScript = (parts: HostileParts) => HostilePeer;

/** Somebody's door on a real socket, and how to shut it. */
export interface HostileDoor {
  readonly port: number;
  readonly close: () => void;
}

const TLS = {
  minVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
  ecdhCurve: 'X25519',
  rejectUnauthorized: false,
} as const;

/** Waits for nodes that dial. */
export async function openDoor(host: string, identity: HostileIdentity, script: HostileScript): Promise<HostileDoor> {
  const sockets = new Set<TLSSocket>();
  const server = createServer(
    { ...TLS, key: identity.key, cert: identity.certificate, requestCert: true, ALPNProtocols: ['pharos/1'] },
    (socket) => {
      sockets.add(socket);
      attach(socket, script);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: typeof address === 'object' && address !== null ? address.port : 0, close };
}

/** Dials a node from an address of its own. */
export function dialLocally(
  localAddress: string,
  port: number,
  identity: HostileIdentity,
  script: HostileScript,
): () => void {
  const { key, certificate: cert } = identity;
  const plain = createConnection({ host: '127.0.0.1', port, localAddress });
  plain.on('error', () => plain.destroy());
  const socket = connect({ ...TLS, key, cert, socket: plain, ALPNProtocols: ['pharos/1'] });
  socket.once('secureConnect', () => attach(socket, script));
  socket.on('error', () => socket.destroy());
  return () => socket.destroy();
}

function attach(socket: TLSSocket, script: HostileScript): void {
  const peer = script({ write: (bytes) => void socket.write(bytes), end: () => socket.end() });
  socket.on('data', (bytes: Buffer) => peer.receive(bytes));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => (peer.isClosed = true));
}
