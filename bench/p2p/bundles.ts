import { assert, present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { randomBytes } from '../../src/crypto/random.ts';
import { PeerTransactionsIntake } from '../../src/node/network/peer_transactions_intake.ts';
import { acceptBatch } from '../../src/node/threads/writer/accept_batch.ts';
import { BatchVerifier } from '../../src/verifiers/batch_verifier.ts';
import { Broadcasts } from '../../src/node/threads/broadcasts/broadcasts.ts';
import { OUTCOME } from '../../src/verifiers/bundle_outcomes.ts';
import { encodeVerdicts } from '../../src/verifiers/verdicts.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import { bundle, type BundledTransaction } from '../../src/wire/messages/bundle.ts';
import { latestTime } from '../../src/p2p/sync/latest_time.ts';
import { Network } from '../../src/p2p/network.ts';
import type { Target } from '../../src/wire/addresses.ts';
import { TlsLinks } from '../../src/wire/link/tls_link.ts';
import { chainView } from '../../src/state/chain_view.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import {
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../test/builders/chain.ts';
import { bundled } from '../../test/builders/chain_line.ts';
import { HandClock } from '../../test/builders/hand_clock.ts';
import { networkSettings } from '../../test/builders/network_settings.ts';
import { quietWorld, StillChain } from '../../test/builders/still_chain.ts';
import { unverifiedTransaction } from '../../test/builders/unsigned_traffic.ts';
import { atMostMicros, row, type BenchOptions, type Row } from '../bench.ts';
import { systemRandomSource } from '../../src/node/network/system_random_source.ts';

const SECRET_BYTES = 32;
/** A bundle closes at 128 KiB: with the keys of as many payers that is about so many transfers. */
const BUNDLE = 800;
const HOPS = 2;
const PENDING_BUNDLE = 1000;

/** Bundles over real links, without proof and chain; and from a peer's bundle to what is pending, without links. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  return [await relayed(quick ? 2 : 90), await pending(quick ? 1 : 90)];
}

/** From a node over a second one to a third: each receives or sends once on either side, so two hops in all. */
async function relayed(bundles: number): Promise<Row> {
  const chain = openChain(testParameters());
  produce(chain);
  const expiration = chain.head.time + 300;
  const transfers = Array.from({ length: bundles * BUNDLE }, (_, index) =>
    bundled(
      unverifiedTransaction(
        chain,
        [transferJson('alice', 'bob', 1 + index, '')],
        `payer ${index % BUNDLE}`,
        expiration,
      ),
    ),
  );
  const third = new Node();
  const second = new Node([await third.listen()]);
  const first = new Node([await second.listen()]);
  await first.listen();
  await Promise.all([first.hasPeers(1), second.hasPeers(2)]);
  const warm = Math.trunc(bundles / 3) * BUNDLE;
  let before = process.cpuUsage();
  for (let at = 0; at < transfers.length; at += BUNDLE) {
    if (at === warm) before = process.cpuUsage();
    first.network.accepted(transfers.slice(at, at + BUNDLE));
    await third.hasTaken(at + BUNDLE);
  }
  const { user, system } = process.cpuUsage(before);
  for (const node of [first, second, third]) await node.stop();
  return row(
    'transfer in a bundle, relayed',
    'received, decoded, sent once; no proof',
    { work: transfers.length - warm, cpuMicros: (user + system) / HOPS },
    {
      budget: atMostMicros(1),
      note: `bundles of ${BUNDLE} transfers of as many payers, announced and fetched over TLS; half of both hops`,
    },
  );
}

/** A node whose chain believes everything. */
class Node {
  readonly network: Network;
  readonly #links: TlsLinks;
  #taken = 0;
  #wake: () => void = () => undefined;

  constructor(seeds: readonly Target[] = []) {
    const identity = nodeCertificate(randomBytes(SECRET_BYTES));
    this.#links = new TlsLinks({ identity, clock: systemClock });
    const quiet = quietWorld(new HandClock(0), new StillChain(1));
    const environment = {
      ...quiet,
      ...{
        clock: systemClock,
        latestMs: latestTime(systemClock),
        randomSource: systemRandomSource,
        dial: this.#links.dial.bind(this.#links),
      },
      intake: {
        ...quiet.intake,
        submitTransactions: (
          { transactions }: { readonly transactions: readonly BundledTransaction[] },
          done: Done,
        ) => {
          done(transactions.map(() => ({ outcome: 'accepted', isHintRight: true })));
          this.#taken += transactions.length;
          this.#wake();
        },
      },
    };
    const settings = networkSettings({ ownId: identity.id, seeds });
    const parts = {
      settings,
      book: new AddressBook(true),
      bans: new Bans(),
      anchors: [],
      checkpoint: 0,
      syncRate: 1024,
    };
    this.network = new Network(environment, parts);
  }

  async listen(): Promise<Target> {
    const port = await this.#links.listen('127.0.0.1', 0, {
      admit: (host, drop) => {
        const place = this.network.admit(host, drop);
        return (
          place && { connected: (pipe) => this.network.accept(pipe, place), ended: () => this.network.gate.end(place) }
        );
      },
    });
    this.network.start();
    return { host: '127.0.0.1', port };
  }

  async hasPeers(count: number): Promise<void> {
    while (this.network.connections.live.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async hasTaken(count: number): Promise<void> {
    while (this.#taken < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async stop(): Promise<void> {
    this.network.stop();
    await this.#links.close();
  }
}

type Done = (outcomes: { readonly outcome: 'accepted'; readonly isHintRight: boolean }[]) => void;

/** Front, verifier and writer in one thread: what hops between threads cost is in the follower's line. */
async function pending(bundles: number): Promise<Row> {
  const parameters = testParameters();
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  produce(chain);
  const expiration = chain.head.time + 300;
  const all = Array.from({ length: bundles * PENDING_BUNDLE }, (_, index) => {
    const from = present(people[index % people.length], 'somebody');
    return bundled(
      makeTransaction(chain, parameters, [transferJson(from, from === 'bob' ? 'alice' : 'bob', 1 + index)], [from], {
        expiration,
      }),
    );
  });
  const broadcasts = new Broadcasts(
    { queuedBroadcasts: 2 * PENDING_BUNDLE, parkedBroadcasts: 10, waitingForFinality: 10, finalityMs: 600_000 },
    systemClock,
  );
  const handOver = (bytes: Uint8Array): void =>
    broadcasts.takeVerdicts(encodeVerdicts(acceptBatch(chain, bytes).verdicts));
  const verifier = new BatchVerifier({ parameters, view: chainView(store, 1000), clock: systemClock, handOver });
  broadcasts.start({
    threads: 1,
    verify: async (bytes) => await Promise.resolve({ ...verifier.verify(bytes), elapsedMicros: 1 }),
  });
  const intake = new PeerTransactionsIntake(broadcasts);
  const sent: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += PENDING_BUNDLE) sent.push(bundle.encode(all.slice(at, at + PENDING_BUNDLE)));
  // Until then V8 still compiles the curve's module: the first bundles take up to eight times as much.
  const warm = Math.trunc((bundles * 2) / 3);
  let before = process.cpuUsage();
  for (const [index, bytes] of sent.entries()) {
    if (index === warm) before = process.cpuUsage();
    const [outcomes] = await intake.submit([{ from: 'them', bundle: bytes, count: PENDING_BUNDLE }]);
    assert(outcomes?.every((outcome) => outcome === OUTCOME.accepted) === true, 'all of it is accepted');
  }
  const { user, system } = process.cpuUsage(before);
  return row(
    "transfer from a peer's bundle",
    'to pending',
    { work: all.length - warm * PENDING_BUNDLE, cpuMicros: user + system },
    {
      budget: atMostMicros(25),
      note: `bundles of ${PENDING_BUNDLE} with ${people.length} keys; proof included, links and threads not`,
    },
  );
}
