import { systemClock } from '../../src/base/clock.ts';
import { readBlock } from '../../src/blocks/block.ts';
import { blockId, type SignedBlockHeader } from '../../src/blocks/header.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { ByteBudget } from '../../src/wire/link/byte_budget.ts';
import { Channel } from '../../src/wire/link/channel.ts';
import type { MessageForm, MessageKind } from '../../src/wire/message_kind.ts';
import { block } from '../../src/wire/messages/block.ts';
import { compactBlock } from '../../src/wire/messages/compact_block.ts';
import { genesisRequest } from '../../src/wire/messages/genesis_request.ts';
import { goodbye } from '../../src/wire/messages/goodbye.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { missing } from '../../src/wire/messages/missing.ts';
import { missingRequest } from '../../src/wire/messages/missing_request.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { pong } from '../../src/wire/messages/pong.ts';
import { unavailable } from '../../src/wire/messages/unavailable.ts';
import type { Pipe } from '../../src/wire/link/pipe.ts';
import { TlsLinks } from '../../src/wire/link/tls_link.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';

/** The wire format of an intruder, for tests of the finished program, which import nothing of ours. */
export const wire = {
  block,
  compactBlock,
  genesisRequest,
  hello,
  missing,
  missingRequest,
  ping,
  unavailable,
  blockId,
  headerOf: readHeader,
};
export type { SignedBlockHeader } from '../../src/blocks/header.ts';

function readHeader(packed: Uint8Array): SignedBlockHeader {
  return readBlock(packed).header;
}

const NOTHING = { head_number: 0, head_id: ZERO_HASH160, irreversible_number: 0, irreversible_id: ZERO_HASH160 };
const MIB = 1024 * 1024;

/**
 * A peer of a real node that does with the protocol what it likes. It says hello and answers pings; all else is up to
 * its script.
 */
export class Intruder {
  /** The reason of the goodbye; undefined when the link ended without one. */
  reason: number | undefined;
  isEnded = false;
  readonly #links: TlsLinks;
  readonly #counts = new Map<string, number>();
  readonly #answers = new Map<MessageForm, (bytes: Uint8Array) => void>();
  #channel: Channel | undefined;

  /** Connects under an identity of that number. */
  constructor(port: number, identity: number) {
    const secret = Buffer.alloc(32, 0x77);
    secret.writeUInt32LE(identity);
    this.#links = new TlsLinks({ identity: nodeCertificate(secret), clock: systemClock });
    this.on(hello, (said) =>
      this.send(hello, { ...said, agent: 'an intruder', endpoints: [], roles: 3, status: NOTHING }),
    );
    this.on(ping, (said) => this.send(pong, said));
    this.on(goodbye, ({ reason }) => (this.reason = reason));
    const end = (): boolean => (this.isEnded = true);
    this.#links.dial({ host: '127.0.0.1', port }, { connected: (pipe) => this.#enter(pipe), failed: end });
  }

  /** Sets its reaction to a message of the kind. */
  on<T>(kind: MessageKind<T>, run: (value: T) => void): void {
    this.#answers.set(kind, (bytes) => run(kind.decode(bytes)));
  }

  send<T>(kind: MessageKind<T>, value: T): void {
    this.#channel?.send(kind, value);
  }

  /** Bytes that need not be what their kind says. */
  sendBytes(kind: MessageForm, bytes: Uint8Array): void {
    this.#channel?.sendEncoded(kind, bytes);
  }

  /** Returns the number of received messages of the kind. */
  got(kind: MessageForm): number {
    return this.#counts.get(kind.name) ?? 0;
  }

  async leave(): Promise<void> {
    this.#channel?.drop();
    await this.#links.close();
  }

  #enter(pipe: Pipe): Channel {
    this.#channel = new Channel(pipe, systemClock, new ByteBudget(256 * MIB), {
      isWanted: () => true,
      take: (form, bytes) => this.#take(form, bytes),
      malformed: () => undefined,
      overLimit: () => undefined,
      closed: () => (this.isEnded = true),
    });
    return this.#channel;
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    this.#counts.set(form.name, this.got(form) + 1);
    this.#answers.get(form)?.(bytes);
  }
}
