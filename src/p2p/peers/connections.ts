import { addressGroup, isLoopback } from '../../wire/addresses.ts';
import { Bans, type Ban } from './bans.ts';
import { ByteBudget } from '../../wire/link/byte_budget.ts';
import { largestGroup } from './largest_group.ts';
import type { MessageRouter } from './message_router.ts';
import { NetworkCounts } from './network_counts.ts';
import type { NetworkSettings } from './network_settings.ts';
import type { Environment } from '../environment/environment.ts';
import { Peer } from './peer.ts';
import type { PeerKeeper } from './peer_parts.ts';
import type { Pipe, PipeListener } from '../../wire/link/pipe.ts';
import { workBudgets, type WorkBudgets } from './peer_credit.ts';
import type { NodeId } from '../../wire/wire_values.ts';

/** Hears which peers join and leave. */
export interface PeersListener {
  /** It has said hello and stays. */
  joined(peer: Peer): void;
  /** It said where its chain stands; also behind `joined`. */
  moved(peer: Peer): void;
  /** It is gone, whether it had joined or not. */
  left(peer: Peer, reason: string): void;
}

/** Half-received messages of all peers together: eight ranges and a block of the largest size. */
const MOST_HALF_RECEIVED_BYTES = 64 * 1024 * 1024;
/** Bytes that may wait for all peers together: five blocks of the largest size. */
const MOST_QUEUED_BYTES = 256 * 1024 * 1024;
/**
 * Protected peers of each kind: those that deliver blocks first, and those that have been here longest. An attacker
 * needs time or work for either.
 */
const PROTECTED_EACH = 8;

/** Keeps the connected peers, decides who may connect, and chooses who leaves when there are too many. */
export class Connections implements PeerKeeper<Peer> {
  readonly bans: Bans;
  readonly counts = new NetworkCounts();
  /** Work that strangers may cause. */
  readonly budgets: WorkBudgets;
  readonly #environment: Environment;
  readonly #settings: NetworkSettings;
  readonly #router: MessageRouter<Peer>;
  readonly #listener: PeersListener;
  readonly #budget = new ByteBudget(MOST_HALF_RECEIVED_BYTES);
  readonly #peers = new Set<Peer>();
  readonly #pinned: ReadonlySet<NodeId>;
  readonly #seedHosts: ReadonlySet<string>;

  constructor(
    environment: Environment,
    settings: NetworkSettings,
    router: MessageRouter<Peer>,
    listener: PeersListener,
    bans: Bans = new Bans(),
  ) {
    this.bans = bans;
    this.budgets = workBudgets(settings.limits.work, this.counts.work, environment.clock.elapsedMs());
    this.#environment = environment;
    this.#settings = settings;
    this.#router = router;
    this.#listener = listener;
    this.#pinned = new Set([...settings.allowed, ...settings.seeds.flatMap(({ id }) => id ?? [])]);
    this.#seedHosts = new Set(settings.seeds.map(({ host }) => host));
  }

  /** Those who have said hello. */
  get live(): Peer[] {
    return [...this.#peers].filter(({ isLive }) => isLive);
  }

  /** The operator wants nothing of a node or of an address any more, until he says otherwise or the ban is over. */
  shutOut(key: string): void {
    this.bans.add(key, this.#nowMs);
    this.counts.bans++;
    for (const peer of this.#peers) if (peer.id === key || peer.pipe.address.host === key) peer.close('banned');
  }

  /** Bytes by lane since the start, and bytes that wait to be sent. */
  traffic(): ReturnType<NetworkCounts['bytes']> & { readonly queued: number } {
    const channels = [...this.#peers].map(({ channel }) => channel);
    return { ...this.counts.bytes(channels), queued: channels.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0) };
  }

  /** All, strangers included. */
  get count(): number {
    return this.#peers.size;
  }

  get halfReceivedBytes(): number {
    return this.#budget.held;
  }

  /** Somebody has shown who it is; the result hears of the pipe. Undefined when it may not even say hello. */
  accept(pipe: Pipe): PipeListener | undefined {
    if (!this.#mayEnter(pipe)) return undefined;
    const { ownId, introduction } = this.#settings;
    const parts = {
      budgets: this.budgets,
      isChosen: this.#isChosen(pipe),
      environment: this.#environment,
      introduction,
      ownId,
      budget: this.#budget,
      router: this.#router,
      keeper: this,
      counts: this.counts,
    };
    const peer = new Peer(pipe, parts);
    this.#peers.add(peer);
    return peer.channel;
  }

  tick(): void {
    for (const peer of this.#peers) peer.tick();
    this.#boundQueues();
  }

  closeAll(): void {
    for (const peer of this.#peers) peer.close('stopping');
  }

  isBanned(id: NodeId): boolean {
    return this.bans.has(id, this.#nowMs);
  }

  isHostBanned(host: string): boolean {
    return this.bans.has(host, this.#nowMs);
  }

  greeted(peer: Peer): boolean {
    const twin = this.live.find((other) => other !== peer && other.id === peer.id);
    if (twin !== undefined) shareDialled(peer, twin);
    if (twin !== undefined && !this.#replaces(peer, twin)) {
      peer.close('connected_already');
      return false;
    }
    twin?.close('connected_already');
    if (!this.#makeRoom(peer)) {
      peer.close('full');
      return false;
    }
    this.#listener.joined(peer);
    return true;
  }

  moved(peer: Peer): void {
    this.#listener.moved(peer);
  }

  ban(peer: Peer, why: string): void {
    // The operator has chosen those peers; a mistake of theirs must not part the network.
    if (this.#isChosen(peer.pipe)) return;
    const ban = this.bans.add(peer.id, this.#nowMs);
    this.counts.bans++;
    if (peer.pipe.isInbound && !isLoopback(peer.pipe.address.host)) this.bans.add(peer.pipe.address.host, this.#nowMs);
    this.#environment.log.warning(`banned a peer for ${hours(ban, this.#nowMs)} h: ${why}`, 'peer_banned', {
      hours: hours(ban, this.#nowMs),
      peer: peer.id,
      host: peer.pipe.address.host,
    });
  }

  gone(peer: Peer, reason: string): void {
    if (!this.#peers.delete(peer)) return;
    this.#environment.log.debug(`a peer is gone: ${reason}`, 'peer_left', {
      peer: peer.id,
      host: peer.pipe.address.host,
    });
    this.#listener.left(peer, reason);
  }

  get #nowMs(): number {
    return this.#environment.clock.nowMs();
  }

  #mayEnter(pipe: Pipe): boolean {
    const { peer, address, isInbound } = pipe;
    const { limits } = this.#settings;
    if (this.#settings.allowed.size > 0 && !this.#settings.allowed.has(peer)) return false;
    if (this.isBanned(peer) || peer === this.#settings.ownId) return false;
    if (!isInbound || this.#isChosen(pipe) || isLoopback(address.host)) return true;
    if (this.isHostBanned(address.host)) return false;
    const inbound = [...this.#peers].filter((other) => other.pipe.isInbound);
    const group = addressGroup(address.host);
    return (
      inbound.filter((other) => other.pipe.address.host === address.host).length < limits.ofAddress &&
      inbound.filter((other) => addressGroup(other.pipe.address.host) === group).length < limits.ofGroup
    );
  }

  /** Pinned, allowed, or a seed that we have dialled. */
  #isChosen({ peer, address, isInbound }: Pipe): boolean {
    return this.#pinned.has(peer) || (!isInbound && this.#seedHosts.has(address.host));
  }

  /** Of two links to one node both sides keep the one that the smaller id has dialled; of two alike the older. */
  #replaces(later: Peer, earlier: Peer): boolean {
    if (later.pipe.isInbound === earlier.pipe.isInbound) return false;
    const isOurs = this.#settings.ownId < later.id;
    return later.pipe.isInbound !== isOurs;
  }

  /** Bytes that wait for all peers together are bounded, too: the peer that reads least is dropped first. */
  #boundQueues(): void {
    const waiting = [...this.#peers].toSorted((a, b) => b.channel.queuedBytes - a.channel.queuedBytes);
    let queued = waiting.reduce((sum, { channel }) => sum + channel.queuedBytes, 0);
    for (const peer of waiting) {
      if (queued <= MOST_QUEUED_BYTES) return;
      queued -= peer.channel.queuedBytes;
      peer.close('over_limit', 'too much waits for slow peers, and most of it for this one');
    }
  }

  /** False when the newcomer itself is who would have to go. */
  #makeRoom(newcomer: Peer): boolean {
    const { live } = this;
    if (live.length <= this.#settings.maxConnections) return true;
    const worst = this.#worstInbound(live, newcomer);
    if (worst === undefined || worst === newcomer) return false;
    worst.close('full');
    return true;
  }

  /**
   * Of the largest group the peer with the lowest score, of several the youngest. Where nobody shares a group, chance
   * decides between those and the newcomer has the place: seeds that all dropped the same peer would leave it alone, and
   * seeds that dropped nobody would let no newcomer learn of other nodes.
   */
  #worstInbound(live: readonly Peer[], newcomer: Peer): Peer | undefined {
    const inbound = live.filter(({ pipe }) => pipe.isInbound && !this.#isChosen(pipe));
    const oldest = inbound.toSorted((a, b) => a.sinceMs - b.sinceMs).slice(0, PROTECTED_EACH);
    const useful = inbound.filter(({ deliveries }) => deliveries > 0).toSorted((a, b) => b.deliveries - a.deliveries);
    const kept = new Set([...oldest, ...useful.slice(0, PROTECTED_EACH)]);
    const groupOfPeer = ({ pipe }: Peer): string => addressGroup(pipe.address.host);
    const candidates = largestGroup(
      inbound.filter((peer) => !kept.has(peer)),
      groupOfPeer,
    );
    const nowMs = this.#environment.clock.elapsedMs();
    const lowest = Math.min(...candidates.map(({ score }) => score.at(nowMs)));
    const worst = candidates.filter(({ score }) => score.at(nowMs) === lowest);
    const isShared = new Set(candidates.map(groupOfPeer)).size < candidates.length;
    if (isShared) return worst.toSorted((a, b) => b.sinceMs - a.sinceMs)[0];
    const others = worst.filter((peer) => peer !== newcomer);
    return others.length === 0 ? worst[0] : others[this.#environment.randomSource.roll(others.length)];
  }
}

function hours({ untilMs }: Ban, nowMs: number): number {
  return Math.round((untilMs - nowMs) / 3_600_000);
}

/** Whichever link stays: the address that was dialled has been found to be this node's. */
function shareDialled(one: Peer, other: Peer): void {
  one.dialledAt ??= other.dialledAt;
  other.dialledAt ??= one.dialledAt;
}
