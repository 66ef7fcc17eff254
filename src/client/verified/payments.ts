import type { Clock } from '../../base/clock.ts';
import { errorRecovery } from '../../base/recovery.ts';
import { expectRefusal, refusals } from '../../base/refusal.ts';
import type { Json } from '../../codec/json.ts';
import { pause } from '../abort.ts';
import { NodeNonsense } from '../answer.ts';
import { member } from '../chain_of_node.ts';
import type { NodeConnection } from '../connection.ts';
import { ChainFollower, FOLLOWER_IDS, FollowerIds, type Following } from '../follow.ts';
import type { FollowTarget } from '../follow_targets.ts';
import type { Operation } from '../transaction.ts';
import { unheard } from '../unheard.ts';
import { NodesDiffer } from './nodes_differ.ts';
import type { FinalHead, VerifiedTransaction } from './proven_results.ts';

const refuse = refusals({
  no_notices: 'a node tells of news over a WebSocket only; name nodes by ws:// or wss://',
  follows_too_much: 'this client follows {most} accounts, as many as it can; make another one',
  bad_position: 'a position that this client has told expected, got {given}',
  no_such_payment: 'operation {operation} of transaction {id} is no transfer from or to {account}',
  payment_out_of_order:
    'a payment in block {block} comes behind one in block {before}: it was told before, or others were left out',
});

/** Which payments are followed. */
export interface PaymentOptions {
  /** Transfers from and to this account. */
  readonly account: string;
  /** The position behind which to go on: of a payment, told by any node of the chain. */
  readonly resume?: string | undefined;
  /** Without `resume`: the first block that is wanted; what becomes final from now on when left out. */
  readonly startBlock?: number | undefined;
}

type Transfer = Extract<Operation, readonly ['transfer', unknown]>[1];

/** A transfer that is proven to be in a final block. */
export type VerifiedPayment = Pick<Transfer, 'from' | 'to' | 'amount' | 'memo'> & {
  readonly transaction_id: string;
  /** Which operation of the transaction it is, counted from 0. With the id it names the payment: count none twice. */
  readonly operation: number;
  readonly block_num: number;
  readonly timestamp: string;
  readonly head: FinalHead;
};

/** Hears payments. Without `failed` its errors are thrown where nobody catches them. */
export interface PaymentListener {
  payment(payment: VerifiedPayment, position: string): void;
  /** The node told of a payment that it can't prove; the reason is typed, and others follow. */
  refused(error: unknown, position: string): void;
  /** No proof comes for this reason, such as a node that is away; it is asked again until there is one. */
  stalled?(error: unknown): void;
  /** Nothing more follows. */
  failed?(error: unknown): void;
}

/** The client's parts that proving a payment needs. */
interface PaymentParts {
  readonly clock: Clock;
  /** The number of nodes that may have a proof. */
  readonly nodes: number;
  readonly transaction: (id: string) => Promise<VerifiedTransaction>;
}

/** A payment as a node tells of it. */
interface Told {
  readonly id: string;
  readonly operation: number;
  readonly position: string;
}

/** Between attempts at a proof. */
const RETRY_MS = 1000;
/** A node tells faster than its proofs come. With so many waiting it is told to stop, and asked again behind them. */
const MOST_WAITING = 1000;

/** Follows the payments of accounts: a node tells of them, and each is proven before it is told. */
export class PaymentFollowers {
  readonly #connection: NodeConnection;
  readonly #parts: PaymentParts;
  readonly #followers = new Map<number, ChainFollower>();
  readonly #ids = new FollowerIds();

  constructor(connection: NodeConnection, parts: PaymentParts) {
    this.#connection = connection;
    this.#parts = parts;
    connection.listen?.({
      notice: (returnId, items) => this.#followerOf(returnId)?.receive(items, Number(returnId)),
      unreadable: (returnId, error) => this.#followerOf(returnId)?.receiveUnreadable(error, Number(returnId)),
      garbled: (error) => {
        for (const follower of this.#followers.values()) follower.receiveGarbled(error);
      },
      lost: () => {
        for (const follower of this.#followers.values()) void follower.subscribe();
      },
    });
  }

  /** Resolves when a node has accepted it. */
  async follow(options: PaymentOptions, listener: PaymentListener): Promise<Following> {
    if (this.#connection.listen === undefined) return refuse.no_notices();
    const payments = new Payments(this.#parts, options, listener, async () => await this.#begin(payments));
    await this.#begin(payments);
    const stop = (): void => payments.stop();
    return {
      get position() {
        return payments.position;
      },
      stop,
      [Symbol.dispose]: stop,
    };
  }

  async #begin(payments: Payments): Promise<void> {
    const id = this.#freeId();
    const follower = new ChainFollower(this.#connection, this.#parts.clock, payments.target(), id);
    payments.onPause = () => {
      follower.stop();
      this.#followers.delete(id);
    };
    this.#followers.set(id, follower);
    await follower.subscribe();
  }

  stop(): void {
    for (const follower of this.#followers.values()) follower.stop();
    this.#followers.clear();
  }

  #followerOf(returnId: Json): ChainFollower | undefined {
    return this.#followers.get(Number(returnId) % FOLLOWER_IDS);
  }

  #freeId(): number {
    return this.#ids.next(this.#followers) ?? refuse.follows_too_much({ most: FOLLOWER_IDS - 1 });
  }
}

const POSITION = /^(\d{1,10})\/(.*)$/;

class Payments {
  readonly #parts: PaymentParts;
  readonly #options: PaymentOptions;
  readonly #listener: PaymentListener;
  /** The node's position that the next subscription resumes from. */
  #resumed: string | undefined;
  readonly #resume: () => Promise<void>;
  #waiting = 0;
  #isPaused = false;
  /** The block of the last payment, and the payments of it that were told. */
  #block = 0;
  #told = new Set<string>();
  #isStopped = false;
  #last: Promise<void> = Promise.resolve();
  position: string;
  /** The node tells no more. */
  onPause: () => void = () => undefined;

  /** `resume` has the node tell again, from where it was told to stop. */
  constructor(parts: PaymentParts, options: PaymentOptions, listener: PaymentListener, resume: () => Promise<void>) {
    this.#parts = parts;
    this.#options = options;
    this.#listener = listener;
    this.#resume = resume;
    this.position = options.resume ?? '';
    if (options.resume === undefined) return;
    const [, block = '', resumed] = POSITION.exec(options.resume) ?? refuse.bad_position({ given: options.resume });
    this.#block = Number(block);
    this.#resumed = resumed;
  }

  stop(): void {
    this.#isStopped = true;
    this.onPause();
  }

  /**
   * The subscription at the node; it serves only to learn that there is a payment. Nothing of what it tells is believed
   * but that there may be such a transaction.
   */
  target(): FollowTarget {
    const { account, startBlock } = this.#options;
    return {
      method: 'subscribe_api.subscribe_operations',
      params: {
        ...{ accounts: [account], kinds: ['transfer'], level: 'irreversible' },
        ...(startBlock === undefined ? {} : { start_block: startBlock }),
      },
      resume: this.#resumed,
      take: (type, item, position) => {
        if (type === 'operation') this.#later(readNotice(item, position));
      },
      takeWaiting: () => undefined,
      failed: (error) => this.#fail(error),
      stalled: (error) => this.#listener.stalled?.(error),
    };
  }

  /** One after the other, in the order in which the node tells. */
  #later(told: Told): void {
    this.#resumed = told.position;
    if (++this.#waiting === MOST_WAITING) this.onPause();
    this.#last = this.#last.then(async () => await this.#next(told)).catch((error: unknown) => this.#fail(error));
  }

  async #next(told: Told): Promise<void> {
    const wasFull = this.#waiting >= MOST_WAITING;
    await this.#prove(told);
    this.#isPaused ||= wasFull;
    if (--this.#waiting > 0 || !this.#isPaused || this.#isStopped) return;
    this.#isPaused = false;
    await this.#resume();
  }

  /** Asks the next node when a proof is false, because that one may have a right one. */
  async #prove(told: Told): Promise<void> {
    for (let untried = this.#parts.nodes - 1, said = ''; !this.#isStopped;) {
      try {
        return this.#tell(told, await this.#parts.transaction(told.id));
      } catch (error) {
        if (error instanceof NodesDiffer) return this.#fail(error);
        const isFinal = errorRecovery(error) === 'final';
        if (isFinal && untried-- === 0) return this.#refuse(error, told.position);
        const reason = String(error);
        if (reason !== said) this.#listener.stalled?.(error);
        said = reason;
        if (!isFinal) await pause(this.#parts.clock, RETRY_MS);
      }
    }
  }

  #tell({ id, operation, position }: Told, { operations, block_num, timestamp, head }: VerifiedTransaction): void {
    if (this.#isStopped) return;
    const { account } = this.#options;
    const [kind, body] = operations[operation] ?? [];
    if (kind !== 'transfer' || (body.from !== account && body.to !== account))
      return this.#refuse(
        expectRefusal(() => refuse.no_such_payment({ operation, id, account })),
        position,
      );
    const name = `${id}/${operation}`;
    const isRepeated = block_num < this.#block || (block_num === this.#block && this.#told.has(name));
    if (isRepeated)
      return this.#refuse(
        expectRefusal(() => refuse.payment_out_of_order({ block: block_num, before: this.#block })),
        position,
      );
    if (block_num > this.#block) this.#told = new Set();
    this.#block = block_num;
    this.#told.add(name);
    this.position = `${block_num}/${position}`;
    const { from, to, amount, memo } = body;
    this.#listener.payment(
      { from, to, amount, memo, transaction_id: id, operation, block_num, timestamp, head },
      this.position,
    );
  }

  #refuse(error: unknown, position: string): void {
    this.position = `${this.#block}/${position}`;
    this.#listener.refused(error, this.position);
  }

  #fail(error: unknown): void {
    this.stop();
    if (this.#listener.failed === undefined) unheard(error);
    else this.#listener.failed(error);
  }
}

function readNotice(item: Json, position: string): Told {
  const operation = member(item, 'operation');
  const [id, index] = [member(operation, 'trx_id'), member(operation, 'op_in_trx')];
  if (typeof id !== 'string' || typeof index !== 'number') throw new NodeNonsense('a payment without its transaction');
  return { id, operation: index, position };
}
