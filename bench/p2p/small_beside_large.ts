import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { randomBytes } from '../../src/crypto/random.ts';
import { block } from '../../src/wire/messages/block.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { pong } from '../../src/wire/messages/pong.ts';
import type { MessageForm } from '../../src/wire/message_kind.ts';
import { ByteBudget } from '../../src/wire/link/byte_budget.ts';
import { Channel } from '../../src/wire/link/channel.ts';
import type { Pipe } from '../../src/wire/link/pipe.ts';
import { TlsLinks } from '../../src/wire/link/tls_link.ts';
import { Relay } from '../../test/outside/relay.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const LARGE_BYTES = 48 * 1024 * 1024;
const BUDGET_BYTES = 1024 * 1024 * 1024;
const SECRET_BYTES = 32;
const ONE_WAY_MS = 20;
const PING_EACH_MS = 50;
const MBIT_BYTES_PER_MS = 125;
/** Megabits a second, and how much later than an idle link a small message may be. */
const LINES = [
  [10, 150],
  [100, 50],
] as const;

/**
 * Measures the delay of a ping while 48 MiB go to the same peer, over real TLS and a relay of that rate, against the
 * idle link.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [megabits, atMost] of LINES) {
    const link = await Link.open(megabits * MBIT_BYTES_PER_MS);
    const idle = middle(await link.pings(quick ? 5 : 40));
    link.sendLarge();
    const busy = await link.pings(quick ? 10 : 120);
    await link.close();
    const note = `beyond ${idle.toFixed(0)} ms of the idle link; the latest of ${busy.length}: ${(Math.max(...busy) - idle).toFixed(0)} ms`;
    const value = Math.max(0, middle(busy) - idle);
    rows.push(
      amountRow(
        `ping beside 48 MiB at ${megabits} Mbit/s`,
        'half of the pings',
        { value, unit: 'ms' },
        { budget: { atMost }, note },
      ),
    );
  }
  return rows;
}

/** Two ends in this process with a slow way between them. */
class Link {
  readonly #ends: readonly TlsLinks[];
  readonly #relay: Relay;
  readonly #near: Channel;
  readonly #answered = new Map<bigint, (atMs: number) => void>();

  private constructor(ends: readonly TlsLinks[], relay: Relay, connect: (took: Take) => Channel) {
    this.#ends = ends;
    this.#relay = relay;
    this.#near = connect((form, bytes) => {
      if (form === pong) this.#answered.get(pong.decode(bytes).number)?.(performance.now());
    });
  }

  static async open(bytesPerMs: number): Promise<Link> {
    const [here, there] = [makeLinks(), makeLinks()];
    const port = await there.listen('127.0.0.1', 0, {
      admit: () => ({ connected: (pipe) => openEcho(pipe), ended: () => undefined }),
    });
    const relay = await Relay.open('127.0.0.1', () => port, { delayMs: ONE_WAY_MS, bytesPerMs });
    return await new Promise((resolve) => {
      const target = { host: '127.0.0.1', port: relay.port };
      const connected = (pipe: Pipe): Channel => {
        let channel: Channel | undefined;
        const link = new Link([here, there], relay, (take) => (channel = openChannel(pipe, take)));
        resolve(link);
        return channel ?? fail('no channel');
      };
      here.dial(target, { connected, failed: fail });
    });
  }

  /** The round trips of `count` pings, in milliseconds. */
  async pings(count: number): Promise<number[]> {
    const took: Promise<number>[] = [];
    for (let k = 0; k < count; k++) {
      took.push(this.#ping(BigInt(this.#answered.size)));
      await sleep(PING_EACH_MS);
    }
    return await Promise.all(took);
  }

  sendLarge(): void {
    this.#near.sendEncoded(block, new Uint8Array(LARGE_BYTES));
  }

  async close(): Promise<void> {
    this.#near.drop();
    this.#relay.close();
    for (const end of this.#ends) await end.close();
  }

  async #ping(number: bigint): Promise<number> {
    const sentMs = performance.now();
    const atMs = await new Promise<number>((resolve) => {
      this.#answered.set(number, resolve);
      this.#near.send(ping, { number });
    });
    this.#near.notePing(atMs - sentMs);
    return atMs - sentMs;
  }
}

type Take = (form: MessageForm, bytes: Uint8Array) => void;

function makeLinks(): TlsLinks {
  return new TlsLinks({ identity: nodeCertificate(randomBytes(SECRET_BYTES)), clock: systemClock });
}

/** Answers pings. */
function openEcho(pipe: Pipe): Channel {
  const channel: Channel = openChannel(pipe, (form, bytes) => {
    if (form === ping) channel.send(pong, ping.decode(bytes));
  });
  return channel;
}

function openChannel(pipe: Pipe, take: Take): Channel {
  return new Channel(pipe, systemClock, new ByteBudget(BUDGET_BYTES), {
    ...{ isWanted: () => true, take, closed: () => undefined },
    malformed: ({ message }) => fail(message),
    overLimit: ({ message }) => fail(message),
  });
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? fail('no value');
}

function fail(reason: string): never {
  throw new Error(reason);
}
