import type { VerifiedTransaction } from '../blocks/transaction.ts';
import { blockNumberOf } from '../values/hash.ts';
import type { AddressBook } from './address_book.ts';
import { AliveRelay } from './alive_relay.ts';
import { AnswerTurns } from './answer_turns.ts';
import { ArrivingTransactions } from './arriving_transactions.ts';
import type { Bans } from './bans.ts';
import { BlockRelay } from './block_relay.ts';
import type { ChainNews } from './chain_access.ts';
import { Connections } from './connections.ts';
import { REFUSED_MS } from './contest.ts';
import { Dialler } from './dialler.ts';
import { HandshakeGate, type Unfinished } from './handshake_gate.ts';
import { MessageRouter } from './message_router.ts';
import type { BundledTransaction } from './messages/bundle.ts';
import type { NetworkSettings } from './network_settings.ts';
import type { Target } from './addresses.ts';
import type { Outside } from './outside.ts';
import type { FollowedBlock } from './followed_chain.ts';
import { MOST_RANGE_BLOCKS } from './messages/range_request.ts';
import { PeerClaims } from './peer_claims.ts';
import type { Peer } from './peer.ts';
import { PeerExchange } from './peer_exchange.ts';
import type { Pipe, PipeListener } from './pipe.ts';
import { RangeServer } from './range_server.ts';
import { Standing, type SyncState } from './standing.ts';
import { StandbySwitches } from './standby_switches.ts';
import { StateHashes } from './state_hashes.ts';
import { Sync } from './sync.ts';
import { TransactionPool } from './transaction_pool.ts';
import { TransactionRelay } from './transaction_relay.ts';
import { Voices } from './voices.ts';

/** What a network is made of besides the world around it. */
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
  /** What an earlier run has followed. */
  readonly followed?: FollowedBlock | undefined;
}

const TICK_MS = 100;
const DIAL_EACH_TICKS = 5;
const TIDY_EACH_TICKS = 100;

/** A node of the network, without threads, sockets or waiting: whatever happens is a call, and whatever it does is done before that returns. */
export class Network {
  readonly connections: Connections;
  readonly sync: Sync;
  readonly blocks: BlockRelay;
  readonly transactions: TransactionRelay;
  readonly alives: AliveRelay;
  readonly pool: TransactionPool;
  readonly gate: HandshakeGate;
  readonly standbySwitches: StandbySwitches;
  readonly #outside: Outside;
  readonly #settings: NetworkSettings;
  readonly #dialler: Dialler;
  readonly #ranges: RangeServer;
  readonly standing: Standing;
  readonly voices: Voices;
  readonly #turns: AnswerTurns;
  readonly #states: StateHashes;
  readonly #exchange: PeerExchange | undefined;
  /** Who has shown who it is and has not said hello. */
  readonly #places = new Map<Pipe, Unfinished>();
  #cancelTick: () => void = () => undefined;
  #ticks = 0;

  constructor(outside: Outside, { settings, book, bans, anchors, checkpoint, syncRate, followed }: NetworkParts) {
    this.#outside = outside;
    this.#settings = settings;
    const router = new MessageRouter<Peer>();
    const pinned = new Set([...settings.trusted, ...settings.seeds.flatMap(({ id }) => id ?? [])]);
    const voices = new Voices({ pinned, allowed: settings.allowed });
    this.voices = voices;
    const claims = new PeerClaims(MOST_RANGE_BLOCKS);
    const live = (): Peer[] => this.connections.live;
    this.standing = new Standing({ outside, voices, claims, live, checkpoint, followed });
    const { standing } = this;
    const listener = {
      joined: (peer: Peer) => this.#joined(peer),
      moved: (peer: Peer) => this.sync.moved(peer),
      left: (peer: Peer, reason: string) => this.#left(peer, reason),
    };
    this.connections = new Connections(outside, settings, router, listener, bans);
    this.#dialler = new Dialler(outside, settings, this.connections, book, anchors);
    const { budgets } = this.connections;
    this.#turns = new AnswerTurns({ clock: outside.clock, router, budgets, peers: () => this.connections.count });
    const turns = this.#turns;
    this.#ranges = new RangeServer(outside, turns, syncRate);
    const isTrusted = ({ id }: Peer): boolean => settings.trusted.has(id);
    this.sync = new Sync({ outside, checkpoint, isTrusted, router, claims, standing });
    const differs = (sentence: string): void => this.#differs(sentence);
    this.#states = new StateHashes({ router, live, isTrusted, differs });
    this.standbySwitches = new StandbySwitches({ outside, router, live });
    const isBehind = (): boolean => this.sync.isFarBehind;
    const { counts } = this.connections;
    this.pool = new TransactionPool(settings.poolBytes);
    const arriving = new ArrivingTransactions(outside.clock);
    const { takesTransactions } = settings.introduction;
    this.blocks = new BlockRelay({
      ...{ outside, live, router, turns, takesTransactions, pool: this.pool, arriving, isTrusted },
      isBehind,
      claimed: (...claim) => this.sync.claimed(...claim),
      delivered: (peer) => this.sync.delivered(peer),
      counts,
    });
    this.alives = new AliveRelay({ outside, live, router, hinted: (peer) => this.sync.hinted(peer) });
    this.transactions = new TransactionRelay({
      outside,
      live,
      router,
      turns,
      isBehind,
      takesTransactions,
      pool: this.pool,
      arriving,
      counts,
      poolBytes: settings.poolBytes,
    });
    this.#exchange = settings.exchangesPeers ? new PeerExchange(outside, book, router, turns) : undefined;
    const seedHosts = new Set(settings.seeds.map(({ host }) => host));
    const isChosen = (host: string): boolean => seedHosts.has(host);
    const isKnown = (host: string): boolean => isChosen(host) || book.wasReachedAt(host);
    this.gate = new HandshakeGate({ isKnown, isChosen }, outside.clock.elapsedMs(), settings.limits.gate);
  }

  start(): void {
    this.#dialler.tick();
    this.#sleep();
  }

  stop(): void {
    this.#cancelTick();
    this.#dialler.stop();
    this.transactions.stop();
    this.#turns.stop();
    this.connections.closeAll();
  }

  /** Our chain has moved. */
  news(news: ChainNews): void {
    const { undone, applied, head } = news;
    if (undone.length > 0)
      this.#outside.log.notice(`fork: ${undone.length} blocks are undone, ${applied.length} of another branch took their place`, {
        head: head.number,
      });
    this.#spend('news', () => {
      this.sync.news(news);
      this.#states.news(news);
      this.blocks.news(news);
      this.#notePlaces(news);
    });
  }

  /** Our chain has accepted these transactions, whoever sent them: blocks may name them. */
  known(transactions: readonly VerifiedTransaction[]): void {
    const nowMs = this.#outside.clock.elapsedMs();
    this.#spend('pool', () => {
      for (const transaction of transactions) this.pool.add(transaction, nowMs);
    });
  }

  /** Our chain has accepted these transactions from somebody who is no peer. */
  accepted(transactions: readonly BundledTransaction[]): void {
    this.#spend('posted', () => this.transactions.accepted(transactions));
  }

  /** A connection has come: may it begin a handshake? `drop` is called when its place is given to somebody else. */
  admit(host: string, drop: () => void): Unfinished | undefined {
    return this.connections.isHostBanned(host) ? undefined : this.gate.admit(host, this.#outside.clock.elapsedMs(), drop);
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

  get state(): SyncState {
    return this.standing.state;
  }

  /** Up to where this folder has followed the chain: to be kept for the next run. */
  get followed(): FollowedBlock | undefined {
    return this.standing.followed.block;
  }

  /** Whom to begin with next time. */
  anchors(): Target[] {
    return this.#dialler.anchors(2);
  }

  #notePlaces({ undone, applied, transactionIds = [] }: ChainNews): void {
    for (const id of undone) this.pool.undone(blockNumberOf(id));
    for (const [index, ids] of transactionIds.entries()) this.pool.applied(blockNumberOf(applied[index] ?? ''), ids);
  }

  /** What no message has caused is counted too. */
  #spend(what: string, work: () => void): void {
    const { clock } = this.#outside;
    const startMs = clock.elapsedMs();
    work();
    const nowMs = clock.elapsedMs();
    this.connections.budgets.prices.note(what, nowMs - startMs, nowMs);
  }

  #sleep(): void {
    this.#cancelTick = this.#outside.clock.after(TICK_MS, () => {
      this.#spend('tick', () => this.#tick());
      this.#sleep();
    });
  }

  #tick(): void {
    this.connections.tick();
    this.sync.tick();
    this.blocks.tick();
    this.transactions.tick();
    if (this.#ticks++ % DIAL_EACH_TICKS === 0) this.#dialler.tick();
    if (this.#ticks % TIDY_EACH_TICKS === 0) this.#tidy();
  }

  #tidy(): void {
    const { view, clock } = this.#outside;
    const { time, irreversible } = view.head;
    this.pool.tidy(time, irreversible, clock.elapsedMs());
    this.alives.tidy();
  }

  #joined(peer: Peer): void {
    this.#endPlace(peer.pipe);
    if (this.standing.contest.isRefused(peer.id)) return peer.close('other_final_block');
    if (this.#dialler.reached(peer) && this.connections.live.length > this.#settings.targetPeers) return peer.close('not_needed');
    this.#exchange?.joined(peer);
    this.#states.joined(peer);
    this.standbySwitches.joined(peer);
    this.transactions.joined(peer);
    this.alives.joined(peer);
    const { id, hello, pipe } = peer;
    this.#outside.log.notice('connected to a peer', { peer: id, host: pipe.address.host, agent: hello?.agent, isInbound: pipe.isInbound });
  }

  #left(peer: Peer, reason: string): void {
    this.#endPlace(peer.pipe);
    this.#dialler.left(peer, reason, this.standing.contest.isRefused(peer.id) ? REFUSED_MS : 0);
    this.sync.left(peer);
    this.blocks.left(peer);
    this.transactions.left(peer);
    this.#ranges.left(peer);
    this.#turns.left(peer);
  }

  /** Whatever this node would do from now on may be wrong. */
  #differs(sentence: string): void {
    this.#outside.log.error(sentence);
    this.#outside.failed(sentence);
  }

  #endPlace(pipe: Pipe): void {
    const place = this.#places.get(pipe);
    this.#places.delete(pipe);
    if (place !== undefined) this.gate.end(place);
  }
}
