import type { Clock } from '../../base/clock.ts';
import { refusals } from '../../base/refusal.ts';
import type { Notation } from '../../codec/notation.ts';
import type { BlockId } from '../../values/hash.ts';
import { DocumentStream, Follower, type StreamDocument } from './document_stream.ts';
import { FollowedStreams } from './followed_streams.ts';
import { LaggingFollowers } from './lagging_followers.ts';
import type { Limits } from '../../jsonrpc/limits.ts';
import type { Subscriber } from '../../jsonrpc/subscriber.ts';
import type { CommittedState, SubscriptionRequest } from '../services.ts';

import { Announcements, reversibleSince } from './announcements.ts';
const refuse = refusals({
  too_many_subscriptions: 'this connection has {limit} subscriptions, as many as it can; open another one',
  node_has_too_many_subscriptions: 'this node serves {limit} subscriptions, as many as it can; try again later',
});

/** What subscribing may be refused for. */
export const subscriptionRefusals = refuse.texts;

export interface SubscriptionParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly notation: Notation;
  readonly limits: Pick<Limits, 'subscriptions' | 'subscriptionsPerSocket' | 'stalledMs'>;
  readonly report: (error: unknown, method: string) => void;
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
 * Sends documents to clients: first the existing ones, then each as a block includes it. The cost of a block depends on its own documents,
 * however many clients wait for others, and a document is serialised once, however many follow it. Documents for a slow reader are read
 * from the database later.
 */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #streams = new FollowedStreams();
  readonly #bySubscriber = new Map<Subscriber, Set<Follower>>();
  readonly #lagging: LaggingFollowers;
  readonly #announcements: Announcements;
  #count = 0;

  constructor(parts: SubscriptionParts) {
    const { rows, clock, limits, report, notation } = parts;
    const shown = ({ number, place, text }: StreamDocument): string => text.pair(number, place, notation);
    this.#parts = parts;
    this.#lagging = new LaggingFollowers({ rows, clock, limits, report, shown });
    this.#announcements = new Announcements({ rows, clock, report, shown, streams: this.#streams, lagging: this.#lagging });
  }

  /** How many subscriptions there are. */
  get size(): number {
    return this.#count;
  }

  /** Existing documents follow soon after this has returned. Throws the refusal when there are too many subscriptions. */
  subscribe({ subscriber, returnId, key, start }: SubscriptionRequest): void {
    const { rows, limits, clock } = this.#parts;
    const own = this.#bySubscriber.get(subscriber);
    if ((own?.size ?? 0) >= limits.subscriptionsPerSocket) refuse.too_many_subscriptions({ limit: limits.subscriptionsPerSocket });
    if (this.#count >= limits.subscriptions) refuse.node_has_too_many_subscriptions({ limit: limits.subscriptions });
    this.#announcements.begin();
    const stream = this.#streams.get(key) ?? new DocumentStream(key);
    if (stream.followers.size === 0) rows.consistentRead(() => stream.open(rows, reversibleSince(rows)));
    const first = start ?? stream.next;
    const follower = new Follower(subscriber, stream, returnId, first, clock.nowMs());
    this.#streams.add(stream);
    stream.followers.add(follower);
    this.#count++;
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

  #leave(subscriber: Subscriber): void {
    for (const follower of this.#bySubscriber.get(subscriber) ?? []) {
      const { stream } = follower;
      this.#lagging.delete(follower);
      stream.followers.delete(follower);
      if (stream.followers.size === 0) this.#streams.delete(stream);
      this.#count--;
    }
    this.#bySubscriber.delete(subscriber);
    if (this.#count === 0) this.#announcements.rest();
  }
}
