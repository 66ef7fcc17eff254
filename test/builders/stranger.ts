import { createSecureContext, connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { connect, type Socket } from 'node:net';

import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { encodeFrame } from '../../src/wire/link/frame.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { MessageReader } from '../../src/wire/link/message_reader.ts';
import { messageKinds } from '../../src/wire/messages/index.ts';
import { goodbye } from '../../src/wire/messages/goodbye.ts';
import { ByteBudget } from '../../src/wire/link/byte_budget.ts';
import type { MessageForm } from '../../src/wire/message_kind.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { foreignCertificate } from './foreign_certificate.ts';

/** The port that a stranger dials, and its loopback address. */
export interface PeerPort {
  readonly port: number;
  readonly from: string;
}

/** One who knocks, until he is turned away. */
export class Stranger {
  readonly socket: Socket;
  /** True when the TLS handshake was right. */
  hasShaken = false;
  /** The reason of a goodbye. */
  reason: number | undefined;
  /** It has been accepted by the kernel, whatever comes then. */
  readonly arrived: Promise<boolean>;
  readonly ended: Promise<void>;
  isEnded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('secureConnect', () => (this.hasShaken = true));
    this.arrived = new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
    this.ended = new Promise((resolve) =>
      socket.once('close', () => {
        this.isEnded = true;
        resolve();
      }),
    );
    // Who does not read never hears that it is over.
    socket.resume();
  }

  /** Says this a byte a second. */
  drip(bytes: Uint8Array): void {
    let at = 0;
    const timer = setInterval(() => this.socket.write(bytes.subarray(at, ++at)), 1000);
    void this.ended.then(() => clearInterval(timer));
  }

  /** Takes the node's hello as its own but for what is said differently, so that everything else is right. */
  greet(differently: Parameters<typeof greetingLike>[1] = {}): void {
    const answer = (form: MessageForm, bytes: Uint8Array): void => {
      if (form === hello) this.socket.write(greetingLike(bytes, differently));
      if (form === goodbye) this.reason = goodbye.decode(bytes).reason;
    };
    const reader = new MessageReader(messageKinds, new ByteBudget(1024 * 1024), {
      isWanted: () => true,
      take: answer,
      frame: () => undefined,
    });
    this.socket.on('data', (bytes: Uint8Array) => reader.push(bytes));
  }
}

function greetingLike(
  bytes: Uint8Array,
  differently: { readonly protocol?: number; readonly chain_id?: string },
): Uint8Array {
  const said = hello.decode(bytes);
  const status = { head_number: 0, head_id: ZERO_HASH160, irreversible_number: 0, irreversible_id: ZERO_HASH160 };
  return encodeFrame(0, 0, hello.encode({ ...said, agent: 'a stranger', status, ...differently }), false);
}

/** Without TLS. */
export function plainStranger({ port, from }: PeerPort): Stranger {
  return new Stranger(connect({ port, host: '127.0.0.1', localAddress: from }));
}

/** With an identity of that number, and TLS as it must be but for what is said differently. */
export function strangerWithTls(at: PeerPort, number: number, differently: ConnectionOptions = {}): Stranger {
  return new Stranger(openSocket(at, makeContext(number), differently));
}

function openSocket(
  { port, from }: PeerPort,
  secureContext: ConnectionOptions['secureContext'],
  differently: ConnectionOptions,
): TLSSocket {
  const options = {
    host: '127.0.0.1',
    port,
    localAddress: from,
    secureContext,
    ALPNProtocols: ['pharos/1'],
    rejectUnauthorized: false,
  };
  return connectTls({ ...options, ...differently });
}

const contexts = new Map<number, ReturnType<typeof createSecureContext>>();

function makeContext(number: number): ReturnType<typeof createSecureContext> {
  const secret = Buffer.alloc(32, 1);
  secret.writeUInt32LE(number);
  const { privateKey, certificate } = nodeCertificate(secret);
  const context =
    contexts.get(number) ?? createSecureContext({ key: privateKey, cert: certificate, minVersion: 'TLSv1.3' });
  contexts.set(number, context);
  return context;
}

const foreign = foreignCertificate();

/** Wrong TLS options of some strangers. */
export const wrongTls: Readonly<Record<string, ConnectionOptions>> = {
  'a key of another kind': {
    secureContext: createSecureContext({ key: foreign.key, cert: foreign.certificate, minVersion: 'TLSv1.3' }),
  },
  'no certificate': { secureContext: createSecureContext({ minVersion: 'TLSv1.3' }) },
  'another protocol': { ALPNProtocols: ['h2'] },
  'TLS 1.2': { secureContext: createSecureContext({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }) },
  'another curve': { secureContext: createSecureContext({ minVersion: 'TLSv1.3', ecdhCurve: 'P-256' }) },
};
