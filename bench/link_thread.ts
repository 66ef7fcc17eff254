// The thread of sim/prices.ts: a node's end of links, with the real network behind them, that says what CPU time it has
// taken.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { assert, present } from '../src/base/assert.ts';
import { systemClock } from '../src/base/clock.ts';
import { nodeCertificate } from '../src/crypto/node_certificate.ts';
import { randomBytes } from '../src/crypto/random.ts';
import { ByteBudget } from '../src/wire/link/byte_budget.ts';
import { Channel } from '../src/wire/link/channel.ts';
import { TlsLinks, type Admission } from '../src/wire/link/tls_link.ts';
import { Network } from '../src/p2p/network.ts';
import { AddressBook } from '../src/p2p/peers/address_book.ts';
import { Bans } from '../src/p2p/peers/bans.ts';
import { usualLimits } from '../src/p2p/peers/network_settings.ts';
import { HandClock } from '../test/builders/hand_clock.ts';
import { networkSettings } from '../test/builders/network_settings.ts';
import { quietWorld, StillChain } from '../test/builders/still_chain.ts';

/** The treatment of connections: peers, dropped at once, or links that stop after each piece for a while. */
export type Welcome = 'peers' | 'dropped' | 'stops';

/** The report of the thread. */
export interface ThreadWork {
  readonly cpuMs: number;
  /** The number of times that reading has stopped. */
  readonly stops: number;
}

/** The settings of the thread, with the id of the peer whose work is not limited. */
export interface LinkThreadData {
  readonly peer: string;
  readonly blocks: number;
}

const SECRET_BYTES = 32;
const SLOT_MS = 3000;
const STOP_MS = 50;
const BUDGET_BYTES = 1024 * 1024;
/** More than a bench asks for. */
const MANY = 100_000;

const port = present(parentPort ?? undefined, 'the port of a worker');
const data: unknown = workerData;
assert(isLinkThreadData(data), 'a thread of links is told for whom');
const { peer, blocks } = data;
let welcome: Welcome = 'peers';
let stops = 0;

const world = quietWorld(new HandClock(blocks * SLOT_MS), new StillChain(blocks));
const clock = { ...systemClock, nowMs: () => blocks * SLOT_MS };
const gate = { ...usualLimits.gate, handshakesPerSecond: MANY, handshakesPerSecondOfAddress: MANY };
const network = new Network(
  { ...world, clock, latestMs: clock.nowMs },
  {
    settings: networkSettings({ allowed: new Set([peer]), limits: { ...usualLimits, gate } }),
    ...{ book: new AddressBook(true), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 1024 },
  },
);
network.start();

const links = new TlsLinks({ identity: nodeCertificate(randomBytes(SECRET_BYTES)), clock: systemClock });
void links
  .listen('127.0.0.1', 0, { admit: (host, drop) => (welcome === 'dropped' ? undefined : admission(host, drop)) })
  .then((listensOn) => port.postMessage(listensOn));

port.on('message', (next: Welcome | undefined) => {
  welcome = next ?? welcome;
  const work: ThreadWork = { cpuMs: cpuMs(), stops };
  port.postMessage(work);
});

function isLinkThreadData(told: unknown): told is LinkThreadData {
  return typeof told === 'object' && told !== null && 'peer' in told && 'blocks' in told;
}

function admission(host: string, drop: () => void): Admission | undefined {
  if (welcome === 'stops') return { connected: (pipe) => stopping(pipe), ended: () => undefined };
  const place = network.admit(host, drop);
  if (place === undefined) return undefined;
  return { connected: (pipe) => network.accept(pipe, place), ended: () => network.gate.end(place) };
}

/** A link that is read for one piece, and then stops. */
function stopping(pipe: ConstructorParameters<typeof Channel>[0]): Channel {
  let hasRead = false;
  const channel: Channel = new Channel(
    pipe,
    systemClock,
    new ByteBudget(BUDGET_BYTES),
    {
      isWanted: () => false,
      take: () => undefined,
      malformed: () => channel.drop(),
      overLimit: () => undefined,
      closed: () => undefined,
    },
    {
      piece: () => (hasRead = true),
      empty: () => undefined,
      frame: () => undefined,
      message: () => undefined,
      waitMs: () => {
        const waits = hasRead;
        hasRead = false;
        return waits ? STOP_MS : 0;
      },
      stops: () => stops++,
    },
  );
  return channel;
}

/** Of this thread alone; where the system does not tell, what its event loop knows. */
function cpuMs(): number {
  try {
    const [nanoseconds = ''] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.eventLoopUtilization().active;
  }
}
