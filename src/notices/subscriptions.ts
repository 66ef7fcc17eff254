import type { CommittedState } from '../queries/committed_state.ts';
import type { Clock } from '../base/clock.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { BlockId } from '../values/hash.ts';
import { DocumentStream, Follower, type StreamDocument, type StreamKey } from './document_stream.ts';
import { FollowedStreams } from './followed_streams.ts';
import { LaggingFollowers } from './lagging_followers.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';

import { Announcements, reversibleTime } from './announcements.ts';
import { SubscriptionCounts, type SubscriptionLimits } from './subscription_counts.ts';

export interface SubscriptionParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly encoding: EncodingOptions;
  readonly limits: SubscriptionLimits & Pick<Limits, 'stalledMs'>;
  readonly report: (error: unknown, method: string) => void;
  /** Shared with subscriptions of other kinds. */
  readonly counts?: SubscriptionCounts;
}

/** A change of the main branch, as far as it is relevant here. */
interface Update {
  readonly undone: readonly BlockId[];
  readonly head: { readonly id: BlockId };
}

/** Missed updates. */
interface Gap {
  readonly head: { readonly id: BlockId };
}

/**
 * Sends documents to clients: first the existing ones, then each as a block includes it. The cost of a block depends on
 * its own documents, however many clients wait for others, and a document is serialised once, however many follow it.
 * Documents for a slow reader are read from the database later.
 */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #streams = new FollowedStreams();
  readonly #bySubscriber = new Map<Subscriber, Set<Follower>>();
  readonly #lagging: LaggingFollowers;
  readonly #announcements: Announcements;
  readonly #counts: SubscriptionCounts;

  constructor(parts: SubscriptionParts) {
    const { rows, clock, limits, report, encoding, counts = new SubscriptionCounts(limits) } = parts;
    const shown = ({ number, place, text }: StreamDocument): string => text.pair(number, place, encoding);
    this.#parts = parts;
    this.#counts = counts;
    this.#lagging = new LaggingFollowers({ rows, clock, limits, report, shown });
    this.#announcements = new Announcements({
      rows,
      clock,
      report,
      shown,
      streams: this.#streams,
      lagging: this.#lagging,
    });
  }

  /** The number of subscriptions, those of other kinds included. */
  get size(): number {
    return this.#counts.size;
  }

  /**
   * Existing documents follow soon after this has returned. Throws the refusal when there are too many subscriptions.
   */
  subscribe({ subscriber, returnId, key, start }: SubscriptionRequest): void {
    const { rows, clock } = this.#parts;
    const own = this.#bySubscriber.get(subscriber);
    this.#counts.add(subscriber);
    this.#announcements.begin();
    const stream = this.#streams.get(key) ?? new DocumentStream(key);
    if (stream.followers.size === 0) rows.consistentRead(() => stream.open(rows, reversibleTime(rows)));
    const first = start ?? stream.next;
    const follower = new Follower(subscriber, stream, returnId, first, clock.nowMs());
    this.#streams.add(stream);
    stream.followers.add(follower);
    if (own === undefined) subscriber.onClose(() => this.#leave(subscriber));
    this.#bySubscriber.set(subscriber, (own ?? new Set<Follower>()).add(follower));
    this.#lagging.add(follower, first);
  }

  /** Blocks were committed, or left the main branch. */
  takeUpdate({ undone, head }: Update): void {
    this.#announcements.takeHead(head.id, undone.length > 0);
  }

  /** The same without knowing which: announced blocks may be among those that left. */
  takeGap({ head }: Gap): void {
    this.#announcements.takeHead(head.id, true);
  }

  /** No more notices are sent. */
  stop(): void {
    this.#lagging.stop();
    this.#announcements.rest();
  }

  /** Ends what the connection has subscribed to under that id; returns how many that were. */
  unsubscribe(subscriber: Subscriber, returnId: string): number {
    const own = [...(this.#bySubscriber.get(subscriber) ?? [])].filter((follower) => follower.returnId === returnId);
    for (const follower of own) this.#end(follower);
    return own.length;
  }

  #leave(subscriber: Subscriber): void {
    for (const follower of this.#bySubscriber.get(subscriber) ?? []) this.#end(follower);
    this.#bySubscriber.delete(subscriber);
  }

  #end(follower: Follower): void {
    const { stream, subscriber } = follower;
    this.#lagging.delete(follower);
    stream.followers.delete(follower);
    if (stream.followers.size === 0) this.#streams.delete(stream);
    this.#bySubscriber.get(subscriber)?.delete(follower);
    this.#counts.remove(subscriber);
    const isFollowed = this.#streams.all().next().done !== true;
    if (!isFollowed) this.#announcements.rest();
  }
}

/** A request of a connection to receive documents, from a given number on. */
export interface SubscriptionRequest {
  readonly subscriber: Subscriber;
  /** Chosen by the client; included in each notice, as JSON. */
  readonly returnId: string;
  readonly key: StreamKey;
  /** The first number wanted, from 1; null for documents from now on. */
  readonly start: bigint | null;
}
