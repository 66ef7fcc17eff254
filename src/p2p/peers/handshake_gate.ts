import { addressGroup, isLoopback } from '../../wire/addresses.ts';
import { Bucket } from './bucket.ts';
import { largestGroup } from './largest_group.ts';

/** Limits on connections between their first byte and hello. */
export interface GateLimits {
  /** A second, in all: each handshake costs a millisecond. Half of it is kept for addresses that we know. */
  readonly handshakesPerSecond: number;
  readonly handshakesPerSecondOfAddress: number;
  readonly unfinished: number;
  readonly unfinishedOfAddress: number;
  readonly unfinishedOfGroup: number;
}

/** The handshakes that a core can bear besides its work. */
export const usualGateLimits: GateLimits = {
  handshakesPerSecond: 20, // 2 % of a core, half of it by strangers
  handshakesPerSecondOfAddress: 10,
  unfinished: 64,
  unfinishedOfAddress: 2,
  unfinishedOfGroup: 4,
};

/** The place of somebody who has not said hello. */
export interface Unfinished {
  readonly host: string;
  readonly group: string;
  readonly isKnown: boolean;
  readonly drop: () => void;
}

/** The node's knowledge of addresses before a peer has authenticated. */
export interface GateHosts {
  /** True if somebody there was a peer, or is expected. */
  readonly isKnown: (host: string) => boolean;
  /** True if the operator has named it. */
  readonly isChosen: (host: string) => boolean;
}

const DEEP_SECONDS = 1;
/** Of all together, so that 25 strangers may come at once. */
const DEEP_SECONDS_OF_ALL = 2.5;
const IDLE_MS = 2000; // then a bucket is full again, and may be forgotten
const FORGET_ABOVE = 256;

/**
 * Decides which connections may begin a handshake. Strangers can take half of the places at most. When their places are
 * full, the oldest of the largest address group is dropped, so that a place costs an address far from the others.
 */
export class HandshakeGate {
  readonly #limits: GateLimits;
  readonly #hosts: GateHosts;
  readonly #buckets: { readonly strangers: Bucket; readonly known: Bucket };
  readonly #ofAddress = new Map<string, { readonly bucket: Bucket; atMs: number }>();
  /** Oldest first. */
  readonly #unfinished = new Set<Unfinished>();
  refused = 0;

  constructor(hosts: GateHosts, nowMs: number, limits: GateLimits = usualGateLimits) {
    this.#limits = limits;
    this.#hosts = hosts;
    const half = limits.handshakesPerSecond / 2;
    this.#buckets = {
      strangers: new Bucket(half, DEEP_SECONDS_OF_ALL, nowMs),
      known: new Bucket(half, DEEP_SECONDS_OF_ALL, nowMs),
    };
  }

  get unfinished(): number {
    return this.#unfinished.size;
  }

  /**
   * A place, which `end` gives back; undefined when there is none. `drop` is called when it is given to somebody else.
   */
  admit(host: string, nowMs: number, drop: () => void): Unfinished | undefined {
    const isKnown = this.#hosts.isKnown(host);
    const place = { host, group: addressGroup(host), isKnown, drop };
    const isAdmitted = this.#hasRoomNear(place) && this.#takeCredit(host, isKnown, nowMs) && this.#makeRoom(isKnown);
    if (!isAdmitted) {
      this.refused++;
      return undefined;
    }
    this.#unfinished.add(place);
    return place;
  }

  end(place: Unfinished): void {
    this.#unfinished.delete(place);
  }

  /** Without limits by address. */
  #isFree(host: string): boolean {
    return isLoopback(host) || this.#hosts.isChosen(host);
  }

  #hasRoomNear({ host, group }: Unfinished): boolean {
    if (this.#isFree(host)) return true;
    let [near, same] = [0, 0];
    for (const other of this.#unfinished) {
      if (other.group === group) near++;
      if (other.host === host) same++;
    }
    return near < this.#limits.unfinishedOfGroup && same < this.#limits.unfinishedOfAddress;
  }

  /** Credit of the address first: who has used up his own takes none from others. */
  #takeCredit(host: string, isKnown: boolean, nowMs: number): boolean {
    const before = this.#ofAddress.get(host);
    if (before !== undefined && !this.#isFree(host) && !before.bucket.take(1, nowMs)) return false;
    if (!(isKnown ? this.#buckets.known : this.#buckets.strangers).take(1, nowMs)) return false;
    if (before !== undefined) {
      before.atMs = nowMs;
      return true;
    }
    this.#forgetIdle(nowMs);
    const bucket = new Bucket(this.#limits.handshakesPerSecondOfAddress, DEEP_SECONDS, nowMs);
    bucket.take(1, nowMs);
    this.#ofAddress.set(host, { bucket, atMs: nowMs });
    return true;
  }

  #forgetIdle(nowMs: number): void {
    if (this.#ofAddress.size < FORGET_ABOVE) return;
    for (const [host, { atMs }] of this.#ofAddress) if (nowMs - atMs > IDLE_MS) this.#ofAddress.delete(host);
  }

  /** Each half is for its own: strangers never take the places of those we know, nor the other way round. */
  #makeRoom(isKnown: boolean): boolean {
    const alike = [...this.#unfinished].filter((other) => other.isKnown === isKnown);
    if (alike.length < this.#limits.unfinished / 2) return true;
    const [oldest] = largestGroup(alike, ({ group }) => group);
    if (oldest === undefined) return false;
    this.#unfinished.delete(oldest);
    oldest.drop();
    return true;
  }
}
