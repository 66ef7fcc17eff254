import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { assert, present } from '../src/base/assert.ts';
import { systemClock } from '../src/base/clock.ts';
import { nodeCertificate } from '../src/crypto/node_certificate.ts';
import { randomBytes } from '../src/crypto/random.ts';
import type { Pipe, PipeListener } from '../src/wire/link/pipe.ts';
import { encodeFrame } from '../src/wire/link/frame.ts';
import { TlsLinks } from '../src/wire/link/tls_link.ts';
import { hello } from '../src/wire/messages/hello.ts';
import { messageNumber } from '../src/wire/messages/index.ts';
import { ping } from '../src/wire/messages/ping.ts';
import { ownHello } from '../src/p2p/peers/own_hello.ts';
import type { MessageForm } from '../src/wire/message_kind.ts';
import { HandClock } from '../test/builders/hand_clock.ts';
import { quietWorld, StillChain } from '../test/builders/still_chain.ts';
import type { LinkThreadData, ThreadWork, Welcome } from './link_thread.ts';

/** The length of the chain, with a block in each slot. */
export const BLOCKS = 1000;
const SLOT_MS = 3000;
const SECRET_BYTES = 32;
const HOST = '127.0.0.1';
/** Milliseconds between lone pings, and the pings of a burst. */
const [LONE_MS, BURST] = [3, 64];
/** Links that are stopped again and again, and what each has sent before: frames of a kind that nobody knows. */
const LINKS = 12;
const [UNREAD_FRAMES, UNREAD_BYTES, UNKNOWN] = [1000, 4096, 99];

/** A message in one frame. */
export function makeFrame(form: MessageForm, bytes: Uint8Array): Uint8Array {
  return encodeFrame(messageNumber(form), form.lane, bytes, false);
}

/** Returns the hello of a peer of that chain. */
export function helloFrame(): Uint8Array {
  const world = quietWorld(new HandClock(BLOCKS * SLOT_MS), new StillChain(BLOCKS));
  const greeting = ownHello(world, { agent: 'them', endpoints: [], takesTransactions: true });
  return makeFrame(hello, hello.encode(greeting));
}

/** Returns a ping, whose answer is as long. */
export function pingFrame(): Uint8Array {
  return makeFrame(ping, ping.encode({ number: 1n }));
}

/** Milliseconds of CPU that the other thread takes for each. */
export interface LinkTimes {
  readonly lonePing: number;
  readonly ping: number;
  readonly stop: number;
  readonly handshake: number;
  readonly dropped: number;
}

/** The same over TLS, between this thread and another one whose CPU time counts. */
export async function linkTimes(quick: boolean): Promise<LinkTimes> {
  const identity = nodeCertificate(randomBytes(SECRET_BYTES));
  const data: LinkThreadData = { peer: identity.id, blocks: BLOCKS };
  const worker = new Worker(new URL('./link_thread.js', import.meta.url), { workerData: data });
  const links = new TlsLinks({ identity, clock: systemClock });
  try {
    return await new LinkWatch(worker, links, Number(await said(worker))).times(quick);
  } finally {
    await links.close();
    await worker.terminate();
  }
}

async function said(worker: Worker): Promise<unknown> {
  return await new Promise<unknown>((resolve) => worker.once('message', resolve));
}

class LinkWatch {
  readonly #worker: Worker;
  readonly #links: TlsLinks;
  readonly #port: number;

  constructor(worker: Worker, links: TlsLinks, port: number) {
    this.#worker = worker;
    this.#links = links;
    this.#port = port;
  }

  async times(quick: boolean): Promise<LinkTimes> {
    const [handshakes, pings] = quick ? [3, 10] : [100, 300];
    await this.#connectEach(handshakes);
    const handshake = (await this.#spent(() => this.#connectEach(handshakes))).cpuMs / handshakes;
    await this.#work('dropped');
    await this.#connectEach(handshakes);
    const dropped = (await this.#spent(() => this.#connectEach(3 * handshakes))).cpuMs / (3 * handshakes);
    await this.#work('peers');
    const pipe = present(await this.#connect(), 'a link');
    pipe.write(helloFrame());
    const one = pingFrame();
    const many = Buffer.concat(Array.from({ length: BURST }, () => one));
    const each = async (bytes: Uint8Array, times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        pipe.write(bytes);
        await pause(LONE_MS);
      }
    };
    await each(one, pings);
    const lonePing = (await this.#spent(() => each(one, pings))).cpuMs / pings;
    await each(many, pings / 10);
    const burstMs = (await this.#spent(() => each(many, pings / 10))).cpuMs / (pings / 10);
    pipe.close();
    return { handshake, dropped, lonePing, ping: burstMs / BURST, stop: await this.#stops(quick ? 100 : 1500) };
  }

  /** Peers that send more than is read, stopped again and again. */
  async #stops(ms: number): Promise<number> {
    await this.#work('stops');
    const pipes: Pipe[] = [];
    for (let link = 0; link < LINKS; link++) pipes.push(present(await this.#connect(), 'a link'));
    const frame = encodeFrame(UNKNOWN, 0, new Uint8Array(UNREAD_BYTES), false);
    for (const pipe of pipes) for (let sent = 0; sent < UNREAD_FRAMES; sent++) pipe.write(frame);
    await pause(ms / 3);
    const { cpuMs, stops } = await this.#spent(() => pause(ms));
    for (const pipe of pipes) pipe.close();
    return cpuMs / Math.max(1, stops);
  }

  async #connectEach(times: number): Promise<void> {
    for (let time = 0; time < times; time++) (await this.#connect())?.close();
  }

  async #connect(): Promise<Pipe | undefined> {
    const target = { host: HOST, port: this.#port };
    return await new Promise((resolve) => {
      this.#links.dial(target, {
        connected: (pipe) => takesAll(() => resolve(pipe)),
        failed: () => resolve(undefined),
      });
    });
  }

  async #work(welcome?: Welcome): Promise<ThreadWork> {
    this.#worker.postMessage(welcome);
    const answer = await said(this.#worker);
    assert(isThreadWork(answer), 'the thread says what it has worked');
    return answer;
  }

  async #spent(run: () => Promise<unknown>): Promise<ThreadWork> {
    const before = await this.#work();
    await run();
    const after = await this.#work();
    return { cpuMs: after.cpuMs - before.cpuMs, stops: after.stops - before.stops };
  }
}

function isThreadWork(answer: unknown): answer is ThreadWork {
  return typeof answer === 'object' && answer !== null && 'cpuMs' in answer && 'stops' in answer;
}

function takesAll(attached: () => void): PipeListener {
  attached();
  return { received: () => undefined, drained: () => undefined, closed: () => undefined };
}
