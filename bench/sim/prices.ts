import { assert, present } from '../../src/base/assert.ts';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { isVoteSigned } from '../../src/blocks/finality/vote_signature.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { consumed } from '../../src/wire/messages/consumed.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { pong } from '../../src/wire/messages/pong.ts';
import { status } from '../../src/wire/messages/status.ts';
import { votes } from '../../src/wire/messages/votes.ts';
import { Network } from '../../src/p2p/network.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import type { MessageForm, MessageKind } from '../../src/wire/message_kind.ts';
import { testKey, testSecret } from '../../test/builders/chain.ts';
import { HandClock } from '../../test/builders/hand_clock.ts';
import { networkSettings } from '../../test/builders/network_settings.ts';
import { makeNodeId } from '../../test/builders/pipes.ts';
import { quickSignature } from '../../test/builders/quick_signature.ts';
import { madeUpId, quietWorld, StillChain } from '../../test/builders/still_chain.ts';
import { EventHeap } from '../../test/sim/event_heap.ts';
import { SimProcess } from '../../test/sim/sim_process.ts';
import { threadPrices } from '../../test/sim/thread_prices.ts';
import { amountRow, measure, type BenchOptions, type Row } from '../bench.ts';
import { BLOCKS, makeFrame, helloFrame, linkTimes, pingFrame } from '../link_times.ts';

const NOW_MS = BLOCKS * 3000;
/** The simulator is right about a price when it is neither more than twice nor less than half of what is measured. */
const MOST_TIMES = 2;
/** Beside the piece that carries a message nobody notices so little. */
const SLACK_MS = 0.002;

/** Compares the charges of the simulated thread with the times of a real one on this machine. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 20 : 1000;
  // The factor from the machine of the prices to this one.
  const scale = signatureMs(quick ? 10 : 500) / threadPrices.signature;
  const compared = (what: string, simulated: number, measured: number): Row => {
    const ratio = (simulated + SLACK_MS) / (measured / scale + SLACK_MS);
    return amountRow(
      'simulated prices',
      what,
      { value: Math.max(ratio, 1 / ratio), unit: 'times' },
      {
        ...(quick ? {} : { budget: { atMost: MOST_TIMES } }),
        note: `simulated ${micros(simulated)}, measured ${micros(measured)}, this machine takes ${scale.toFixed(2)} times as long`,
      },
    );
  };
  const { wake, piece, stop, handshake, dropped } = threadPrices;
  // For the compiler: what comes first would be the dearest.
  for (const { form, bytes } of kinds()) realMs(Array.from({ length: count }, () => makeFrame(form, bytes)));
  const rows = kinds().map(({ form, bytes }) => {
    const frames = Array.from({ length: count }, () => makeFrame(form, bytes));
    return compared(`${form.name}, one of many`, simulatedMs(frames) / count, realMs(frames) / count);
  });
  const seen = await linkTimes(quick);
  // Its pong leaves as a piece.
  const pinged = simulatedMs([pingFrame()]) + piece;
  return [
    ...rows,
    compared('ping that comes alone, and its pong', wake + piece + pinged, seen.lonePing),
    compared('ping of many in one piece, and its pong', pinged - piece, seen.ping),
    compared('stop of reading', stop, seen.stop),
    compared('handshake', handshake, seen.handshake),
    compared('connection that is dropped', dropped, seen.dropped),
  ];
}

/** Code that computes, as most of the rest does: whatever slows the machine slows both. */
function signatureMs(count: number): number {
  const [digest, key] = [new Uint8Array(32).fill(5), testKey('alice')];
  const signed = quickSignature(digest, testSecret('alice'));
  const { cpuMicros } = measure(count, 3, () => {
    for (let done = 0; done < count; done++) isVoteSigned(digest, signed, key);
  });
  return cpuMicros / count / 1000;
}

interface Kind {
  readonly form: MessageForm;
  readonly bytes: Uint8Array;
}

/** Messages that anybody may send as often as he likes, each in its usual form. */
function kinds(): Kind[] {
  const of = <T>(form: MessageKind<T>, value: T): Kind => ({ form, bytes: form.encode(value) });
  const subject = {
    ...{ epoch: 1, voters: '77'.repeat(32), view: BLOCKS, block: madeUpId(BLOCKS), header: '01'.repeat(32) },
    ...{ kind: 'prepare' as const, root: '02'.repeat(32), next_voters: '00'.repeat(32) },
  };
  const standing = {
    ...{ head_number: BLOCKS, head_id: madeUpId(BLOCKS) },
    ...{ irreversible_number: 1, irreversible_id: madeUpId(1) },
  };
  return [
    of(ping, { number: 1n }),
    of(pong, { number: 1n }),
    of(status, standing),
    of(consumed, { bytes: 0n }),
    of(bundleAnnouncement, { bundles: [{ id: 'ab'.repeat(16), transactions: 1, bytes: 5000 }] }),
    of(votes, { subject, votes: [{ voter: 1, signature: `1f${'33'.repeat(64)}` }] }),
  ];
}

/** A peer whom the operator has named, so that it never waits, at a network without sockets. */
class PlayedPeer implements Pipe {
  readonly peer = makeNodeId('them');
  readonly address = { host: '20.1.1.1', port: 1 };
  readonly isInbound = true;
  readonly waitingBytes = 0;
  readonly #listener: PipeListener;

  constructor(clock: Clock) {
    const environment = { ...quietWorld(new HandClock(NOW_MS), new StillChain(BLOCKS)), clock, latestMs: () => NOW_MS };
    const network = new Network(environment, {
      settings: networkSettings({ allowed: new Set([this.peer]) }),
      ...{ book: new AddressBook(true), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 1024 },
    });
    const place = present(
      network.admit(this.address.host, () => undefined),
      'a place',
    );
    this.#listener = present(network.accept(this, place), 'a listener');
    this.says(helloFrame());
  }

  says(frame: Uint8Array): void {
    this.#listener.received(frame);
  }

  write(): void {
    // Nobody reads it.
  }

  pause(): void {
    assert(false, 'whoever is named never waits');
  }

  resume(): void {
    assert(false, 'whoever is named never waits');
  }

  close(): void {
    assert(false, 'nobody is sent away');
  }
}

/** Milliseconds of CPU that the real code takes for all frames. */
function realMs(frames: readonly Uint8Array[]): number {
  const never = (): void => undefined;
  // To look costs what it costs, but nothing is charged: a pause of the machine would use up the credit.
  const looked = (): number => Math.min(systemClock.elapsedMs(), 0);
  const peer = new PlayedPeer({ nowMs: () => NOW_MS, elapsedMs: looked, after: () => never });
  const { cpuMicros } = measure(frames.length, 2, () => {
    for (const frame of frames) peer.says(frame);
  });
  return cpuMicros / 1000;
}

/** Milliseconds that a simulated thread takes for them in one go, without their way there. */
function simulatedMs(frames: readonly Uint8Array[]): number {
  const heap = new EventHeap(NOW_MS);
  const simulated = new SimProcess(heap, () => undefined);
  const { thread } = simulated;
  const looked = (): number => {
    thread.spend('step');
    return thread.nowMs;
  };
  const peer = new PlayedPeer(heap.clock(() => 0, simulated.threadGate(), looked));
  const before = thread.busyMs;
  thread.run(() => {
    for (const frame of frames) peer.says(frame);
  });
  return thread.busyMs - before;
}

function micros(ms: number): string {
  return `${(ms * 1000).toFixed(1)} µs`;
}
