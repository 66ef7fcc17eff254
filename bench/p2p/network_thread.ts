import { assert, present } from '../../src/base/assert.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import { encodeFrame } from '../../src/wire/link/frame.ts';
import { isPaced, findLane } from '../../src/wire/lanes.ts';
import { chooseLane, type MessageKind } from '../../src/wire/message_kind.ts';
import { bundle } from '../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/wire/messages/bundle_request.ts';
import { consumed } from '../../src/wire/messages/consumed.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { messageNumber } from '../../src/wire/messages/index.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { status } from '../../src/wire/messages/status.ts';
import { Network } from '../../src/p2p/network.ts';
import { ownHello } from '../../src/p2p/peers/own_hello.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import { openChain, produce, testParameters, transferJson } from '../../test/builders/chain.ts';
import { bundled } from '../../test/builders/chain_line.ts';
import { HandClock } from '../../test/builders/hand_clock.ts';
import { networkSettings } from '../../test/builders/network_settings.ts';
import { makeNodeId } from '../../test/builders/pipes.ts';
import { quietWorld, StillChain } from '../../test/builders/still_chain.ts';
import { unverifiedTransaction } from '../../test/builders/unsigned_traffic.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const PEERS = 12;
const RATE = 20_000;
const BUNDLE = 800;
const PAYERS = 500;
const NOW_MS = 3_000_000;
const SLOT_SECONDS = 3;
/** Of a core, for a thread that also has to be there for others. */
const MOST_PERCENT = 10;
/** In a frame's header. */
const LANE_AT = 5;

/** Measures the network's thread at 20 000 transfers a second, without TLS, apart by the kinds of messages. */
export function run({ quick }: BenchOptions): Row[] {
  const seconds = quick ? 1 : 20;
  const thread = new Thread(quick ? 2 * BUNDLE : RATE * seconds);
  thread.load(seconds);
  const of = (micros: number): number => micros / seconds / 10_000;
  const total = [...thread.micros.values()].reduce((sum, one) => sum + one, 0);
  const shares = [...thread.micros].map(([name, micros]) => `${name} ${of(micros).toFixed(2)} %`);
  const note = `${PEERS} peers, half of which have each bundle first; short ids and TLS have lines of their own; ${shares.join(', ')}`;
  return [
    amountRow(
      'thread of the network',
      `of a core at ${RATE} transfers a second`,
      { value: of(total), unit: '%' },
      {
        ...(quick ? {} : { budget: { atMost: MOST_PERCENT } }),
        note,
      },
    ),
  ];
}

/** A network between peers that are played. */
class Thread {
  /** CPU time by what came. */
  readonly micros = new Map<string, number>();
  readonly #clock = new HandClock(NOW_MS);
  readonly #network: Network;
  readonly #peers: PlayedPeer[] = [];
  readonly #transfers: VerifiedTransaction[];
  #at = 0;
  #included = 0;

  constructor(transfers: number) {
    const world = quietWorld(this.#clock, new StillChain(NOW_MS / 3000));
    const intake: typeof world.intake = {
      ...world.intake,
      submitTransactions: ({ transactions }, done) =>
        done(transactions.map(() => ({ outcome: 'accepted', isHintRight: true }))),
    };
    const environment = { ...world, intake };
    const parts = { book: new AddressBook(true), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 1024 };
    this.#network = new Network(environment, { ...parts, settings: networkSettings() });
    const greeting = ownHello(environment, { agent: 'them', endpoints: [], takesTransactions: true });
    for (let index = 0; index < PEERS; index++) {
      const peer = new PlayedPeer(index);
      peer.listener = this.#network.accept(
        peer,
        present(
          this.#network.admit(peer.address.host, () => undefined),
          'a place',
        ),
      );
      peer.says(hello, greeting);
      this.#peers.push(peer);
      // All at once they would have to wait for each other's handshakes.
      this.#clock.pass(1000);
    }
    assert(this.#network.connections.live.length === PEERS, 'all are peers');
    const chain = openChain(testParameters());
    produce(chain);
    this.#transfers = Array.from({ length: transfers }, (_, index) =>
      unverifiedTransaction(
        chain,
        [transferJson('alice', 'bob', 1 + index, '')],
        `payer ${index % PAYERS}`,
        chain.head.time + 3000,
      ),
    );
  }

  load(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      for (const end = Math.min(this.#at + RATE, this.#transfers.length); this.#at < end; this.#at += BUNDLE)
        this.#bundle(second);
      if (second % SLOT_SECONDS === SLOT_SECONDS - 1) this.#block(second);
      this.#clock.pass(1000);
      const said = { ...this.#network.connections.live[0]?.status };
      const { head_number = 0, head_id = '', irreversible_number = 0, irreversible_id = '' } = said;
      this.#measure('status', () => {
        for (const peer of this.#peers)
          peer.says(status, { head_number, head_id, irreversible_number, irreversible_id });
      });
      this.#measure('ping', () => this.#peers[second % PEERS]?.says(ping, { number: 1n }));
    }
  }

  /** Half of the peers tell of it, one gives it, one of the others asks for it. */
  #bundle(second: number): void {
    const own = this.#transfers.slice(this.#at, this.#at + BUNDLE);
    const items = own.map(bundled);
    const bytes = bundle.encode(items);
    const id = sha256Hex(bytes).slice(0, 32);
    const bundles = [{ id, transactions: own.length, bytes: bytes.length }];
    const accepted = encodeVerifiedBatch(own.map((verified) => ({ ticket: 0, verified })));
    const tellers = this.#peers.filter((_, index) => (index + second) % 2 === 0);
    const other = this.#peers.find((_, index) => (index + second) % 2 === 1);
    this.#measure('announcements', () => {
      for (const peer of tellers) peer.says(bundleAnnouncement, { bundles });
    });
    const giver = present(tellers[0], 'a peer');
    const frames = giver.makeFrames(bundle, bytes);
    this.#measure('bundles', () => giver.gives(frames));
    this.#measure('accepted', () => this.#network.known(decodeVerifiedBatch(accepted).map(({ verified }) => verified)));
    this.#measure('requests', () => other?.says(bundleRequest, { ids: [id] }));
    this.#clock.pass((1000 * BUNDLE) / RATE / 2);
  }

  /** One block takes all that came since the last one, and keeps it for good. */
  #block(number: number): void {
    const own = this.#transfers.slice(this.#included, this.#at);
    this.#included = this.#at;
    const ids = Buffer.from(own.map(({ id }) => id).join(''), 'hex');
    const { pool } = this.#network;
    this.#measure('blocks', () => {
      pool.applied(number, ids);
      pool.tidy(0, number - 1, this.#clock.elapsedMs());
    });
  }

  #measure(name: string, carryOut: () => void): void {
    const before = process.cpuUsage();
    carryOut();
    const { user, system } = process.cpuUsage(before);
    this.micros.set(name, (this.micros.get(name) ?? 0) + user + system);
  }
}

/** The other end of a pipe: it takes everything at once and says so. */
class PlayedPeer implements Pipe {
  readonly peer: string;
  readonly address: Pipe['address'];
  readonly isInbound = true;
  readonly waitingBytes = 0;
  listener: PipeListener | undefined;
  #paced = 0;
  #said = 0;

  constructor(index: number) {
    this.peer = makeNodeId(`peer ${index}`);
    this.address = { host: `20.${index}.1.1`, port: 1 };
  }

  write(frame: Uint8Array): void {
    const lane = findLane((frame[LANE_AT] ?? 0) & 3);
    if (lane !== undefined && isPaced(lane)) this.#paced += frame.length;
  }

  pause(): void {
    assert(false, 'whoever brings what is taken never waits');
  }

  resume(): void {
    // It never waits.
  }

  close(): void {
    assert(false, 'nobody is sent away');
  }

  says<T>(kind: MessageKind<T>, value: T): void {
    this.gives(this.makeFrames(kind, kind.encode(value)));
    if (this.#paced - this.#said < 65_536) return;
    this.#said = this.#paced;
    this.says(consumed, { bytes: BigInt(this.#paced) });
  }

  makeFrames<T>(kind: MessageKind<T>, bytes: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = [];
    for (let at = 0; at === 0 || at < bytes.length; at += 65_536) {
      const part = bytes.subarray(at, at + 65_536);
      frames.push(encodeFrame(messageNumber(kind), chooseLane(kind, bytes.length), part, at + 65_536 < bytes.length));
    }
    return frames;
  }

  gives(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.listener?.received(frame);
  }
}
