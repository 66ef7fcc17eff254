import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { AddressBook } from '../../p2p/address_book.ts';
import { Bans } from '../../p2p/bans.ts';
import type { BlockOutcome, ChainIntake, ChainView, TransactionOutcome } from '../../p2p/chain_access.ts';
import { bundle, MOST_TRANSACTION_BYTES, type BundledTransaction } from '../../p2p/messages/bundle.ts';
import type { Lane } from '../../p2p/lanes.ts';
import type { Genesis } from '../../p2p/messages/genesis.ts';
import { Network } from '../../p2p/network.ts';
import type { NetworkSettings } from '../../p2p/network_settings.ts';
import type { Dice } from '../../p2p/outside.ts';
import type { Peer } from '../../p2p/peer.ts';
import { clockDifferenceMs } from '../../p2p/peer_clocks.ts';
import { RememberedIds } from '../../p2p/remembered_ids.ts';
import type { Doorkeeper, TlsLinks } from '../../p2p/tls_link.ts';
import type { PeerDescription } from '../../rpc/services.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage } from '../feed/transaction_feed.ts';
import { decodeVerifiedBatch } from '../threads/verified_batch.ts';
import type { NetworkFiles } from './network_files.ts';
import type { FromNetwork, NetworkFigures, NetworkOrder, P2pSettings, ToNetwork, TransactionVerdict } from './network_messages.ts';
import { RoundWatch } from './round_watch.ts';
import { SyncProgress } from './sync_progress.ts';

/** What a network lives on: all that differs between a thread and a test. */
export interface NetworkHostParts {
  readonly settings: P2pSettings;
  /** Who this node is. */
  readonly ownId: string;
  /** Program and version, printable. */
  readonly agent: string;
  readonly checkpoint: number;
  /** Whether addresses of private networks are remembered and told. */
  readonly mayBePrivate: boolean;
  readonly genesis?: Genesis | undefined;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly log: Log;
  readonly view: ChainView;
  readonly links: Pick<TlsLinks, 'listen' | 'dial' | 'close'>;
  readonly files: Pick<NetworkFiles, 'peers' | 'keep'>;
  readonly front: Port<ToNetwork, FromNetwork>;
  /** The longest delay of the thread's event loop since the last call, in seconds. */
  readonly takeDelaySeconds: () => number;
}

const STATE_EACH_MS = 1000;
const KEEP_EACH_MS = 60_000;
/** A witness whose clock is off by more makes blocks that others get too late or too early. */
const WRONG_CLOCK_MS = 1000;
/** Ids of transactions that came from peers and are on their way through the chain: more than may be on their way. */
const FROM_PEERS_REMEMBERED = 131_072;
const ID_DIGITS = 40;

/** A network at its place in a node: links, disk and the ways to the writer and back. */
export class NetworkHost {
  readonly #parts: NetworkHostParts;
  readonly #network: Network;
  readonly #book: AddressBook;
  readonly #bans: Bans;
  readonly #progress: SyncProgress;
  readonly #intake: FrontIntake;
  readonly #feeds: Pick<Port<never, never>, 'close'>[] = [];
  #cancelState: () => void = () => undefined;
  readonly #round: RoundWatch;
  #isClockWrong = false;
  /** The head at the start, and whether there has been a peer or a block since. */
  readonly #startedAt: number;
  #hasBegun = false;
  #keptAtMs: number;

  constructor(parts: NetworkHostParts) {
    const { settings, clock, dice, log, view, links, files, front, mayBePrivate, checkpoint, genesis } = parts;
    this.#parts = parts;
    const kept = files.peers();
    this.#book = new AddressBook(mayBePrivate, kept.book);
    this.#bans = new Bans(kept.bans);
    this.#progress = new SyncProgress(log);
    this.#round = new RoundWatch(log, view.slots);
    this.#intake = new FrontIntake(front);
    this.#keptAtMs = clock.elapsedMs();
    this.#startedAt = view.head.number;
    const outside = { clock, dice, log, view, intake: this.#intake, genesis, dial: links.dial.bind(links) };
    const { book, bans } = { book: this.#book, bans: this.#bans };
    this.#network = new Network(outside, {
      ...{ settings: networkSettings(parts), book, bans, anchors: kept.anchors, checkpoint, syncRate: settings.syncRate },
    });
  }

  /** Begins to listen and to dial. */
  async start(): Promise<void> {
    const { settings, links, front, ownId } = this.#parts;
    front.listen((message) => this.#take(message));
    const { endpoint } = settings;
    const listensOn = endpoint === undefined ? undefined : await links.listen(endpoint.host, endpoint.port, this.#doorkeeper());
    this.#network.start();
    front.post({ kind: 'ready', id: ownId, listensOn });
    this.#tellState();
  }

  #doorkeeper(): Doorkeeper {
    return {
      admit: (host, drop) => {
        const place = this.#network.admit(host, drop);
        if (place === undefined) return undefined;
        return { connected: (pipe) => this.#network.accept(pipe, place), ended: () => this.#network.gate.end(place) };
      },
    };
  }

  #take(message: ToNetwork): void {
    switch (message.kind) {
      case 'chain':
        return this.#follow(message.port, (change) => this.#takeChange(change));
      case 'accepted':
        return this.#follow(message.port, (accepted) => this.#takeAccepted(accepted));
      case 'block_outcomes':
        return this.#intake.takeOutcomes(message.number, message.outcomes);
      case 'transaction_verdicts':
        return this.#intake.takeVerdicts(message.number, message.verdicts);
      case 'order':
        return this.#carryOut(message.number, message.order);
      case 'stop':
        return void this.#stop();
    }
  }

  #follow<Message>(port: Port<Message, unknown>, take: (message: Message) => void): void {
    this.#feeds.push(port);
    port.listen((message) => {
      take(message);
      port.post('taken');
    });
  }

  #takeChange(message: ChainMessage): void {
    const { head } = message;
    // What a gap left out is on the disk, and only the head is announced.
    if (message.kind === 'gap') return this.#network.news({ undone: [], applied: [head.id], head });
    this.#network.news({ undone: message.undone, applied: message.applied.map(({ id }) => id), head });
  }

  /** What peers have sent goes on by itself, in the bundle that it came in. */
  #takeAccepted(message: AcceptedMessage): void {
    if (message.kind === 'missed') return;
    const own = decodeVerifiedBatch(message.bytes).filter(
      ({ verified: { id, packed } }) => !this.#intake.isFromPeer(id) && packed.length <= MOST_TRANSACTION_BYTES,
    );
    if (own.length > 0) this.#network.accepted(own.map(({ verified }) => bundledOf(verified)));
  }

  #tellState(): void {
    const { clock, front, view, settings } = this.#parts;
    const { connections, sync } = this.#network;
    const { live } = connections;
    const inbound = live.filter(({ pipe }) => pipe.isInbound).length;
    const { behindBy, state } = sync;
    this.#round.look(view.head, live.length > 0 && state !== 'behind', clock.nowMs());
    this.#hasBegun ||= live.length > 0 || view.head.number !== this.#startedAt;
    const isSearching = settings.seeds.length > 0 && !this.#hasBegun;
    const standing = { sync: state, behindBy, inbound, outbound: live.length - inbound, isParted: this.#round.isSuspicious, isSearching };
    const figures = this.#figures();
    front.post({ kind: 'state', state: { ...standing, figures } });
    this.#noteClock(figures.clockAheadMs);
    const nowMs = clock.elapsedMs();
    this.#progress.take(state, view.head.number, behindBy, nowMs);
    if (nowMs - this.#keptAtMs >= KEEP_EACH_MS) this.#keep(nowMs);
    this.#cancelState = clock.after(STATE_EACH_MS, () => this.#tellState());
  }

  #figures(): NetworkFigures {
    const { connections, sync, gate } = this.#network;
    const { received, sent, queued: queuedBytes } = connections.traffic();
    const { bundles, offences, bans } = connections.counts;
    return {
      ...{ received, sent, queuedBytes, aheadBytes: sync.aheadBytes },
      ...{ bundles: { ...bundles }, offences: { ...offences }, bans, refusedHandshakes: gate.refused },
      delays: connections.counts.takeDelays(),
      clockAheadMs: clockDifferenceMs(connections.live),
      threadDelaySeconds: this.#parts.takeDelaySeconds(),
    };
  }

  /** Once for each time that it goes wrong. */
  #noteClock(aheadMs = 0): void {
    const isWrong = Math.abs(aheadMs) > WRONG_CLOCK_MS;
    if (isWrong && !this.#isClockWrong)
      this.#parts.log.warning(
        `the clocks of peers are ${(aheadMs / 1000).toFixed(1)} s ahead of this machine's, in the middle: set it right`,
      );
    this.#isClockWrong = isWrong;
  }

  #carryOut(number: number, order: NetworkOrder): void {
    const isDone = this.#obey(order);
    const { clock, front } = this.#parts;
    const nowMs = clock.nowMs();
    const bans = this.#bans.list(nowMs).map(([who, { untilMs }]) => ({ who, seconds: Math.ceil((untilMs - nowMs) / 1000) }));
    front.post({
      kind: 'shown',
      number,
      view: { isDone, peers: this.#network.connections.live.map((peer) => this.#described(peer)), bans },
    });
  }

  #obey(order: NetworkOrder): boolean {
    if (order.kind === 'add') this.#network.add(order.target);
    if (order.kind === 'ban') this.#network.ban(order.who);
    return order.kind === 'unban' ? this.#network.unban(order.who) : true;
  }

  #described({ id, pipe, hello, status, pingMs = -1, score, channel, sinceMs, deliveries }: Peer): PeerDescription {
    const nowMs = this.#parts.clock.elapsedMs();
    const sum = (bytes: Readonly<Record<Lane, number>>): number => bytes[0] + bytes[1] + bytes[2] + bytes[3];
    return {
      ...{ id, host: pipe.address.host, port: pipe.address.port, isInbound: pipe.isInbound, agent: hello?.agent ?? '' },
      ...{ headNumber: status?.head_number ?? 0, irreversibleNumber: status?.irreversible_number ?? 0, pingMs: Math.round(pingMs) },
      ...{ score: Math.round(score.at(nowMs)), blocksDelivered: deliveries, connectedSeconds: Math.trunc((nowMs - sinceMs) / 1000) },
      ...{ receivedBytes: sum(channel.receivedBytes), sentBytes: sum(channel.sentBytes), queuedBytes: channel.queuedBytes },
    };
  }

  #keep(nowMs: number): void {
    this.#keptAtMs = nowMs;
    const { files, clock } = this.#parts;
    files.keep({ book: this.#book.entries(), bans: this.#bans.list(clock.nowMs()), anchors: this.#network.anchors() });
  }

  async #stop(): Promise<void> {
    const { links, front, clock } = this.#parts;
    this.#cancelState();
    for (const feed of this.#feeds) feed.close();
    this.#keep(clock.elapsedMs());
    this.#network.stop();
    await links.close();
    front.post({ kind: 'stopped' });
    front.close();
  }
}

/** The way to the chain: over the front, which has the verifiers and the writer. */
class FrontIntake implements ChainIntake {
  readonly #front: Port<ToNetwork, FromNetwork>;
  readonly #blocks = new Map<number, (outcomes: readonly BlockOutcome[]) => void>();
  readonly #transactions = new Map<number, (verdicts: readonly TransactionVerdict[]) => void>();
  readonly #fromPeers = new RememberedIds(FROM_PEERS_REMEMBERED);
  #questions = 0;

  constructor(front: Port<ToNetwork, FromNetwork>) {
    this.#front = front;
  }

  isFromPeer(id: string): boolean {
    return this.#fromPeers.has(id);
  }

  submitBlocks(blocks: readonly Uint8Array[], done: (outcomes: readonly BlockOutcome[]) => void): void {
    const number = ++this.#questions;
    this.#blocks.set(number, done);
    this.#front.post({ kind: 'blocks', number, blocks });
  }

  submitTransactions(transactions: readonly BundledTransaction[], done: (outcomes: readonly TransactionOutcome[]) => void): void {
    const ids = transactions.map(({ packed, unsignedBytes }) => sha256Hex(packed.subarray(0, unsignedBytes)).slice(0, ID_DIGITS));
    for (const id of ids) this.#fromPeers.add(id);
    const number = ++this.#questions;
    this.#transactions.set(number, (verdicts) => done(verdicts.map((verdict, index) => checked(verdict, ids[index]))));
    this.#front.post({ kind: 'transactions', number, bundle: bundle.encode(transactions) });
  }

  takeOutcomes(number: number, outcomes: readonly BlockOutcome[]): void {
    const done = this.#blocks.get(number);
    this.#blocks.delete(number);
    done?.(outcomes);
  }

  takeVerdicts(number: number, verdicts: readonly TransactionVerdict[]): void {
    const done = this.#transactions.get(number);
    this.#transactions.delete(number);
    done?.(verdicts);
  }
}

/** Who says a wrong length of the unsigned form has not got the transaction from an honest node. */
function checked({ outcome, id }: TransactionVerdict, claimedId: string | undefined): TransactionOutcome {
  return outcome === 'accepted' && id !== claimedId ? 'forged' : outcome;
}

function bundledOf({ packed, unsignedBytes, signers }: VerifiedTransaction): BundledTransaction {
  return { packed, unsignedBytes, key: signers[0] ?? NULL_KEY };
}

function networkSettings({ settings, ownId, agent }: NetworkHostParts): NetworkSettings {
  const {
    publicEndpoints: endpoints,
    takesTransactions,
    seeds,
    allowed,
    maxConnections,
    targetPeers,
    exchangesPeers,
    limits,
    poolBytes,
  } = settings;
  const introduction = { agent, endpoints, takesTransactions };
  return { ownId, introduction, seeds, allowed: new Set(allowed), maxConnections, targetPeers, exchangesPeers, limits, poolBytes };
}
