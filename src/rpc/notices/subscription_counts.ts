import { refusals } from '../../base/refusal.ts';
import type { Limits } from '../../jsonrpc/limits.ts';
import type { Subscriber } from '../../jsonrpc/subscriber.ts';

const refuse = refusals({
  too_many_subscriptions: 'this connection has {limit} subscriptions, as many as it can; open another one',
  node_has_too_many_subscriptions: 'this node serves {limit} subscriptions, as many as it can; try again later',
});

/** What subscribing may be refused for. */
export const subscriptionRefusals = refuse.texts;

/** Counts the subscriptions of a node, of whatever kind; one that names several accounts counts as that many. */
export class SubscriptionCounts {
  readonly #limits: Pick<Limits, 'subscriptions' | 'subscriptionsPerSocket'>;
  readonly #bySubscriber = new WeakMap<Subscriber, number>();
  #count = 0;

  constructor(limits: Pick<Limits, 'subscriptions' | 'subscriptionsPerSocket'>) {
    this.#limits = limits;
  }

  /** How many there are. */
  get size(): number {
    return this.#count;
  }

  /** Throws the refusal when there are too many; `replaced` is the weight of one that it takes the place of, and that is removed next. */
  add(subscriber: Subscriber, weight = 1, replaced = 0): void {
    const { subscriptions, subscriptionsPerSocket } = this.#limits;
    const own = this.#bySubscriber.get(subscriber) ?? 0;
    const more = weight - replaced;
    if (own + more > subscriptionsPerSocket) refuse.too_many_subscriptions({ limit: subscriptionsPerSocket });
    if (this.#count + more > subscriptions) refuse.node_has_too_many_subscriptions({ limit: subscriptions });
    this.#bySubscriber.set(subscriber, own + weight);
    this.#count += weight;
  }

  remove(subscriber: Subscriber, weight = 1): void {
    this.#bySubscriber.set(subscriber, (this.#bySubscriber.get(subscriber) ?? 0) - weight);
    this.#count -= weight;
  }
}
