import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { AddressBook } from '../../p2p/peers/address_book.ts';
import { Bans } from '../../p2p/peers/bans.ts';
import type { ChainIntake, ChainView } from '../../p2p/environment/chain_access.ts';
import { CheckpointWay, type TrustedEpoch } from '../../p2p/finality/checkpoint_way.ts';
import type { BoundaryCertificate } from '../../wire/messages/finality.ts';
import { Confirmations, type TrustedCheckpoint } from '../../p2p/sync/confirmations.ts';
import { type BundledTransaction, MOST_TRANSACTION_BYTES } from '../../wire/messages/bundle.ts';
import type { Genesis } from '../../wire/messages/genesis.ts';
import { latestTime } from '../../p2p/sync/latest_time.ts';
import { Network } from '../../p2p/network.ts';
import type { RandomSource } from '../../p2p/environment/environment.ts';
import type { Doorkeeper, TlsLinks } from '../../wire/link/tls_link.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { AcceptedMessage } from '../../feed/transaction_feed.ts';
import { decodeVerifiedBatch, idsOfBatch, verifiedOf } from '../../blocks/verified_batch.ts';
import type { NetworkFiles } from './network_files.ts';
import { BlockSizeWatch, type BlockSizeVote } from './block_size_watch.ts';
import { ClockWatch } from './clock_watch.ts';
import { FrontIntake } from './front_intake.ts';
import type {
  FromNetwork,
  NetworkOrder,
  NetworkState,
  NetworkView,
  ToNetwork,
  NetworkFigures,
} from './network_messages.ts';
import { RoundWatch } from './round_watch.ts';
import { SyncProgress } from './sync_progress.ts';
import type { P2pSettings } from '../../settings/p2p_settings.ts';
import type { Lane } from '../../wire/lanes.ts';
import type { Peer } from '../../p2p/peers/peer.ts';
import type { PeerDescription } from '../../rpc/services.ts';
import { ID_BYTES, ZERO_HASH160 } from '../../values/hash.ts';
import type { NetworkSettings } from '../../p2p/peers/network_settings.ts';

/** A checkpoint of the operator; voters and time are those that it says. */
type HostCheckpoint = TrustedCheckpoint & { readonly [M in keyof TrustedEpoch]?: TrustedEpoch[M] | undefined };

/** The network's environment: all that differs between a thread and a test. */
export interface NetworkHostParts {
  readonly settings: P2pSettings;
  /** The id of this node. */
  readonly ownId: string;
  /** Program and version, printable. */
  readonly agent: string;
  readonly checkpoint: number;
  /** True if addresses of private networks are remembered and told. */
  readonly mayBePrivate: boolean;
  readonly genesis?: Genesis | undefined;
  /** The block of somebody else's snapshot that the chain begins with, which peers have to confirm. */
  readonly foreignHead?: number | undefined;
  /** The end of an epoch that the operator has given: it takes the place of peers who confirm that block. */
  readonly finalityCheckpoint?: HostCheckpoint | undefined;
  /** The epoch in which that block is followed. */
  readonly foreignEpoch?: number | undefined;
  readonly clock: Clock;
  readonly randomSource: RandomSource;
  readonly log: Log;
  readonly view: ChainView;
  readonly links: Pick<TlsLinks, 'listen' | 'dial' | 'close'>;
  readonly files: Pick<NetworkFiles, 'peers' | 'keep' | 'confirmed'>;
  readonly front: Port<ToNetwork, FromNetwork>;
  /** True if it takes part in spreading votes: a witness, or a node that others can reach. */
  readonly relaysVotes: boolean;
  /** The blocks that witnesses of this node vote for. */
  readonly votes: () => readonly BlockSizeVote[];
  /** For how long the thread has worked since it began; undefined where nobody can tell. */
  readonly workedMs?: () => number;
  /** The longest delay of the thread's event loop since the last call, in seconds. */
  readonly takeDelaySeconds: () => number;
}

const STATE_EACH_MS = 1000;
const KEEP_EACH_MS = 60_000;

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
  readonly #clocks: ClockWatch;
  readonly #blockSizes: BlockSizeWatch | undefined;
  #confirmations: Confirmations | undefined;
  /** From the operator's checkpoint to the voters that the snapshot names. */
  #way: CheckpointWay | undefined;
  /** The head at the start, and whether there has been a chosen peer or a block since. */
  readonly #startedAt: number;
  #hasBegun = false;
  #keptAtMs: number;

  constructor(parts: NetworkHostParts) {
    const {
      settings,
      ownId,
      agent,
      clock,
      randomSource,
      log,
      view,
      links,
      files,
      front,
      mayBePrivate,
      checkpoint,
      genesis,
    } = parts;
    this.#parts = parts;
    const kept = files.peers();
    this.#book = new AddressBook(mayBePrivate, kept.book);
    this.#bans = new Bans(kept.bans);
    this.#progress = new SyncProgress(log);
    this.#round = new RoundWatch(log, view.slots);
    this.#clocks = new ClockWatch(log);
    this.#blockSizes = view.slots && new BlockSizeWatch(log, view.slots.intervalSeconds);
    this.#intake = new FrontIntake(front, { clock, randomSource });
    this.#keptAtMs = clock.elapsedMs();
    this.#startedAt = view.head.number;
    const failed = (message: string): void => front.post({ kind: 'failed', code: 'damaged_data', message });
    const standbySwitch = (from: string, packed: Uint8Array): void =>
      front.post({ kind: 'standby_switch', from, packed });
    const takes = settings.takesSwitches === true ? { standbySwitch } : {};
    const environment = {
      clock,
      latestMs: latestTime(clock),
      workedMs: parts.workedMs,
      randomSource,
      log,
      view,
      intake: this.#intake,
      genesis,
      failed,
      ...takes,
      boundaries: (boundaries: readonly BoundaryCertificate[]) => this.#way?.take(boundaries),
      dial: links.dial.bind(links),
    };
    const { book, bans } = { book: this.#book, bans: this.#bans };
    this.#network = new Network(environment, {
      ...{
        settings: networkSettings(settings, ownId, agent, parts.relaysVotes),
        book,
        bans,
        anchors: kept.anchors,
        followed: kept.followed,
      },
      ...{ checkpoint, syncRate: settings.syncRate },
    });
    const { voices } = this.#network;
    const { foreignHead: number, finalityCheckpoint: named } = parts;
    if (number === undefined) return;
    this.#way = makeCheckpointWay(parts, this.#intake);
    this.#confirmations = new Confirmations({ view, voices, number, checkpoint: named, way: this.#way });
  }

  /** Begins to listen and to dial. */
  async start(): Promise<void> {
    const { settings, links, front, ownId } = this.#parts;
    front.listen((message) => this.#take(message));
    const { endpoint } = settings;
    const listensOn =
      endpoint === undefined ? undefined : await links.listen(endpoint.host, endpoint.port, this.#doorkeeper());
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
        return this.#follow(message.port, (accepted) =>
          this.#network.spend('accepted', () => this.#takeAccepted(accepted)),
        );
      case 'own_alive':
        return this.#network.heartbeats.tell(message.alive);
      case 'ask':
        return this.#parts.front.post({
          kind: 'answer',
          to: 'order',
          ticket: message.ticket,
          value: this.#carryOut(message.question.order),
        });
      case 'finality':
        for (const news of message.updates) this.#network.finalityChanged(news);
        return;
      case 'standby_switch':
        return this.#network.standbySwitches.hand(message.node, message.packed);
      case 'stop':
        return void this.#stop();
      case 'answer':
        return this.#network.spend('answer', () => this.#intake.take(message));
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
    // Blocks in a gap are on the disk, and only the head is announced.
    if (message.kind === 'gap') return this.#network.chainChanged({ undone: [], applied: [head.id], head });
    const { undone, applied } = message;
    const transactionIds = applied.map((block) => block.transactionIds);
    this.#network.chainChanged({ undone, applied: applied.map(({ id }) => id), transactionIds, head });
  }

  /** Transactions of peers go on by themselves, in the bundle in which they came. */
  #takeAccepted(message: AcceptedMessage): void {
    if (message.kind === 'missed') return;
    const accepted = decodeVerifiedBatch(message.bytes).map(verifiedOf);
    const ids = idsOfBatch(message.bytes);
    this.#network.known(accepted, ids);
    const own: VerifiedTransaction[] = [];
    for (const [index, transaction] of accepted.entries()) {
      const isOfPeer = this.#intake.takeFromPeer(ids, index * ID_BYTES);
      if (!isOfPeer && transaction.packed.length <= MOST_TRANSACTION_BYTES) own.push(transaction);
    }
    if (own.length > 0) this.#network.accepted(own.map(toBundled));
  }

  #tellState(): void {
    const { clock, front, view, settings } = this.#parts;
    const { connections, standing } = this.#network;
    const { live } = connections;
    const inbound = live.filter(({ pipe }) => pipe.isInbound).length;
    const {
      behindBy,
      state,
      isSynced,
      contested: contest,
      contestedByInbound,
      unproved,
      voices,
      inStep,
      sources,
    } = standing;
    this.#round.look(view.head, live.length > 0 && state !== 'behind', clock.nowMs());
    this.#hasBegun ||= voices > 0 || view.head.number !== this.#startedAt;
    const isSearching = settings.seeds.length > 0 && !this.#hasBegun;
    const told = {
      ...{ sync: state, behindBy, isSynced, contest, contestedByInbound, unproved, voices, inStep, sources },
      inbound,
      outbound: live.length - inbound,
      isParted: this.#round.isSuspicious,
      isSearching,
      unconfirmed: this.#lookForConfirmations(),
      medianClockAheadMs: standing.clockAheadMs,
    };
    const figures = makeFigures(this.#network, this.#parts.takeDelaySeconds());
    front.post({ kind: 'state', state: { ...told, figures } });
    this.#clocks.look(figures.clockAheadMs);
    const nowMs = clock.elapsedMs();
    this.#progress.take(told, view.head.number, nowMs);
    if (nowMs - this.#keptAtMs >= KEEP_EACH_MS) this.#keep(nowMs);
    this.#blockSizes?.look(
      this.#parts.votes(),
      live.flatMap(({ channel }) => channel.bytesPerMs ?? []),
    );
    this.#cancelState = clock.after(STATE_EACH_MS, () => this.#network.spend('state', () => this.#tellState()));
  }

  /** Looks for peers that confirm the chain: enough of them make the node forget that its chain began with a file. */
  #lookForConfirmations(): NetworkState['unconfirmed'] {
    const { files, log, foreignHead: number } = this.#parts;
    const confirmations = this.#confirmations;
    if (confirmations === undefined || number === undefined) return undefined;
    confirmations.look(this.#network.connections.live);
    const epoch = this.#way?.wanted;
    if (epoch !== undefined) this.#network.finalityChanged({ kind: 'wanted', epoch });
    if (!confirmations.isEnough) return { number, confirmedBy: confirmations.count };
    files.confirmed();
    const how = confirmations.isProven ? 'final by finality-checkpoint' : 'in the chains of its peers';
    log.notice(
      `the block of the snapshot that this chain begins with, ${number}, is ${how}`,
      'snapshot_block_confirmed',
      {
        block: number,
      },
    );
    this.#confirmations = undefined;
    this.#way = undefined;
    return undefined;
  }

  #carryOut(order: NetworkOrder): NetworkView {
    const isDone = this.#obey(order);
    const { clock } = this.#parts;
    const nowMs = clock.nowMs();
    const bans = this.#bans
      .list(nowMs)
      .map(([who, { untilMs }]) => ({ who, seconds: Math.ceil((untilMs - nowMs) / 1000) }));
    return {
      isDone,
      peers: this.#network.connections.live.map((peer) => describedPeer(peer, clock.elapsedMs())),
      bans,
    };
  }

  #obey(order: NetworkOrder): boolean {
    if (order.kind === 'add') this.#network.add(order.target);
    if (order.kind === 'ban') this.#network.ban(order.who);
    return order.kind === 'unban' ? this.#network.unban(order.who) : true;
  }

  #keep(nowMs: number): void {
    this.#keptAtMs = nowMs;
    const { files, clock } = this.#parts;
    files.keep({
      book: this.#book.entries(),
      bans: this.#bans.list(clock.nowMs()),
      anchors: this.#network.anchors(),
      followed: this.#network.followed,
    });
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

function toBundled({ packed, unsignedBytes, signers }: VerifiedTransaction): BundledTransaction {
  return { packed, unsignedBytes, key: signers[0] ?? NULL_KEY };
}

/** The counts of a network. */
function makeFigures(
  { connections, sync, standing, gate, pool, transactions, heartbeats }: Network,
  threadDelaySeconds: number,
): NetworkFigures {
  const { received, sent, queued: queuedBytes } = connections.traffic();
  const { receiving, answering, spare } = connections.budgets;
  const { bundles, offences, bans, shortIds } = connections.counts;
  return {
    ...{ received, sent, queuedBytes, aheadBytes: sync.aheadBytes },
    ...{ bundles: { ...bundles }, offences: { ...offences }, bans, refusedHandshakes: gate.refused },
    awaitedBundles: transactions.fetches,
    aliveWitnesses: heartbeats.kept,
    shortIds: { ...shortIds },
    pool: { transactions: pool.count, waitingBytes: pool.bytes, includedBytes: pool.includedBytes },
    delays: connections.counts.takeDelays(),
    rebuiltMs: connections.counts.takeRebuiltMs(),
    work: { ...connections.counts.work },
    strangers: { receiving: receiving.chargedMs, answering: answering.chargedMs, spare: spare.givenMs },
    clockAheadMs: standing.clockDifferenceMs,
    threadDelaySeconds,
  };
}

/** A peer as its operator sees it. */
function describedPeer(peer: Peer, nowMs: number): PeerDescription {
  const { id, pipe, hello, status, pingMs = -1, score, channel, sinceMs, deliveries } = peer;
  const sum = (bytes: Readonly<Record<Lane, number>>): number => bytes[0] + bytes[1] + bytes[2] + bytes[3];
  return {
    ...{ id, host: pipe.address.host, port: pipe.address.port, isInbound: pipe.isInbound, agent: hello?.agent ?? '' },
    ...{ headNumber: status?.head_number ?? 0, irreversibleNumber: status?.irreversible_number ?? 0 },
    ...{ irreversibleId: status?.irreversible_id ?? ZERO_HASH160 },
    ...{ pingMs: Math.round(pingMs) },
    ...{
      score: Math.round(score.at(nowMs)),
      blocksDelivered: deliveries,
      connectedSeconds: Math.trunc((nowMs - sinceMs) / 1000),
    },
    ...{
      receivedBytes: sum(channel.receivedBytes),
      sentBytes: sum(channel.sentBytes),
      queuedBytes: channel.queuedBytes,
    },
  };
}

/** The settings of the network, from those of the operator and the id of the node. */
function networkSettings(settings: P2pSettings, ownId: string, agent: string, relaysVotes: boolean): NetworkSettings {
  const {
    publicEndpoints: endpoints,
    takesTransactions,
    seeds,
    trusted,
    allowed,
    maxConnections,
    targetPeers,
    exchangesPeers,
    limits,
    poolBytes,
  } = settings;
  const introduction = { agent, endpoints, takesTransactions, wantsStateHashes: trusted.length > 0, relaysVotes };
  return {
    ownId,
    introduction,
    seeds,
    allowed: new Set(allowed),
    trusted: new Set(trusted),
    maxConnections,
    targetPeers,
    exchangesPeers,
    limits,
    poolBytes,
  };
}

/** Undefined where the operator trusts no voters of an epoch that is not above the one of the snapshot. */
function makeCheckpointWay(
  { view, finalityCheckpoint, foreignEpoch: target, clock }: NetworkHostParts,
  { isVoteSigned: verify }: Pick<ChainIntake, 'isVoteSigned'>,
): CheckpointWay | undefined {
  const { epoch, voters, time } = finalityCheckpoint ?? {};
  const { chainId, finality, slots } = view;
  if (epoch === undefined || voters === undefined || time === undefined || target === undefined) return undefined;
  if (finality === undefined || slots === undefined || epoch > target) return undefined;
  const { intervalSeconds } = slots;
  const nowSeconds = (): number => Math.trunc(clock.nowMs() / 1000);
  return new CheckpointWay({
    ...{ chainId, intervalSeconds, target, finality, verify, nowSeconds },
    checkpoint: { epoch, voters, time },
  });
}
