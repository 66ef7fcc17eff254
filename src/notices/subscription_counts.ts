import { refusals } from '../base/refusal.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import { SharedSum } from '../jsonrpc/limits/shared_sum.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';

const refuse = refusals({
  too_many_subscriptions: 'this connection has {limit} subscriptions, as many as it can; open another one',
  address_has_too_many_subscriptions:
    'this address has {limit} subscriptions, as many as one can; end some of them, or ask the operator for more (max-subscriptions-per-address)',
  node_has_too_many_subscriptions: 'this node serves {limit} subscriptions, as many as it can; try again later',
});

/** The refusals of subscribing. */
export const subscriptionRefusals = refuse.texts;

/** The limits on subscriptions. */
export type SubscriptionLimits = Pick<Limits, 'subscriptions' | 'subscriptionsPerAddress' | 'subscriptionsPerSocket'>;

/** Counts the subscriptions of a node, of whatever kind; one that names several accounts counts as that many. */
export class SubscriptionCounts {
  readonly #limits: SubscriptionLimits;
  readonly #bySubscriber = new WeakMap<Subscriber, number>();
  readonly #all: SharedSum;

  constructor(limits: SubscriptionLimits) {
    this.#limits = limits;
    this.#all = new SharedSum({ inAll: limits.subscriptions, perAddress: limits.subscriptionsPerAddress });
  }

  /** The number of subscriptions. */
  get size(): number {
    return this.#all.all;
  }

  /**
   * Throws the refusal when there are too many; `replaced` is the weight of one that it takes the place of, and that is
   * removed next.
   */
  add(subscriber: Subscriber, weight = 1, replaced = 0): void {
    const { subscriptions, subscriptionsPerAddress, subscriptionsPerSocket } = this.#limits;
    const own = this.#bySubscriber.get(subscriber) ?? 0;
    const more = weight - replaced;
    if (own + more > subscriptionsPerSocket) refuse.too_many_subscriptions({ limit: subscriptionsPerSocket });
    const limit = this.#all.limitFor(subscriber.address, more);
    if (limit !== undefined && limit === subscriptionsPerAddress) refuse.address_has_too_many_subscriptions({ limit });
    if (limit !== undefined) refuse.node_has_too_many_subscriptions({ limit: subscriptions });
    this.#bySubscriber.set(subscriber, own + weight);
    this.#all.change(subscriber.address, weight);
  }

  remove(subscriber: Subscriber, weight = 1): void {
    this.#bySubscriber.set(subscriber, (this.#bySubscriber.get(subscriber) ?? 0) - weight);
    this.#all.change(subscriber.address, -weight);
  }
}
