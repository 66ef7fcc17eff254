import assert from 'node:assert/strict';

import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { AnswerTurns } from '../../src/p2p/peers/answer_turns.ts';
import { Connections } from '../../src/p2p/peers/connections.ts';
import { Dialler } from '../../src/p2p/peers/dialler.ts';
import { encodeFrame, HEADER_BYTES } from '../../src/wire/link/frame.ts';
import type { MessageForm, MessageKind } from '../../src/wire/message_kind.ts';
import { MessageRouter } from '../../src/p2p/peers/message_router.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { messageNumber } from '../../src/wire/messages/index.ts';
import type { NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import type { Target } from '../../src/wire/addresses.ts';
import type { DialEvents, PipeListener } from '../../src/wire/link/pipe.ts';
import type { Environment } from '../../src/p2p/environment/environment.ts';
import type { Peer } from '../../src/p2p/peers/peer.ts';
import { PeerExchange } from '../../src/p2p/peers/peer_exchange.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { HandPipe, makeNodeId } from '../builders/pipes.ts';
import type { RandomSource } from '../builders/random_source.ts';
import { CHAIN_ID, madeUpId, PROFILE, quietWorld, StillChain } from '../builders/still_chain.ts';

/** A peer's first message. */
export const GREETING = greeting([]);

function greeting(endpoints: readonly string[]): Uint8Array {
  return hello.encode({
    protocol: 1,
    chain_id: CHAIN_ID,
    profile: PROFILE,
    agent: 'them',
    endpoints,
    roles: 1,
    oldest_block: 1,
    status: { head_number: 9, head_id: madeUpId(9), irreversible_number: 1, irreversible_id: madeUpId(1) },
    clock_ms: 3_000_000n,
  });
}

/** A thousand slots, of which each has a block. */
const NOW_MS = 3_000_000;

/** The node's peers and dials: the test plays both. */
export class House {
  readonly clock = new HandClock(NOW_MS);
  readonly chain = new StillChain(NOW_MS / 3000);
  readonly environment: Environment;
  readonly router = new MessageRouter<Peer>();
  readonly book: AddressBook;
  readonly dialled: { readonly target: Target; readonly events: DialEvents; atMs: number }[] = [];
  readonly connections: Connections;
  readonly turns: AnswerTurns;
  readonly exchange: PeerExchange;
  readonly dialler: Dialler;
  readonly joined: Peer[] = [];
  readonly pipes = new Map<Peer['id'], HandPipe>();
  /** True when our chain goes on. */
  hasNewBlocks = true;

  /** `anchors` are peers of the last run. */
  constructor(settings: Partial<NetworkSettings> = {}, anchors: readonly Target[] = [], randomSource?: RandomSource) {
    const all = networkSettings(settings);
    this.book = new AddressBook(false);
    const environment = {
      ...quietWorld(this.clock, this.chain),
      ...(randomSource !== undefined && { randomSource }),
      dial: (target: Target, events: DialEvents) => this.dialled.push({ target, events, atMs: this.clock.nowMs() }),
    };
    this.environment = environment;
    this.connections = new Connections(environment, all, this.router, {
      joined: (peer) => {
        this.joined.push(peer);
        this.dialler.reached(peer);
        this.exchange.joined(peer);
      },
      moved: () => undefined,
      left: (peer, reason) => this.dialler.left(peer, reason),
    });
    const { budgets } = this.connections;
    this.turns = new AnswerTurns({
      clock: this.clock,
      router: this.router,
      budgets,
      peers: () => this.connections.count,
    });
    this.exchange = new PeerExchange(environment, this.book, this.router, this.turns);
    this.dialler = new Dialler(environment, all, this.connections, this.book, anchors);
  }

  /** Somebody connects and says hello; answers whether it stayed. */
  comes(name: string, host: string, endpoints: readonly string[] = []): boolean {
    const pipe = new HandPipe(makeNodeId(name), true, { host, port: 1 });
    const listener = this.connections.accept(pipe);
    return listener !== undefined && this.greets(pipe, listener, endpoints);
  }

  greets(pipe: HandPipe, listener: PipeListener, endpoints: readonly string[] = []): boolean {
    pipe.listener = listener;
    this.pipes.set(pipe.peer, pipe);
    listener.received(encodeFrame(0, 0, greeting(endpoints), false));
    return !pipe.isClosed;
  }

  /** Lets a dialled peer answer. */
  answers(
    index: number,
    name: string,
    host = `77.${index}.1.1`,
  ): { readonly pipe: HandPipe; readonly listener: PipeListener } {
    const pipe = new HandPipe(makeNodeId(name), false, { host, port: 9290 });
    const listener = this.dialled[index]?.events.connected(pipe) ?? assert.fail('nobody was dialled');
    this.greets(pipe, listener);
    return { pipe, listener };
  }

  /** Somebody who is there sends a message. */
  says<T>(name: string, kind: MessageKind<T>, value: T): void {
    const bytes = kind.encode(value);
    this.#pipe(name).listener?.received(encodeFrame(messageNumber(kind), kind.lane, bytes, false));
  }

  /** Returns the number of messages of the kind that a peer was sent since the last call. */
  heard(name: string, form: MessageForm): number {
    return countFrames(this.#pipe(name), form);
  }

  #pipe(name: string): HandPipe {
    return this.pipes.get(makeNodeId(name)) ?? assert.fail(`${name} has never been here`);
  }

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.dialler.tick();
      this.clock.pass(1000);
      if (this.hasNewBlocks) this.chain.head = { ...this.chain.head, time: Math.trunc(this.clock.nowMs() / 1000) };
    }
  }
}

/** Counts the frames of the kind that have been written to a pipe since the last call. */
export function countFrames(pipe: HandPipe, form: MessageForm): number {
  const all = Buffer.from(pipe.take());
  let count = 0;
  for (let at = 0; at < all.length; at += HEADER_BYTES + all.readUInt32LE(at))
    if (all[at + 4] === messageNumber(form)) count++;
  return count;
}
