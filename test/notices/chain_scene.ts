import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { Chain } from '../../src/chain/chain.ts';
import { ChainFeed, type ChainMessage } from '../../src/feed/chain_feed.ts';
import { pendingChange } from '../../src/feed/pending_change.ts';
import { TransactionFeed, type PendingMessage } from '../../src/feed/transaction_feed.ts';
import type { Limits } from '../../src/jsonrpc/limits/limits.ts';
import { ChainSubscriptions } from '../../src/notices/chain_subscriptions.ts';
import { positionText, readPosition } from '../../src/queries/notices/position.ts';
import type { Level, Subject } from '../../src/notices/stream.ts';
import { SubscriptionCounts } from '../../src/notices/subscription_counts.ts';
import { operationKindNamed } from '../../src/operations/index.ts';
import { present } from '../../src/base/assert.ts';
import type { Clock } from '../../src/base/clock.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { encoding, openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { ConnectedSubscriber } from './connected_subscriber.ts';

export const parameters = testParameters();

/** An item of a notice, as a client reads it. */
export interface Item {
  readonly type: string;
  readonly position?: string;
  readonly block?: { readonly number: number; readonly id: string };
  readonly operation?: {
    readonly block?: number;
    readonly trx_id: string;
    readonly op: readonly [string, { readonly memo?: string }];
  };
  readonly balance?: { readonly balance?: string };
  readonly error?: { readonly name: string };
  readonly transaction?: { readonly trx_id: string; readonly operation_count?: number };
  readonly count?: number;
}

/** A client: believes what it is told, takes back what is undone, and remembers where it was. */
export class Client extends ConnectedSubscriber {
  readonly items: Item[] = [];
  /** The listener's picture of the chain. */
  readonly ledger: { readonly block: number; readonly text: string }[] = [];
  position: string | undefined;

  push(text: string | Uint8Array): boolean {
    const { params }: { params: [number, Item[]] } = JSON.parse(Buffer.from(text).toString());
    for (const item of params[1]) this.#take(item);
    return true;
  }

  get texts(): string[] {
    return this.ledger.map(({ text }) => text);
  }

  #take(item: Item): void {
    this.items.push(item);
    this.position = item.position ?? this.position;
    const { block, operation, balance } = item;
    if (item.type === 'block' && block !== undefined) this.ledger.push({ block: block.number, text: block.id });
    if (item.type === 'operation' && operation?.block !== undefined) {
      const [kind, { memo }] = operation.op;
      this.ledger.push({ block: operation.block, text: memo ?? kind });
    }
    if (item.type === 'balance') this.ledger.push({ block: 0, text: balance?.balance ?? 'none' });
    if (item.type !== 'undone' || block === undefined) return;
    const { number } = block;
    while ((this.ledger.at(-1)?.block ?? 0) > number) this.ledger.pop();
  }
}

/** A chain in memory, and those who follow it. */
export class ChainScene {
  readonly store = new MemoryStore();
  readonly chain: Chain;
  readonly clock: HandClock;
  readonly reports: unknown[] = [];
  readonly subscriptions: ChainSubscriptions;
  readonly counts: SubscriptionCounts;
  readonly first: VerifiedBlock;
  readonly #revertibleBlocks: number;
  readonly #messages: (ChainMessage | PendingMessage)[] = [];
  readonly #transactions = new TransactionFeed();
  readonly #takenPending: () => void;
  readonly #watchPending = (isWatched: boolean): void => this.#transactions.watch(isWatched);

  constructor(options: { limits?: Partial<Limits>; blocksKept?: number; undoBlocks?: number; clock?: HandClock } = {}) {
    const { limits = {}, blocksKept, undoBlocks = 0, clock = new HandClock(0) } = options;
    const feed = new ChainFeed();
    const taken = feed.add((message) => {
      this.#messages.push(message);
      taken();
    });
    this.#takenPending = this.#transactions.addWatcher((message) => void this.#messages.push(message));
    this.clock = clock;
    this.#revertibleBlocks = undoBlocks;
    const { store } = this;
    this.chain = new Chain({
      ...{ store, parameters, durable: false, blocksKept, undoBlocks },
      changed: (change) => {
        const { number, id, time, lastIrreversible: irreversible } = this.chain.head;
        feed.publish(change, { number, id, time, irreversible });
      },
      dropped: (dropped) => {
        for (const { transaction, reason } of dropped)
          this.#transactions.drop(transaction, reason && { name: reason.code, message: reason.message });
      },
    });
    const all = {
      subscriptions: 100_000,
      subscriptionsPerAddress: 100_000,
      subscriptionsPerSocket: 20,
      stalledMs: 30_000,
      ...limits,
    };
    this.counts = new SubscriptionCounts(all);
    this.subscriptions = this.serve(clock, all);
    this.first = produce(this.chain);
  }

  /** Another node of the same chain, as far as a client can tell. */
  serve(
    clock: Clock = this.clock,
    limits = { stalledMs: 30_000 },
    watchPending = this.#watchPending,
  ): ChainSubscriptions {
    const rows = new View(this.store, 1000);
    const report = (error: unknown): void => void this.reports.push(error);
    const chain = { rows, clock, parameters, encoding, revertibleBlocks: this.#revertibleBlocks };
    return new ChainSubscriptions({ ...chain, limits, counts: this.counts, report, watchPending });
  }

  /** Delivers the writer's messages, and the notices that are due. */
  hear(): void {
    this.#transactions.flush();
    for (const message of this.#messages.splice(0)) {
      if (message.kind === 'update') this.subscriptions.takeUpdate();
      else if (message.kind === 'gap') this.subscriptions.takeGap();
      else this.subscriptions.takePending(pendingChange(message), this.#takenPending);
    }
    this.clock.pass(0);
  }

  client(): Client {
    return new Client();
  }

  /** The writer accepts these transactions, and says so if anybody listens. */
  accept(...transactions: readonly VerifiedTransaction[]): void {
    for (const transaction of transactions) this.chain.accept(transaction);
    this.#transactions.publish(transactions);
  }

  /** Transfers of alice to bob with these memos, which wait for a block. */
  transfers(...memos: readonly string[]): VerifiedTransaction[] {
    return memos.map((memo) => transfer(this.chain, memo));
  }

  /** A block with transfers of alice to bob with these memos. */
  block(...memos: string[]): void {
    for (const memo of memos) pay(this.chain, memo);
    produce(this.chain);
    this.hear();
  }

  follow(
    subject: Subject,
    from: { readonly client?: Client; readonly resume?: string | undefined; readonly start?: number } = {},
  ): Client {
    const { client = new Client(), resume, start } = from;
    const position = this.subscriptions.subscribe({
      ...{ subscriber: client, returnId: '7', subject, start },
      resume: resume === undefined ? undefined : present(readPosition(resume), 'a position'),
    });
    client.position ??= positionText(position);
    this.clock.pass(0);
    return client;
  }
}

export function pay(chain: Chain, memo: string, to = 'bob'): void {
  chain.accept(transfer(chain, memo, to));
}

export function transfer(
  chain: Chain,
  memo: string,
  to = 'bob',
  from = 'alice',
  amount = 1_000_000,
): VerifiedTransaction {
  return makeTransaction(chain, parameters, [transferJson(from, to, amount, memo)], [from]);
}

export const headBlocks: Subject = { kind: 'blocks', level: 'head' };

/** Operations of those kinds, of those accounts. */
export function operations(accounts?: readonly string[], kinds?: readonly string[], level: Level = 'head'): Subject {
  return {
    ...{ kind: 'operations', level, withBlocks: false },
    accounts: accounts && new Set(accounts),
    kinds: kinds && new Set(kinds.map((name) => present(operationKindNamed(name), name))),
  };
}

/** A scene, and a chain that has all of its blocks but will go another way. */
export function partedScene(options: ConstructorParameters<typeof ChainScene>[0] = {}): {
  scene: ChainScene;
  there: Chain;
} {
  const scene = new ChainScene(options);
  const there = openChain(parameters);
  there.push(scene.first);
  return { scene, there };
}

/** The other branch becomes the main one. */
export function adopt(scene: ChainScene, there: Chain, ...blocksOfMemos: readonly string[][]): void {
  for (const [k, memos] of blocksOfMemos.entries()) {
    for (const memo of memos) pay(there, memo);
    scene.chain.push(produce(there, k === 0 ? 2 : 1));
  }
  scene.hear();
}
