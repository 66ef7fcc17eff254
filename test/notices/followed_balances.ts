import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import { ChainSubscriptions } from '../../src/notices/chain_subscriptions.ts';
import { SubscriptionCounts } from '../../src/notices/subscription_counts.ts';
import { positionNumber, readPosition } from '../../src/queries/notices/position.ts';
import { coins, vests, type ChainParameters } from '../../src/state/parameters.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { View } from '../../src/storage/view.ts';
import type { Asset } from '../../src/values/asset.ts';
import { ConnectedSubscriber } from './connected_subscriber.ts';
import { encoding } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';

const ENOUGH = 100_000;
/** More than any test has. */
const MOST_ACCOUNTS = 10_000;

interface Notice {
  readonly type: string;
  readonly position: string;
  readonly block?: { readonly number: number };
  readonly balance?: { readonly balance?: string; readonly vesting_shares?: string };
}

interface Told {
  readonly block: number;
  readonly text: string;
}

/** Follows the balance of one account. It drops each balance whose block is undone, as a careful client does. */
class BalanceFollower extends ConnectedSubscriber {
  /** Balances with their blocks, those of undone blocks left out. */
  readonly told: Told[] = [];
  /** Balances and undone blocks of the current step. */
  readonly heard: Notice[] = [];

  push(text: string | Uint8Array): boolean {
    const { params }: { params: [number, Notice[]] } = JSON.parse(Buffer.from(text).toString());
    for (const notice of params[1]) this.#take(notice);
    return true;
  }

  #take(notice: Notice): void {
    const { type, position, block, balance } = notice;
    this.heard.push(notice);
    if (type === 'undone') {
      const common = present(block, 'the common block').number;
      while ((this.told.at(-1)?.block ?? 0) > common) this.told.pop();
    } else {
      const number = positionNumber(present(readPosition(position), 'a position'));
      this.told.push({ block: number, text: `${balance?.balance} ${balance?.vesting_shares}` });
    }
  }
}

/** Subscribes to the balance of every account of a store, and compares what is told with the rows of accounts. */
export class FollowedBalances {
  readonly #clock = new HandClock(0);
  readonly #rows: View;
  readonly #parameters: ChainParameters;
  readonly #subscriptions: ChainSubscriptions;
  readonly #followers = new Map<string, BalanceFollower>();

  constructor(store: KeyValueStore, parameters: ChainParameters) {
    this.#rows = new View(store, 0);
    this.#parameters = parameters;
    const limits = {
      subscriptions: ENOUGH,
      subscriptionsPerAddress: ENOUGH,
      subscriptionsPerSocket: 1,
      stalledMs: ENOUGH,
    };
    this.#subscriptions = new ChainSubscriptions({
      ...{ rows: this.#rows, clock: this.#clock, parameters, encoding, limits },
      counts: new SubscriptionCounts(limits),
      report: (error) => {
        throw error;
      },
    });
    this.#followNew();
  }

  /** Delivers what the last write has changed. Each follower must know what its account has. */
  hear(): void {
    for (const follower of this.#followers.values()) follower.heard.length = 0;
    const before = new Map([...this.#followers].map(([name, { told }]) => [name, told.at(-1)?.text]));
    this.#subscriptions.takeUpdate();
    this.#clock.pass(0);
    const head = this.#rows.only(dynamicGlobalProperties).head_block_number;
    for (const [name, follower] of this.#followers) this.#requireTold(name, follower, before.get(name), head);
    this.#followNew();
  }

  #requireTold(name: string, { told, heard }: BalanceFollower, before: string | undefined, head: number): void {
    const now = this.#balanceText(name);
    assert.equal(told.at(-1)?.text, now, `the balance of ${name}, as told before or with block ${head}`);
    const balances = heard.filter(({ type }) => type === 'balance');
    const wasUndone = heard.length > balances.length;
    assert(balances.length <= 1, `${name} is told once of block ${head}`);
    assert(balances.length === 0 || told.at(-1)?.block === head, `${name} is told of block ${head}`);
    if (!wasUndone) assert.equal(balances.length > 0, before !== now, `${name} is told when block ${head} changes it`);
  }

  #followNew(): void {
    for (const { name } of this.#rows.rows(accounts, { limit: MOST_ACCOUNTS })) {
      if (this.#followers.has(name)) continue;
      const follower = new BalanceFollower();
      this.#followers.set(name, follower);
      this.#subscriptions.subscribe({
        ...{ subscriber: follower, returnId: '1', resume: undefined, start: undefined },
        subject: { kind: 'balances', level: 'head', account: name },
      });
    }
    this.#clock.pass(0);
  }

  #balanceText(name: string): string {
    const row = present(this.#rows.get(accounts, name), name);
    const text = ({ amount, symbol }: Asset): string =>
      `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, '0')} ${symbol}`;
    return `${text(coins(this.#parameters, row.balance))} ${text(vests(this.#parameters, row.vesting_shares))}`;
  }
}
