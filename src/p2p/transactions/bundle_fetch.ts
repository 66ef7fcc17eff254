import type { MessageRouter } from '../peers/message_router.ts';
import { bundle } from '../../wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../wire/messages/bundle_announcement.ts';
import { bundleRequest, MOST_REQUESTED } from '../../wire/messages/bundle_request.ts';
import { messageNumber } from '../../wire/messages/index.ts';
import { unavailable } from '../../wire/messages/unavailable.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';

export interface BundleFetchParts {
  readonly environment: Environment;
  readonly router: MessageRouter<Peer>;
  /** True if a bundle has not come and would be looked at. */
  readonly isWanted: (id: string) => boolean;
  /** False while this node would not look at what comes: then announcements wait. */
  readonly mayAsk: () => boolean;
}

interface Fetch {
  readonly id: string;
  readonly bytes: number;
  /** The peer that told of it first, in whose share it is. */
  readonly first: Peer;
  readonly sinceMs: number;
  /** Peers that have the bundle, the next one to ask first. */
  readonly announcers: Peer[];
  /** Peers that were asked and did not give it in time. */
  readonly late: Set<Peer>;
  /** The number of times that it was asked for in vain. */
  vain: number;
  notBeforeMs: number;
  asked: { readonly peer: Peer; readonly atMs: number; readonly receivedBefore: number } | undefined;
}

const MOST_FETCHES = 4096; // as many as are made in a minute of the highest rate
/** The share of a peer, of bundles that it announced first. A new peer is told of a hundred, the newest 4 MiB. */
const MOST_FETCHES_OF_PEER = 1024;
/** A bundle waits so long until it may be asked for. A node that is longer behind finds its transactions in blocks. */
const LONGEST_MS = 60_000;
/**
 * A bundle is asked for so often, with longer waits once each peer was asked: 21 s for one that has slept. A posted
 * transaction is in no block if nobody asks again.
 */
const MOST_VAIN = 6;
const MOST_ANNOUNCERS = 4;
const MOST_OPEN_BYTES = 1024 * 1024; // of a peer: 0.8 s of 10 Mbit/s
const FETCH_MS = 1000;
/** The largest size that an announcement may name, so that a peer can't have much more open. */
const MOST_BYTES = 256 * 1024;
const ID_DIGITS = 32;

/**
 * Bundles that others have announced: each is asked of one peer, and after a second of the next. Who was late is asked
 * again.
 */
export class BundleFetch {
  readonly #parts: BundleFetchParts;
  readonly #fetches = new Map<string, Fetch>();
  readonly #openBytes = new Map<Peer, number>();
  readonly #countOf = new Map<Peer, number>();

  constructor(parts: BundleFetchParts) {
    this.#parts = parts;
    const { router } = parts;
    router.on(bundleAnnouncement, (peer, { bundles }) => {
      for (const { id, bytes } of bundles) this.hear(peer, id, bytes);
      this.#requestBundle(peer);
    });
    router.on(unavailable, (peer, { kind, id }) => {
      if (kind === messageNumber(bundle)) this.#miss(peer, id.slice(0, ID_DIGITS));
    });
  }

  /** The number of bundles that this node waits for. */
  get size(): number {
    return this.#fetches.size;
  }

  /** The announced length of the bundle that the peer was asked for; undefined when it was not asked. */
  askedBytes(peer: Peer, id: string): number | undefined {
    const fetch = this.#fetches.get(id);
    return fetch?.asked?.peer === peer ? fetch.bytes : undefined;
  }

  /** A bundle has come from any peer. */
  came(id: string): void {
    const fetch = this.#fetches.get(id);
    if (fetch === undefined) return;
    const peer = fetch.asked?.peer;
    this.#end(fetch);
    if (peer !== undefined) this.#requestBundle(peer);
  }

  tick(): void {
    const nowMs = this.#nowMs;
    const free = new Set<Peer>();
    for (const fetch of this.#fetches.values()) {
      const { asked, announcers } = fetch;
      if (asked !== undefined && nowMs - asked.atMs > FETCH_MS) this.#abandonFetch(fetch, asked);
      else if (asked === undefined && nowMs - fetch.sinceMs > LONGEST_MS) this.#end(fetch);
      else if (asked === undefined) for (const peer of announcers) free.add(peer);
    }
    for (const peer of free) this.#requestBundle(peer);
  }

  left(peer: Peer): void {
    for (const fetch of this.#fetches.values()) this.#drop(fetch, peer);
    this.#openBytes.delete(peer);
  }

  /** The peer has a bundle, and did not give it or gave it too early. */
  hear(peer: Peer, id: string, bytes: number): void {
    peer.knownBundles.add(id);
    if (!this.#parts.isWanted(id)) return;
    const fetch = this.#fetches.get(id) ?? this.#begin(peer, id, Math.min(bytes, MOST_BYTES));
    if (fetch !== undefined && fetch.announcers.length < MOST_ANNOUNCERS && !fetch.announcers.includes(peer))
      fetch.announcers.push(peer);
  }

  #begin(first: Peer, id: string, bytes: number): Fetch | undefined {
    const count = this.#countOf.get(first) ?? 0;
    if (this.#fetches.size >= MOST_FETCHES || count >= MOST_FETCHES_OF_PEER) return undefined;
    const begun = { id, bytes, first, sinceMs: this.#nowMs };
    const fetch: Fetch = { ...begun, announcers: [], late: new Set(), vain: 0, notBeforeMs: 0, asked: undefined };
    this.#countOf.set(first, count + 1);
    this.#fetches.set(id, fetch);
    return fetch;
  }

  /** Asks a peer for what it has and nobody was asked for. */
  #requestBundle(peer: Peer): void {
    if (!this.#parts.mayAsk()) return;
    const nowMs = this.#nowMs;
    const receivedBefore = receivedBodies(peer);
    let open = this.#openBytes.get(peer) ?? 0;
    const ids: string[] = [];
    for (const fetch of this.#fetches.values()) {
      if (fetch.asked !== undefined || fetch.notBeforeMs > nowMs || !fetch.announcers.includes(peer)) continue;
      if (ids.length >= MOST_REQUESTED || open + fetch.bytes > MOST_OPEN_BYTES) break;
      if (!peer.credit.takeBundle(fetch.bytes, nowMs)) break;
      fetch.asked = { peer, atMs: nowMs, receivedBefore };
      open += fetch.bytes;
      ids.push(fetch.id);
    }
    if (ids.length === 0) return;
    this.#openBytes.set(peer, open);
    for (const id of ids) peer.askedBundles.add(id);
    peer.send(bundleRequest, { ids });
  }

  #abandonFetch(fetch: Fetch, { peer, receivedBefore }: NonNullable<Fetch['asked']>): void {
    peer.offend('timeout', 'a bundle did not come in time');
    // A slow link is no lie.
    if (receivedBodies(peer) === receivedBefore && !fetch.late.has(peer))
      peer.offend('announced_in_vain', 'a bundle was announced and did not come');
    fetch.late.add(peer);
    fetch.vain++;
    if (fetch.vain >= MOST_VAIN) return this.#end(fetch);
    this.#close(fetch);
    fetch.announcers.push(...fetch.announcers.splice(fetch.announcers.indexOf(peer), 1));
    const isAnother = fetch.announcers.some((each) => !fetch.late.has(each));
    fetch.notBeforeMs = isAnother ? 0 : this.#nowMs + fetch.vain * FETCH_MS;
    const [next] = fetch.announcers;
    if (next !== undefined) this.#requestBundle(next);
  }

  #miss(peer: Peer, id: string): void {
    const fetch = this.#fetches.get(id);
    if (fetch !== undefined) this.#drop(fetch, peer);
  }

  /** Nothing more is expected of that peer. */
  #drop(fetch: Fetch, peer: Peer): void {
    const at = fetch.announcers.indexOf(peer);
    if (at >= 0) fetch.announcers.splice(at, 1);
    if (fetch.asked?.peer === peer) this.#close(fetch);
    const [next] = fetch.announcers;
    if (next === undefined) this.#end(fetch);
    else if (fetch.asked === undefined) this.#requestBundle(next);
  }

  #end(fetch: Fetch): void {
    this.#close(fetch);
    if (!this.#fetches.delete(fetch.id)) return;
    const left = (this.#countOf.get(fetch.first) ?? 0) - 1;
    if (left > 0) this.#countOf.set(fetch.first, left);
    else this.#countOf.delete(fetch.first);
  }

  #close(fetch: Fetch): void {
    const { asked } = fetch;
    fetch.asked = undefined;
    if (asked === undefined) return;
    const open = (this.#openBytes.get(asked.peer) ?? 0) - fetch.bytes;
    if (open > 0) this.#openBytes.set(asked.peer, open);
    else this.#openBytes.delete(asked.peer);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}

/** On a slow link blocks go before bundles. */
function receivedBodies({ channel: { receivedBytes } }: Peer): number {
  return receivedBytes[1] + receivedBytes[2] + receivedBytes[3];
}
