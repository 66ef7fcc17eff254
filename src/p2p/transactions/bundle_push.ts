import type { Clock } from '../../base/clock.ts';
import type { KeptBundle } from './kept_bundles.ts';
import { bundle } from '../../wire/messages/bundle.ts';
import { bundleAnnouncement, MOST_ANNOUNCED } from '../../wire/messages/bundle_announcement.ts';
import type { NetworkCounts } from '../peers/network_counts.ts';
import type { Peer } from '../peers/peer.ts';

/** Up to here a bundle is sent unasked: as soon there as a small block. */
export const MOST_PUSHED_BUNDLE_BYTES = 4 * 1024;
/** A peer takes twenty announcements a second. */
const ANNOUNCE_EACH_MS = 60;
/** A second of the highest rate; older ones others have told. */
const MOST_WAITING = 1024;

interface Announced {
  readonly waiting: KeptBundle[];
  sentMs: number;
  cancel: (() => void) | undefined;
}

/** Gives bundles to peers: small ones at once, of others it tells them, of several in a message. */
export class BundlePush {
  readonly #clock: Clock;
  readonly #counts: NetworkCounts;
  readonly #announced = new Map<Peer, Announced>();

  constructor(clock: Clock, counts: NetworkCounts) {
    this.#clock = clock;
    this.#counts = counts;
  }

  send(peer: Peer, kept: KeptBundle): void {
    if (!peer.takesTransactions || peer.knownBundles.has(kept.id)) return;
    peer.knownBundles.add(kept.id);
    // Older nodes know of no announcements.
    if (kept.bytes.length <= MOST_PUSHED_BUNDLE_BYTES || !peer.takesPushes) this.give(peer, kept);
    else this.#announce(peer, kept);
  }

  /** All of it, to who has asked or needs not. */
  give(peer: Peer, { bytes }: KeptBundle): void {
    this.#counts.bundles.sent++;
    peer.channel.sendEncoded(bundle, bytes);
  }

  left(peer: Peer): void {
    this.#announced.get(peer)?.cancel?.();
    this.#announced.delete(peer);
  }

  stop(): void {
    for (const { cancel } of this.#announced.values()) cancel?.();
  }

  #announce(peer: Peer, kept: KeptBundle): void {
    const announced = this.#announced.get(peer) ?? { waiting: [], sentMs: -ANNOUNCE_EACH_MS, cancel: undefined };
    this.#announced.set(peer, announced);
    if (announced.waiting.length >= MOST_WAITING) announced.waiting.shift();
    announced.waiting.push(kept);
    const waitMs = announced.sentMs + ANNOUNCE_EACH_MS - this.#clock.elapsedMs();
    if (waitMs <= 0) this.#tell(peer, announced);
    else announced.cancel ??= this.#clock.after(waitMs, () => this.#tell(peer, announced));
  }

  #tell(peer: Peer, announced: Announced): void {
    announced.cancel?.();
    announced.cancel = undefined;
    announced.sentMs = this.#clock.elapsedMs();
    const some = announced.waiting.splice(0, MOST_ANNOUNCED);
    peer.send(bundleAnnouncement, {
      bundles: some.map(({ id, transactions, bytes }) => ({ id, transactions, bytes: bytes.length })),
    });
    if (announced.waiting.length > 0)
      announced.cancel = this.#clock.after(ANNOUNCE_EACH_MS, () => this.#tell(peer, announced));
  }
}
