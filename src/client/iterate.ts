import type { CallSignal } from './abort.ts';
import type { Closable } from './disposal.ts';
import type { Following } from './follow.ts';
import type { FollowedBalance, FollowedBlock, FollowedOperation, FollowOptions } from './follow_targets.ts';
import type { Operation } from './transaction.ts';

/** The begin of an iteration, and functions that hear more than its items. */
export interface IterateOptions {
  /** A position to go on behind, or the first block that is wanted; what comes from now on when left out. */
  readonly from?: string | number | undefined;
  /** Ends the iteration: the loop throws the signal's reason. */
  readonly signal?: CallSignal | undefined;
  /**
   * The loop is slower than the chain. Nothing is lost: the client has ended the subscription at this position, and
   * subscribes again from there when the loop has taken half of the items that wait.
   */
  behind?(position: string): void;
  /** Nothing comes for this reason; the node is asked again. */
  stalled?(error: unknown): void;
}

/** The same, where a branch may replace what was told. */
export type BranchOptions = IterateOptions & (FinalLevel | HeadLevel);

/** Items come when nothing can undo them. This is the default. */
interface FinalLevel {
  readonly level?: 'irreversible' | undefined;
}

/** Items come as soon as a block has them. */
interface HeadLevel {
  readonly level: 'head';
  /**
   * Another branch has replaced the blocks above this one. It is called in turn, between the items that come before and
   * after it. The loop goes on when the promise is fulfilled.
   */
  undone(block: UndoneAbove, position: string): void | Promise<void>;
}

/** Which operations: those of this account or these accounts, of these kinds, or both; all when neither is said. */
export type OperationsOptions = BranchOptions & {
  readonly account?: string | undefined;
  readonly accounts?: readonly string[] | undefined;
  readonly kinds?: readonly Operation[0][] | undefined;
};

/** The account of the balance. */
export interface BalancesOptions extends IterateOptions {
  readonly account: string;
  readonly from?: string | undefined;
}

/** The last block that both branches have. */
interface UndoneAbove {
  readonly number: number;
  readonly id: string;
}

/** An operation, and the position from which an iteration goes on behind it. */
export interface IteratedOperation {
  readonly operation: FollowedOperation;
  readonly position: string;
}

/** The same for a block. */
export interface IteratedBlock {
  readonly block: FollowedBlock;
  readonly position: string;
}

/** The same for what an account has. */
export interface IteratedBalance {
  readonly balance: FollowedBalance;
  readonly position: string;
}

/** The options of any iteration. */
export type IterationOptions = IterateOptions & Partial<Pick<HeadLevel, 'undone'>>;

/** The listener of an iteration, for items of any kind. */
interface IterationListener<T> {
  take(item: T): void;
  undone(block: UndoneAbove, position: string): void;
  behind(position: string): void;
  stalled(error: unknown): void;
  failed(error: unknown): void;
}

/** Begins to follow from there. */
export type Follow<T> = (
  from: Pick<FollowOptions, 'resume' | 'startBlock'>,
  listener: IterationListener<T>,
) => Promise<Following>;

/** Something in the queue; each has a position. */
type Waiting<T> =
  | { readonly item: T; readonly position: string }
  | { readonly undone: UndoneAbove; readonly position: string };

/** The most items that wait for a loop: some hundred blocks, and less than a megabyte of most operations. */
export const MOST_WAITING = 1000;

/** The items of a subscription, for a loop. It begins with the first step of the loop, and ends with the loop. */
export class Iteration<T extends { readonly position: string }> implements AsyncIterable<T>, Closable {
  readonly #follow: Follow<T>;
  readonly #options: IterationOptions;
  readonly #closed: (iteration: Iteration<T>) => void;
  readonly #waiting: Waiting<T>[] = [];
  readonly #abort = (): void => this.#fail(this.#options.signal?.reason, true);
  #following: Following | undefined;
  /** Which attempt to follow is heard. */
  #attempt = 0;
  #state: 'new' | 'follows' | 'full' | 'closed' = 'new';
  #failure: { readonly error: unknown } | undefined;
  /** The position of the newest item in the queue: a new subscription resumes behind it. */
  #position: string | undefined;
  #wake = (): void => undefined;

  constructor(follow: Follow<T>, options: IterationOptions, closed: (iteration: Iteration<T>) => void) {
    this.#follow = follow;
    this.#options = options;
    this.#closed = closed;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next item; done when the iteration is closed. Throws what has ended it otherwise, once. */
  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#state === 'new') this.#begin();
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure !== undefined) throw failure.error;
        if (this.#state === 'closed') return { done: true, value: undefined };
        await new Promise<void>((resolve) => this.#awaken(resolve));
        continue;
      }
      if (this.#state === 'full' && this.#waiting.length <= MOST_WAITING / 2) this.#subscribe();
      if ('item' in next) return { done: false, value: next.item };
      await this.#tellUndone(next.undone, next.position);
    }
  }

  /** Ends the iteration, as `break` does. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.close();
    return await Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the subscription. A loop that waits for an item ends. */
  close(): void {
    this.#waiting.length = 0;
    this.#failure = undefined;
    this.#end();
  }

  /** The same, by `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** The same, by `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#unsubscribe();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#closed(this);
    this.#wake();
  }

  /** A loop does not close an iteration whose step fails. */
  async #tellUndone(undone: UndoneAbove, position: string): Promise<void> {
    try {
      await this.#options.undone?.(undone, position);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #begin(): void {
    const { signal } = this.#options;
    if (signal?.aborted === true) return this.#abort();
    signal?.addEventListener('abort', this.#abort);
    this.#subscribe();
  }

  #subscribe(): void {
    this.#state = 'follows';
    const attempt = ++this.#attempt;
    const isHeard = (): boolean => attempt === this.#attempt && this.#state === 'follows';
    const { from } = this.#options;
    const start = typeof from === 'number' ? { startBlock: from } : { resume: from };
    this.#follow(this.#position === undefined ? start : { resume: this.#position }, {
      take: (item) => {
        if (isHeard()) this.#put({ item, position: item.position });
      },
      undone: (undone, position) => {
        if (isHeard()) this.#put({ undone, position });
      },
      behind: (position) => this.#options.behind?.(position),
      stalled: (error) => this.#options.stalled?.(error),
      failed: (error) => {
        if (isHeard()) this.#fail(error, false);
      },
    }).then(
      (following) => {
        if (isHeard()) this.#following = following;
        else following.stop();
      },
      (error: unknown) => {
        if (isHeard()) this.#fail(error, false);
      },
    );
  }

  #put(waiting: Waiting<T>): void {
    this.#position = waiting.position;
    if (this.#waiting.push(waiting) >= MOST_WAITING) {
      this.#state = 'full';
      this.#unsubscribe();
      this.#reportDelay(waiting.position);
    }
    this.#wake();
  }

  #reportDelay(position: string): void {
    try {
      this.#options.behind?.(position);
    } catch (error) {
      this.#fail(error, false);
    }
  }

  /** Items that wait are still told, unless the program itself ends the iteration. */
  #fail(error: unknown, isAtOnce: boolean): void {
    if (isAtOnce) this.#waiting.length = 0;
    this.#failure = { error };
    this.#end();
  }

  #unsubscribe(): void {
    this.#following?.stop();
    this.#following = undefined;
  }

  #awaken(resolve: () => void): void {
    const before = this.#wake;
    this.#wake = () => {
      this.#wake = () => undefined;
      before();
      resolve();
    };
  }
}
