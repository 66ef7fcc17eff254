import type { VerifiedTransaction } from '../blocks/transaction.ts';
import { getBlockNumber, type BlockId } from '../values/hash.ts';
import type { AddressBook } from './peers/address_book.ts';
import { HeartbeatRelay } from './peers/heartbeat_relay.ts';
import { AnswerTurns } from './peers/answer_turns.ts';
import { ArrivingTransactions } from './transactions/arriving_transactions.ts';
import type { Bans } from './peers/bans.ts';
import { BlockRelay } from './blocks/block_relay.ts';
import type { ChainUpdate } from './environment/chain_access.ts';
import { Connections } from './peers/connections.ts';
import { REFUSED_MS } from './sync/contest.ts';
import { Dialler } from './peers/dialler.ts';
import { FinalityRelay, type FinalityUpdate } from './finality/finality_relay.ts';
import { HandshakeGate, type Unfinished } from './peers/handshake_gate.ts';
import { chargeArrival } from './peers/peer_credit.ts';
import { MessageRouter } from './peers/message_router.ts';
import type { BundledTransaction } from '../wire/messages/bundle.ts';
import type { NetworkSettings } from './peers/network_settings.ts';
import type { Target } from '../wire/addresses.ts';
import type { Environment } from './environment/environment.ts';
import type { FollowedBlock } from './sync/followed_chain.ts';
import { MOST_RANGE_BLOCKS } from '../wire/messages/range_request.ts';
import { PeerClaims } from './sync/peer_claims.ts';
import type { Peer } from './peers/peer.ts';
import { PeerExchange } from './peers/peer_exchange.ts';
import type { Pipe, PipeListener } from '../wire/link/pipe.ts';
import { RangeServer } from './sync/range_server.ts';
import { Standing, type SyncState } from './sync/standing.ts';
import { StandbySwitches } from './peers/standby_switches.ts';
import { StateHashes } from './sync/state_hashes.ts';
import { Sync } from './sync/sync.ts';
import { packIds } from './transactions/id_table.ts';
import { TransactionPool } from './transactions/transaction_pool.ts';
import { TransactionRelay } from './transactions/transaction_relay.ts';
import { Voices } from './sync/voices.ts';

/** The parts of a network besides its environment. */
export interface NetworkParts {
  readonly settings: NetworkSettings;
  readonly book: AddressBook;
  readonly bans: Bans;
  /** Peers of the last run. */
  readonly anchors: readonly Target[];
  /** The highest block whose id the operator has given; 0 for none. */
  readonly checkpoint: number;
  /** Bytes of blocks a second that those who are behind get together. */
  readonly syncRate: number;
  /** The block that an earlier run followed. */
  readonly followed?: FollowedBlock | undefined;
}

const TICK_MS = 100;
const DIAL_EACH_TICKS = 5;
const TIDY_EACH_TICKS = 100;
/** Each second prices of links are learned of what the thread has worked. */
const LEARN_EACH_TICKS = 10;

/**
 * A node of the network, without threads, sockets or waiting: whatever happens is a call, and whatever it does is done
 * before that returns.
 */
export class Network {
  readonly connections: Connections;
  readonly sync: Sync;
  readonly blocks: BlockRelay;
  readonly transactions: TransactionRelay;
  readonly heartbeats: HeartbeatRelay;
  readonly finality: FinalityRelay;
  readonly pool: TransactionPool;
  readonly gate: HandshakeGate;
  readonly standbySwitches: StandbySwitches;
  readonly #environment: Environment;
  readonly #settings: NetworkSettings;
  readonly #dialler: Dialler;
  readonly #ranges: RangeServer;
  readonly standing: Standing;
  readonly voices: Voices;
  readonly #turns: AnswerTurns;
  readonly #states: StateHashes;
  readonly #exchange: PeerExchange | undefined;
  /** Pipes that have authenticated and have sent no hello. */
  readonly #places = new Map<Pipe, Unfinished>();
  #cancelTick: () => void = () => undefined;
  #ticks = 0;
  /** The current work is charged under a name. */
  #isSpending = false;

  constructor(
    environment: Environment,
    { settings, book, bans, anchors, checkpoint, syncRate, followed }: NetworkParts,
  ) {
    this.#environment = environment;
    this.#settings = settings;
    const router = new MessageRouter<Peer>();
    const pinned = new Set([...settings.trusted, ...settings.seeds.flatMap(({ id }) => id ?? [])]);
    const voices = new Voices({ pinned, allowed: settings.allowed });
    this.voices = voices;
    const claims = new PeerClaims(MOST_RANGE_BLOCKS);
    const live = (): Peer[] => this.connections.live;
    this.standing = new Standing({ environment, voices, claims, live, checkpoint, followed });
    const { standing } = this;
    const listener = {
      joined: (peer: Peer) => this.#joined(peer),
      moved: (peer: Peer) => this.sync.moved(peer),
      left: (peer: Peer, reason: string) => this.#left(peer, reason),
    };
    this.connections = new Connections(environment, settings, router, listener, bans);
    this.#dialler = new Dialler(environment, settings, this.connections, book, anchors);
    const { budgets } = this.connections;
    this.#turns = new AnswerTurns({ clock: environment.clock, router, budgets, peers: () => this.connections.count });
    const turns = this.#turns;
    this.#ranges = new RangeServer(environment, turns, syncRate);
    const isTrusted = ({ id }: Peer): boolean => settings.trusted.has(id);
    this.sync = new Sync({ environment, checkpoint, isTrusted, router, claims, standing });
    const differs = (sentence: string): void => this.#differs(sentence);
    this.#states = new StateHashes({ router, live, isTrusted, differs });
    this.standbySwitches = new StandbySwitches({ environment, router, live });
    const isFarBehind = (): boolean => this.sync.isLagging;
    const { counts } = this.connections;
    this.pool = new TransactionPool(settings.poolBytes, environment.randomSource);
    const arriving = new ArrivingTransactions(environment.clock, environment.randomSource);
    const { takesTransactions } = settings.introduction;
    this.blocks = new BlockRelay({
      ...{ environment, live, router, turns, takesTransactions, pool: this.pool, arriving, isTrusted },
      isBehind: isFarBehind,
      claimed: (...claim) => this.sync.claimed(...claim),
      delivered: (peer) => this.sync.delivered(peer),
      spend: (what, work) => this.spend(what, work),
      counts,
    });
    this.heartbeats = new HeartbeatRelay({ environment, live, router, hinted: (peer) => this.sync.hinted(peer) });
    const { relaysVotes = false } = settings.introduction;
    const certified = (peer: Peer, block: BlockId): void => this.sync.certified(peer, block);
    this.finality = new FinalityRelay({
      ...{ environment, live, router, turns, certified, relaysVotes },
      spend: (what, work) => this.spend(what, work),
    });
    this.transactions = new TransactionRelay({
      environment,
      live,
      router,
      turns,
      isBehind: isFarBehind,
      takesTransactions,
      pool: this.pool,
      arriving,
      counts,
      poolBytes: settings.poolBytes,
    });
    this.#exchange = settings.exchangesPeers ? new PeerExchange(environment, book, router, turns) : undefined;
    const seedHosts = new Set(settings.seeds.map(({ host }) => host));
    const isChosen = (host: string): boolean => seedHosts.has(host);
    const isKnown = (host: string): boolean => isChosen(host) || book.hasReached(host);
    this.gate = new HandshakeGate({ isKnown, isChosen }, environment.clock.elapsedMs(), settings.limits.gate);
  }

  start(): void {
    this.#dialler.tick();
    this.#sleep();
  }

  stop(): void {
    this.#cancelTick();
    this.#dialler.stop();
    this.transactions.stop();
    this.finality.stop();
    this.#turns.stop();
    this.connections.closeAll();
  }

  /** Our chain has moved. */
  chainChanged(news: ChainUpdate): void {
    const { undone, applied, head } = news;
    if (undone.length > 0)
      this.#environment.log.notice(
        `fork: ${undone.length} blocks are undone, ${applied.length} of another branch took their place`,
        'fork_switched',
        { head: head.number, undone: undone.length, applied: applied.length },
      );
    this.spend('news', () => {
      this.sync.chainChanged(news);
      this.#states.chainChanged(news);
      this.blocks.chainChanged(news);
      this.#notePlaces(news);
    });
  }

  /** Our chain has votes and certificates for peers, or wants some of theirs. */
  finalityChanged(news: FinalityUpdate): void {
    this.spend('finality', () => this.finality.changed(news));
  }

  /** Our chain has accepted these transactions from any sender: blocks may name them. */
  known(transactions: readonly VerifiedTransaction[], ids: Uint8Array = packIds(transactions)): void {
    const nowMs = this.#environment.clock.elapsedMs();
    this.spend('pool', () => this.pool.addAll(transactions, ids, nowMs));
  }

  /** Our chain has accepted these transactions from somebody who is no peer. */
  accepted(transactions: readonly BundledTransaction[]): void {
    this.spend('posted', () => this.transactions.accepted(transactions));
  }

  /** A connection has come: may it begin a handshake? `drop` is called when its place is given to somebody else. */
  admit(host: string, drop: () => void): Unfinished | undefined {
    const nowMs = this.#environment.clock.elapsedMs();
    const place = this.connections.isHostBanned(host) ? undefined : this.gate.admit(host, nowMs, drop);
    chargeArrival(this.connections.budgets, host, place, nowMs);
    return place;
  }

  /** The handshake is done; undefined when it may not stay. The place is free again when it has said hello. */
  accept(pipe: Pipe, place: Unfinished): PipeListener | undefined {
    const listener = this.standing.contest.isRefused(pipe.peer) ? undefined : this.connections.accept(pipe);
    if (listener === undefined) this.gate.end(place);
    else this.#places.set(pipe, place);
    return listener;
  }

  /** The operator wants nothing of that node or address any more. */
  ban(key: string): void {
    this.connections.shutOut(key);
  }

  /** Takes that back; false when there is no such ban. */
  unban(key: string): boolean {
    return this.connections.bans.remove(key);
  }

  /** The operator names somebody to connect to. */
  add(target: Target): void {
    this.#dialler.add(target);
  }

  /** Does what no message of a peer causes now, so that its time has a name, too. */
  spend(what: string, work: () => void): void {
    if (this.#isSpending) return work();
    const { clock } = this.#environment;
    const startMs = clock.elapsedMs();
    this.#isSpending = true;
    try {
      work();
    } finally {
      this.#isSpending = false;
    }
    const nowMs = clock.elapsedMs();
    this.connections.budgets.prices.note(what, nowMs - startMs, nowMs);
  }

  get state(): SyncState {
    return this.standing.state;
  }

  /** Up to where this folder has followed the chain: to be kept for the next run. */
  get followed(): FollowedBlock | undefined {
    return this.standing.followed.block;
  }

  /** The peers to dial first after a restart. */
  anchors(): Target[] {
    return this.#dialler.anchors(2);
  }

  #notePlaces({ undone, applied, transactionIds = [] }: ChainUpdate): void {
    for (const id of undone) this.pool.undone(getBlockNumber(id));
    for (const [index, ids] of transactionIds.entries()) this.pool.applied(getBlockNumber(applied[index] ?? ''), ids);
  }

  #sleep(): void {
    this.#cancelTick = this.#environment.clock.after(TICK_MS, () => {
      this.spend('tick', () => this.#tick());
      this.#sleep();
    });
  }

  #tick(): void {
    this.connections.tick();
    this.sync.tick();
    this.blocks.tick();
    this.transactions.tick();
    this.finality.tick();
    if (this.#ticks++ % DIAL_EACH_TICKS === 0) {
      this.#dialler.tick();
      this.#exchange?.askAgain(this.#dialler.fewerThanWanted);
    }
    if (this.#ticks % TIDY_EACH_TICKS === 0) this.#tidy();
    if (this.#ticks % LEARN_EACH_TICKS === 0) this.#learnPrices();
  }

  #learnPrices(): void {
    const { clock, workedMs } = this.#environment;
    if (workedMs !== undefined) this.connections.budgets.prices.look(workedMs(), clock.elapsedMs());
  }

  #tidy(): void {
    const { view, clock } = this.#environment;
    const { time, irreversible } = view.head;
    this.pool.tidy(time, irreversible, clock.elapsedMs());
    this.heartbeats.tidy();
    this.finality.tidy();
  }

  #joined(peer: Peer): void {
    this.#endPlace(peer.pipe);
    if (this.standing.contest.isRefused(peer.id)) return peer.close('other_final_block');
    if (this.#dialler.reached(peer) && this.connections.live.length > this.#settings.targetPeers)
      return peer.close('not_needed');
    this.#exchange?.joined(peer);
    this.#states.joined(peer);
    this.standbySwitches.joined(peer);
    this.transactions.joined(peer);
    this.heartbeats.joined(peer);
    this.finality.joined(peer);
    const { id, hello, pipe } = peer;
    this.#environment.log.notice('connected to a peer', 'peer_connected', {
      peer: id,
      host: pipe.address.host,
      agent: hello?.agent,
      isInbound: pipe.isInbound,
    });
  }

  #left(peer: Peer, reason: string): void {
    this.#endPlace(peer.pipe);
    this.#dialler.left(peer, reason, this.standing.contest.isRefused(peer.id) ? REFUSED_MS : 0);
    this.sync.left(peer);
    this.blocks.left(peer);
    this.transactions.left(peer);
    this.finality.left(peer);
    this.#ranges.left(peer);
    this.#turns.left(peer);
  }

  /** Everything that this node would do from now on may be wrong. */
  #differs(sentence: string): void {
    this.#environment.log.error(sentence, 'state_differs', {});
    this.#environment.failed(sentence);
  }

  #endPlace(pipe: Pipe): void {
    const place = this.#places.get(pipe);
    this.#places.delete(pipe);
    if (place !== undefined) this.gate.end(place);
  }
}
