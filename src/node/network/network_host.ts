import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { AddressBook } from '../../p2p/address_book.ts';
import { Bans } from '../../p2p/bans.ts';
import type { ChainView } from '../../p2p/chain_access.ts';
import { Confirmations } from '../../p2p/confirmations.ts';
import { MOST_TRANSACTION_BYTES, type BundledTransaction } from '../../p2p/messages/bundle.ts';
import type { Genesis } from '../../p2p/messages/genesis.ts';
import { latestTime } from '../../p2p/latest_time.ts';
import { Network } from '../../p2p/network.ts';
import type { Dice } from '../../p2p/outside.ts';
import type { Doorkeeper, TlsLinks } from '../../p2p/tls_link.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage } from '../feed/transaction_feed.ts';
import { decodeVerifiedBatch } from '../threads/verified_batch.ts';
import type { NetworkFiles } from './network_files.ts';
import { BlockSizeWatch, type BlockSizeVote } from './block_size_watch.ts';
import { ClockWatch } from './clock_watch.ts';
import { FrontIntake } from './front_intake.ts';
import type { FromNetwork, NetworkOrder, NetworkState, P2pSettings, ToNetwork } from './network_messages.ts';
import { describedPeer, figuresOf } from './network_view.ts';
import { networkSettings } from './own_settings.ts';
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
  /** The block of somebody else's snapshot that the chain begins with, which peers have to confirm. */
  readonly foreignHead?: number | undefined;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly log: Log;
  readonly view: ChainView;
  readonly links: Pick<TlsLinks, 'listen' | 'dial' | 'close'>;
  readonly files: Pick<NetworkFiles, 'peers' | 'keep' | 'confirmed'>;
  readonly front: Port<ToNetwork, FromNetwork>;
  /** The blocks that witnesses of this node vote for. */
  readonly votes: () => readonly BlockSizeVote[];
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
  /** The head at the start, and whether there has been a chosen peer or a block since. */
  readonly #startedAt: number;
  #hasBegun = false;
  #keptAtMs: number;

  constructor(parts: NetworkHostParts) {
    const { settings, ownId, agent, clock, dice, log, view, links, files, front, mayBePrivate, checkpoint, genesis } = parts;
    this.#parts = parts;
    const kept = files.peers();
    this.#book = new AddressBook(mayBePrivate, kept.book);
    this.#bans = new Bans(kept.bans);
    this.#progress = new SyncProgress(log);
    this.#round = new RoundWatch(log, view.slots);
    this.#clocks = new ClockWatch(log);
    this.#blockSizes = view.slots && new BlockSizeWatch(log, view.slots.intervalSeconds);
    this.#intake = new FrontIntake(front, clock);
    this.#keptAtMs = clock.elapsedMs();
    this.#startedAt = view.head.number;
    const failed = (message: string): void => front.post({ kind: 'failed', code: 'damaged_data', message });
    const standbySwitch = (from: string, packed: Uint8Array): void => front.post({ kind: 'standby_switch', from, packed });
    const takes = settings.takesSwitches === true ? { standbySwitch } : {};
    const outside = {
      clock,
      latestMs: latestTime(clock),
      dice,
      log,
      view,
      intake: this.#intake,
      genesis,
      failed,
      ...takes,
      dial: links.dial.bind(links),
    };
    const { book, bans } = { book: this.#book, bans: this.#bans };
    this.#network = new Network(outside, {
      ...{ settings: networkSettings(settings, ownId, agent), book, bans, anchors: kept.anchors, followed: kept.followed },
      ...{ checkpoint, syncRate: settings.syncRate },
    });
    const { voices } = this.#network;
    const { foreignHead: number } = parts;
    this.#confirmations = number === undefined ? undefined : new Confirmations({ view, voices, number });
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
      case 'own_alive':
        return this.#network.alives.tell(message.alive);
      case 'order':
        return this.#carryOut(message.number, message.order);
      case 'standby_switch':
        return this.#network.standbySwitches.hand(message.node, message.packed);
      case 'stop':
        return void this.#stop();
      default:
        return this.#intake.take(message);
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
    const { undone, applied } = message;
    const transactionIds = applied.map((block) => block.transactionIds);
    this.#network.news({ undone, applied: applied.map(({ id }) => id), transactionIds, head });
  }

  /** What peers have sent goes on by itself, in the bundle that it came in. */
  #takeAccepted(message: AcceptedMessage): void {
    if (message.kind === 'missed') return;
    const accepted = decodeVerifiedBatch(message.bytes).map(({ verified }) => verified);
    this.#network.known(accepted);
    const own = accepted.filter(({ id, packed }) => !this.#intake.takeFromPeer(id) && packed.length <= MOST_TRANSACTION_BYTES);
    if (own.length > 0) this.#network.accepted(own.map(bundledOf));
  }

  #tellState(): void {
    const { clock, front, view, settings } = this.#parts;
    const { connections, standing } = this.#network;
    const { live } = connections;
    const inbound = live.filter(({ pipe }) => pipe.isInbound).length;
    const { behindBy, state, isSynced, contested: contest, unproved, voices, inStep, sources } = standing;
    this.#round.look(view.head, live.length > 0 && state !== 'behind', clock.nowMs());
    this.#hasBegun ||= voices > 0 || view.head.number !== this.#startedAt;
    const isSearching = settings.seeds.length > 0 && !this.#hasBegun;
    const told = {
      ...{ sync: state, behindBy, isSynced, contest, unproved, voices, inStep, sources },
      inbound,
      outbound: live.length - inbound,
      isParted: this.#round.isSuspicious,
      isSearching,
      unconfirmed: this.#lookForConfirmations(),
      medianClockAheadMs: standing.clockAheadMs,
    };
    const figures = figuresOf(this.#network, this.#parts.takeDelaySeconds());
    front.post({ kind: 'state', state: { ...told, figures } });
    this.#clocks.look(figures.clockAheadMs);
    const nowMs = clock.elapsedMs();
    this.#progress.take(told, view.head.number, nowMs);
    if (nowMs - this.#keptAtMs >= KEEP_EACH_MS) this.#keep(nowMs);
    this.#blockSizes?.look(
      this.#parts.votes(),
      live.flatMap(({ channel }) => channel.bytesPerMs ?? []),
    );
    this.#cancelState = clock.after(STATE_EACH_MS, () => this.#tellState());
  }

  /** What still waits for peers, of whom enough make the node forget that its chain began with a file. */
  #lookForConfirmations(): NetworkState['unconfirmed'] {
    const { files, log, foreignHead: number } = this.#parts;
    const confirmations = this.#confirmations;
    if (confirmations === undefined || number === undefined) return undefined;
    confirmations.look(this.#network.connections.live);
    if (!confirmations.isEnough) return { number, confirmedBy: confirmations.count };
    files.confirmed();
    log.notice(`the block of the snapshot that this chain begins with, ${number}, is in the chains of its peers`);
    this.#confirmations = undefined;
    return undefined;
  }

  #carryOut(number: number, order: NetworkOrder): void {
    const isDone = this.#obey(order);
    const { clock, front } = this.#parts;
    const nowMs = clock.nowMs();
    const bans = this.#bans.list(nowMs).map(([who, { untilMs }]) => ({ who, seconds: Math.ceil((untilMs - nowMs) / 1000) }));
    front.post({
      kind: 'shown',
      number,
      view: { isDone, peers: this.#network.connections.live.map((peer) => describedPeer(peer, clock.elapsedMs())), bans },
    });
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

function bundledOf({ packed, unsignedBytes, signers }: VerifiedTransaction): BundledTransaction {
  return { packed, unsignedBytes, key: signers[0] ?? NULL_KEY };
}
