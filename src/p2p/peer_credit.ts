import { Bucket } from './bucket.ts';
import type { MessageForm } from './message_kind.ts';
import { alive } from './messages/alive.ts';
import { ancestorRequest } from './messages/ancestor_request.ts';
import { blockAnnouncement } from './messages/block_announcement.ts';
import { blockRequest } from './messages/block_request.ts';
import { bundleAnnouncement } from './messages/bundle_announcement.ts';
import { bundleRequest } from './messages/bundle_request.ts';
import { missingRequest } from './messages/missing_request.ts';
import { peersRequest } from './messages/peers_request.ts';
import { ping } from './messages/ping.ts';
import { rangeRequest } from './messages/range_request.ts';
import { status } from './messages/status.ts';

const requests: readonly MessageForm[] = [ancestorRequest, blockRequest, bundleRequest, missingRequest, rangeRequest, peersRequest, ping];
const REQUESTS_PER_SECOND = 50;
const ANNOUNCEMENTS_PER_SECOND = 20;
/** 51 witnesses that change their branch at once sign one in three seconds each: 17. Each may cost a signature, 0.05 ms. */
const ALIVES_PER_SECOND = 20;
const STATUSES_PER_SECOND = 1;
const BUNDLE_BYTES_PER_SECOND = 2 * 1024 * 1024;
const DEEP_SECONDS = 60;
/** How long a peer may send more than it has credit for; what is above is dropped meanwhile. */
const MOST_OVER_MS = 60_000;
/** Without one for so long it has slowed down. */
const OVER_PAUSE_MS = 10_000;

/** How much of each kind a peer may send: what it has no credit for is dropped. */
export class PeerCredit {
  readonly #buckets = new Map<MessageForm, Bucket>();
  readonly #bundles: Bucket;
  readonly #exhausted: () => void;
  #over: { readonly sinceMs: number; readonly lastMs: number } | undefined;

  /** `exhausted` is called when the peer has sent too much for a minute. */
  constructor(nowMs: number, exhausted: () => void) {
    const bucket = (perSecond: number): Bucket => new Bucket(perSecond, DEEP_SECONDS, nowMs);
    const questions = bucket(REQUESTS_PER_SECOND);
    for (const form of requests) this.#buckets.set(form, questions);
    this.#buckets.set(blockAnnouncement, bucket(ANNOUNCEMENTS_PER_SECOND));
    this.#buckets.set(bundleAnnouncement, bucket(ANNOUNCEMENTS_PER_SECOND));
    this.#buckets.set(alive, bucket(ALIVES_PER_SECOND));
    this.#buckets.set(status, bucket(STATUSES_PER_SECOND));
    this.#bundles = bucket(BUNDLE_BYTES_PER_SECOND);
    this.#exhausted = exhausted;
  }

  /** Whether there is credit for a message of the kind; then it is spent. */
  take(form: MessageForm, nowMs: number): boolean {
    const has = this.#buckets.get(form)?.take(1, nowMs) ?? true;
    // A status too many is no news, and no trouble either.
    if (!has && form !== status) this.#noteOver(nowMs);
    return has;
  }

  /** The same for a bundle that nobody asked for. */
  takeBundle(bytes: number, nowMs: number): boolean {
    const has = this.#bundles.take(bytes, nowMs);
    if (!has) this.#noteOver(nowMs);
    return has;
  }

  #noteOver(nowMs: number): void {
    const { sinceMs, lastMs } = this.#over ?? { sinceMs: nowMs, lastMs: nowMs };
    this.#over = { sinceMs: nowMs - lastMs > OVER_PAUSE_MS ? nowMs : sinceMs, lastMs: nowMs };
    if (nowMs - this.#over.sinceMs >= MOST_OVER_MS) this.#exhausted();
  }
}
