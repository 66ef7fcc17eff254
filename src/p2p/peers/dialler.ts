import { endpointText, addressGroup, parseEndpoint, type Target } from '../../wire/addresses.ts';
import type { AddressBook } from './address_book.ts';
import type { Connections } from './connections.ts';
import type { NetworkSettings } from './network_settings.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from './peer.ts';
import type { Pipe, PipeListener } from '../../wire/link/pipe.ts';

const FIRST_BACK_OFF_MS = 1000;
const ALONE_SEEDS_EACH_MS = 15_000;
const MOST_DIALLING = 8; // a handshake each
const PROBE_EACH_MS = 2 * 60_000;
const CHECK_EACH_MS = 5000; // a link each; a seed knows fifty new nodes within five minutes
/** Peers that keep blocks from us would not be dialled next. */
const OLD_HEAD_MS = 30_000;
/** The network may have parted: seeds beyond the cut are found soon after it heals. */
const OLD_HEAD_SEEDS_EACH_MS = 5000;
const MOST_BACK_OFFS = 2048; // twice the book

interface BackOff {
  readonly waitMs: number;
  /** The pause that the other side has asked for. */
  readonly leastMs: number;
  readonly untilMs: number;
}

/** Makes connections: seeds and anchors first, then addresses from the book, as many as are wanted. */
export class Dialler {
  readonly #environment: Environment;
  readonly #settings: NetworkSettings;
  readonly #connections: Connections;
  readonly #book: AddressBook;
  readonly #anchors: readonly Target[];
  readonly #added = new Map<string, Target>();
  /** By endpoint. */
  readonly #dialling = new Set<string>();
  readonly #backOffs = new Map<string, BackOff>();
  readonly #targets = new Map<Peer, Target>();
  readonly #probes = new Set<string>();
  /** Endpoints that peers have named as their own, being dialled. */
  readonly #checks = new Set<string>();
  readonly #pipes = new Map<Pipe, Target>();
  /** The last reported reasons why the operator's named peers are not connected. */
  readonly #told = new Map<string, string>();
  #probedMs: number;
  #checkedMs: number;
  #isStopped = false;

  /** `anchors` are peers of the last run. */
  constructor(
    environment: Environment,
    settings: NetworkSettings,
    connections: Connections,
    book: AddressBook,
    anchors: readonly Target[] = [],
  ) {
    this.#environment = environment;
    this.#settings = settings;
    this.#connections = connections;
    this.#book = book;
    this.#anchors = anchors;
    this.#probedMs = environment.clock.elapsedMs();
    this.#checkedMs = this.#probedMs;
  }

  /** The operator names somebody: dialled like a seed from now on. */
  add(target: Target): void {
    this.#added.set(targetText(target), target);
    this.#backOffs.delete(targetText(target));
  }

  tick(): void {
    if (this.#isStopped) return;
    const nowMs = this.#environment.clock.elapsedMs();
    for (const target of this.#wanted(nowMs)) {
      if (this.#dialling.size >= MOST_DIALLING) return;
      this.#dial(target);
    }
  }

  /** The peers that were dialled, where more of them are wanted; none where there are enough. */
  get fewerThanWanted(): readonly Peer[] {
    const outbound = this.#outbound();
    return outbound.length < this.#targetPeers ? outbound : [];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** A dialled peer has said hello. Answers whether it was only a probe. */
  reached(peer: Peer): boolean {
    const target = this.#pipes.get(peer.pipe);
    if (target === undefined) return false;
    const key = targetText(target);
    this.#backOffs.delete(key);
    this.#told.delete(key);
    this.#targets.set(peer, target);
    this.#book.noteReached(peer.pipe.address, peer.id, this.#environment.clock.nowMs());
    return this.#probes.delete(key);
  }

  /** A peer is gone; one that we had dialled is dialled again after a while, not before `leastMs`. */
  left(peer: Peer, reason: string, leastMs = 0): void {
    const target = this.#pipes.get(peer.pipe);
    this.#pipes.delete(peer.pipe);
    this.#targets.delete(peer);
    if (target === undefined) return;
    this.#probes.delete(targetText(target));
    this.#delay(targetText(target), Math.max((peer.farewell?.retry_after_seconds ?? 0) * 1000, leastMs));
    if (peer.hello === undefined) this.#tellOperator(targetText(target), reason);
  }

  /**
   * Peers to dial first after a restart: outbound ones that have delivered blocks before others, those connected
   * longest, one for each address group. To be connected costs nothing, so one owner's peers would surround us from the
   * start.
   */
  anchors(most: number): Target[] {
    const isIdle = ({ deliveries }: Peer): number => Number(deliveries === 0);
    const best = [...this.#targets].toSorted(([a], [b]) => isIdle(a) - isIdle(b) || a.sinceMs - b.sinceMs);
    const ofGroups = new Map<string, Target>();
    for (const [{ id }, { host, port }] of best)
      if (!ofGroups.has(addressGroup(host))) ofGroups.set(addressGroup(host), { host, port, id });
    return [...ofGroups.values()].slice(0, most);
  }

  *#wanted(nowMs: number): Iterable<Target> {
    const { seeds } = this.#settings;
    const chosen = [...this.#added.values(), ...seeds];
    const isAlone = this.#connections.live.length === 0;
    const seedsEachMs = isAlone ? ALONE_SEEDS_EACH_MS : this.#isHeadOld() ? OLD_HEAD_SEEDS_EACH_MS : Infinity;
    yield* chosen.filter((target) => this.#mayDial(target, nowMs, seedsEachMs));
    const missing = (): number => this.#targetPeers - this.#outbound().length - this.#dialling.size;
    for (const anchor of this.#anchors) if (missing() > 0 && this.#mayDial(anchor, nowMs)) yield anchor;
    if (missing() > 0) yield* this.#fromBook(missing(), nowMs);
    else if (nowMs - this.#probedMs >= PROBE_EACH_MS) yield* this.#probe(nowMs);
    if (nowMs - this.#checkedMs >= CHECK_EACH_MS) yield* this.#check(nowMs);
  }

  /** One more while there are peers and no new blocks. */
  get #targetPeers(): number {
    const { targetPeers } = this.#settings;
    return targetPeers > 0 && this.#isHeadOld() && this.#connections.live.length > 0 ? targetPeers + 1 : targetPeers;
  }

  /** Of a chain that moves its own time nobody can tell. */
  #isHeadOld(): boolean {
    const { view, clock } = this.#environment;
    return view.slots !== undefined && clock.nowMs() - view.head.time * 1000 > OLD_HEAD_MS;
  }

  #outbound(): Peer[] {
    return this.#connections.live.filter(({ pipe }) => !pipe.isInbound);
  }

  /**
   * Dials an address of a connected group only when there is no other, so that an attacker needs addresses in many
   * groups to surround us.
   */
  *#fromBook(most: number, nowMs: number): Iterable<Target> {
    const hosts = [
      ...this.#outbound().map(({ pipe }) => pipe.address.host),
      ...[...this.#dialling].map((key) => parseEndpoint(key)?.host ?? key),
    ];
    const groups = new Set(hosts.map(addressGroup));
    const near: Target[] = [];
    const far: Target[] = [];
    for (const target of this.#free(nowMs)) {
      const group = addressGroup(target.host);
      (groups.has(group) ? near : far).push(target);
      groups.add(group);
    }
    yield* [...far, ...near].slice(0, most);
  }

  /** Now and then somebody we have only heard of is looked at, so that the book holds who is really there. */
  *#probe(nowMs: number): Iterable<Target> {
    this.#probedMs = nowMs;
    if (this.#dialling.size >= MOST_DIALLING) return;
    const target = this.#heard().find((one) => this.#mayDial(one, nowMs));
    if (target === undefined) return;
    this.#probes.add(targetText(target));
    yield target;
  }

  /**
   * A peer that has dialled us is looked at where it says that it listens. Only addresses that were reached are told to
   * others, and a seed dials nobody: without this all nodes would know its address alone.
   */
  *#check(nowMs: number): Iterable<Target> {
    this.#checkedMs = nowMs;
    if (this.#dialling.size >= MOST_DIALLING) return;
    const { live } = this.#connections;
    const isThere = ({ id }: Target): boolean => live.some((peer) => peer.id === id);
    const target = this.#heard().find((one) => isThere(one) && this.#isDue(targetText(one), nowMs));
    if (target === undefined) return;
    this.#checks.add(targetText(target));
    yield target;
  }

  #heard(): Target[] {
    return this.#book
      .entries()
      .filter(({ reachedMs }) => reachedMs === undefined)
      .flatMap(toTargets);
  }

  #free(nowMs: number): Target[] {
    return this.#book
      .candidates(this.#environment.randomSource)
      .flatMap(toTargets)
      .filter((target) => this.#mayDial(target, nowMs));
  }

  #mayDial(target: Target, nowMs: number, longestMs = Infinity): boolean {
    const key = targetText(target);
    if (this.#isConnected(target)) return false;
    if (target.id !== undefined && (target.id === this.#settings.ownId || this.#connections.isBanned(target.id)))
      return false;
    return this.#isDue(key, nowMs, longestMs);
  }

  #isDue(key: string, nowMs: number, longestMs = Infinity): boolean {
    if (this.#dialling.has(key)) return false;
    const backOff = this.#backOffs.get(key);
    if (backOff === undefined) return true;
    return nowMs >= backOff.untilMs - Math.max(0, backOff.waitMs - Math.max(longestMs, backOff.leastMs));
  }

  #isConnected(target: Target): boolean {
    const key = targetText(target);
    for (const dialled of this.#pipes.values()) if (targetText(dialled) === key) return true;
    return target.id !== undefined && this.#connections.live.some(({ id }) => id === target.id);
  }

  #dial(target: Target): void {
    const key = targetText(target);
    this.#dialling.add(key);
    this.#environment.dial(target, {
      connected: (pipe) => {
        this.#dialling.delete(key);
        if (this.#checks.delete(key)) return this.#checked(target, pipe);
        // Told apart from the links of others even when it is closed at once.
        this.#pipes.set(pipe, target);
        const listener = this.#isStopped ? undefined : this.#connections.accept(pipe);
        if (listener !== undefined) return listener;
        this.#pipes.delete(pipe);
        return this.#hangUp(key, pipe);
      },
      failed: (reason) => {
        this.#dialling.delete(key);
        this.#probes.delete(key);
        this.#checks.delete(key);
        this.#delay(key, 0);
        const address = parseEndpoint(key);
        if (address !== undefined) this.#book.noteFailed(address);
        this.#environment.log.debug(`could not connect to ${key}: ${reason}`, 'dial_failed', { address: key });
        this.#tellOperator(key, reason);
      },
    });
  }

  /** The link has proved who answers there; the connection that we have is the one that stays. */
  #checked(target: Target, pipe: Pipe): PipeListener {
    if (pipe.peer === target.id) this.#book.noteReached(target, pipe.peer, this.#environment.clock.nowMs());
    else this.#book.noteFailed(target);
    return this.#hangUp(targetText(target), pipe);
  }

  #hangUp(key: string, pipe: Pipe): PipeListener {
    pipe.close();
    this.#delay(key, this.#settings.limits.longestRetryMs);
    return { received: () => undefined, drained: () => undefined, closed: () => undefined };
  }

  /** Of those whom the operator has named: once, until something else is wrong. */
  #tellOperator(key: string, reason: string): void {
    const isChosen = [...this.#added.values(), ...this.#settings.seeds].some((target) => targetText(target) === key);
    if (!isChosen || this.#isStopped || this.#told.get(key) === reason) return;
    this.#told.set(key, reason);
    this.#environment.log.warning(`cannot join seed node ${key}: ${reason}; it is tried again`, 'seed_unreachable', {
      address: key,
    });
  }

  #delay(key: string, leastMs: number): void {
    const nowMs = this.#environment.clock.elapsedMs();
    const waitMs = Math.min(
      Math.max((this.#backOffs.get(key)?.waitMs ?? FIRST_BACK_OFF_MS / 2) * 2, leastMs),
      this.#settings.limits.longestRetryMs,
    );
    this.#backOffs.delete(key);
    this.#backOffs.set(key, { waitMs, leastMs, untilMs: nowMs + waitMs });
    if (this.#backOffs.size <= MOST_BACK_OFFS) return;
    for (const oldest of this.#backOffs.keys()) {
      this.#backOffs.delete(oldest);
      return;
    }
  }
}

function targetText(target: Target): string {
  return endpointText(target);
}

function toTargets({ endpoint, id }: { readonly endpoint: string; readonly id: string | undefined }): Target[] {
  const address = parseEndpoint(endpoint);
  return address === undefined ? [] : [{ ...address, id }];
}
