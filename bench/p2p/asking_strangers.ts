import { setTimeout as pause } from 'node:timers/promises';
import { present } from '../../src/base/assert.ts';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import type { BlockParts } from '../../src/p2p/environment/chain_access.ts';
import { encodeFrame } from '../../src/wire/link/frame.ts';
import type { MessageKind } from '../../src/wire/message_kind.ts';
import { ancestorRequest } from '../../src/wire/messages/ancestor_request.ts';
import { consumed } from '../../src/wire/messages/consumed.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { messageNumber } from '../../src/wire/messages/index.ts';
import { peersRequest } from '../../src/wire/messages/peers_request.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { rangeRequest } from '../../src/wire/messages/range_request.ts';
import { Network } from '../../src/p2p/network.ts';
import { ownHello } from '../../src/p2p/peers/own_hello.ts';
import type { Environment } from '../../src/p2p/environment/environment.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { networkSettings } from '../../test/builders/network_settings.ts';
import { HandClock } from '../../test/builders/hand_clock.ts';
import { makeNodeId } from '../../test/builders/pipes.ts';
import { quietWorld, StillChain } from '../../test/builders/still_chain.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const STRANGERS = 24;
const BLOCKS = 1515;
const BLOCK_BYTES = 120;
const PING_EACH_MS = 50;
const MOST_LATER_MS = 200;
/** A tenth of the thread for receiving and one for answering. */
const MOST_PERCENT = 20;
/** Rounds of questions at once, and again each so many milliseconds. */
const PACES = { within: { count: 1, everyMs: 400 }, over: { count: 8, everyMs: 20 } } as const;

/**
 * Measures the thread's time for 24 strangers of as many groups that ask for ever, without TLS, and the delay of an
 * honest ping.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [seconds, rounds] = quick ? [1, 1] : [5, 4];
  const budget = (atMost: number): { readonly budget?: { readonly atMost: number } } =>
    quick ? {} : { budget: { atMost } };
  const rows: Row[] = [];
  for (const [name, pace] of Object.entries(PACES)) {
    // In turns, and the quietest round of each counts: a pause of the machine is nobody's work.
    let [quietMs, latestMs, percent] = [Infinity, Infinity, Infinity];
    for (let round = 0; round < rounds; round++) {
      quietMs = Math.min(quietMs, (await new Asked().watch(seconds)).latestMs);
      const asked = new Asked();
      asked.askForEver(pace);
      const seen = await asked.watch(seconds);
      [latestMs, percent] = [Math.min(latestMs, seen.latestMs), Math.min(percent, seen.percent)];
    }
    const later = { value: Math.max(0, latestMs - quietMs), unit: 'ms' };
    const note = `${quietMs.toFixed(1)} ms undisturbed`;
    const what = `24 strangers ${name} their credit`;
    rows.push(
      amountRow(what, 'how much later the latest honest ping is', later, { ...budget(MOST_LATER_MS), note }),
      amountRow(what, 'of the thread', { value: percent, unit: '%' }, budget(MOST_PERCENT)),
    );
  }
  return rows;
}

/** A network in this process whose peers are played. */
class Asked {
  readonly #network: Network;
  readonly #environment: Environment;
  readonly #strangers: PlayedStranger[];
  readonly #honest: PlayedStranger;
  #isOver = false;
  #micros = 0;

  constructor() {
    const chain = new LongChain(BLOCKS);
    const clock: Clock = {
      ...systemClock,
      nowMs: () => BLOCKS * 3000,
      after: (ms, due) => systemClock.after(ms, () => this.#measure(due)),
    };
    this.#environment = { ...quietWorld(new HandClock(BLOCKS * 3000), chain), clock, latestMs: () => BLOCKS * 3000 };
    this.#network = new Network(this.#environment, {
      ...{ settings: networkSettings({ maxConnections: 60 }), book: new AddressBook(true), bans: new Bans() },
      ...{ anchors: [], checkpoint: 0, syncRate: 64 * 1024 * 1024 },
    });
    this.#honest = this.#connected('honest', '30.1.1.1');
    this.#strangers = Array.from({ length: STRANGERS }, (_, index) =>
      this.#connected(`stranger ${index}`, `20.${index}.1.1`),
    );
    this.#network.start();
  }

  askForEver({ count, everyMs }: { readonly count: number; readonly everyMs: number }): void {
    const ids = Array.from({ length: 24 }, (_, index) => (index + 1).toString(16).padStart(8, '0') + 'e'.repeat(32));
    const round = (): void => {
      if (this.#isOver) return;
      for (const stranger of this.#strangers)
        for (let times = 0; times < count && !stranger.isPaused; times++) this.#ask(stranger, ids);
      setTimeout(round, everyMs);
    };
    round();
  }

  async watch(seconds: number): Promise<{ readonly latestMs: number; readonly percent: number }> {
    const [startMs, startMicros] = [performance.now(), this.#micros];
    let latestMs = 0;
    for (let dueMs = startMs; dueMs < startMs + seconds * 1000; dueMs += PING_EACH_MS) {
      await pause(Math.max(0, dueMs - performance.now()));
      this.#says(this.#honest, ping, { number: 1n });
      latestMs = Math.max(latestMs, performance.now() - dueMs);
    }
    const percent = (this.#micros - startMicros) / (performance.now() - startMs) / 10;
    this.#isOver = true;
    this.#network.stop();
    return { latestMs, percent };
  }

  #ask(stranger: PlayedStranger, ids: readonly string[]): void {
    this.#says(stranger, rangeRequest, {
      number: 1,
      from: 1,
      before: ZERO_HASH160,
      count: 1000,
      bytes: 4 * 1024 * 1024,
    });
    this.#says(stranger, ancestorRequest, { ids: [...ids] });
    this.#says(stranger, peersRequest, {});
    this.#says(stranger, ping, { number: 1n });
    this.#says(stranger, consumed, { bytes: BigInt(stranger.taken) });
  }

  #connected(name: string, host: string): PlayedStranger {
    const stranger = new PlayedStranger(name, host);
    const place = this.#network.admit(host, () => undefined);
    stranger.listener = this.#network.accept(stranger, present(place, 'a place'));
    this.#says(stranger, hello, ownHello(this.#environment, { agent: 'them', endpoints: [], takesTransactions: true }));
    return stranger;
  }

  #says<T>(stranger: PlayedStranger, kind: MessageKind<T>, value: T): void {
    const frame = encodeFrame(messageNumber(kind), kind.lane, kind.encode(value), false);
    this.#measure(() => stranger.listener?.received(frame));
  }

  #measure(work: () => void): void {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    this.#micros += user + system;
  }
}

/** The other end of a pipe: it takes everything. */
class PlayedStranger implements Pipe {
  readonly peer: string;
  readonly address: Pipe['address'];
  readonly isInbound = true;
  readonly waitingBytes = 0;
  listener: PipeListener | undefined;
  isPaused = false;
  /** Bytes of paced lanes. */
  taken = 0;

  constructor(name: string, host: string) {
    this.peer = makeNodeId(name);
    this.address = { host, port: 1 };
  }

  write(frame: Uint8Array): void {
    if (((frame[5] ?? 0) & 3) >= 2) this.taken += frame.length;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(): void {
    this.isPaused = true;
  }
}

/** Made-up blocks that can be given. */
class LongChain extends StillChain {
  readonly #block = new Uint8Array(BLOCK_BYTES);

  override readParts(): BlockParts {
    return { count: 1, part: () => this.#block.slice() };
  }
}
