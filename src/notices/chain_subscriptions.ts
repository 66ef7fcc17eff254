import type { CommittedState } from '../queries/committed_state.ts';
import type { Clock } from '../base/clock.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { BalanceWatch } from './balance_watch.ts';
import { CatchingUp } from './catching_up.ts';
import { ChainReader, lastNumber } from './chain_reader.ts';
import { LiveLevel } from './live_level.ts';
import { PendingNotices, type PendingChange } from './pending_notices.ts';
import type { Position } from '../queries/notices/position.ts';
import { refuseFuture, requireStanding } from '../queries/notices/standing.ts';
import { requireKept } from '../queries/pruned.ts';
import { Following, Stream, subjectKey, type ChainRequest, type Subject } from './stream.ts';
import type { SubscriptionCounts } from './subscription_counts.ts';

/** Notices are made and sent for this long before other work gets its turn. */
const SLICE_MS = 5;
/** The interval of checks for slow readers. */
const SLOW_READER_MS = 50;

export interface ChainSubscriptionParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly parameters: ChainParameters;
  readonly encoding: EncodingOptions;
  /** The number of blocks that users may take back, irreversible or not; none by default. */
  readonly revertibleBlocks?: number;
  readonly limits: Pick<Limits, 'stalledMs'>;
  readonly counts: SubscriptionCounts;
  readonly report: (error: unknown, method: string) => void;
  /**
   * Asks to hear by `takePending` of transactions that wait for a block, or not to; they are never told of where it is
   * left out.
   */
  readonly watchPending?: (isWatched: boolean) => void;
}

/**
 * Tells clients of blocks, operations and balances, in the order of the chain, from the position on that they name:
 * what they have missed from committed rows, then what is new. The cost of an operation depends on those whom it
 * concerns, and it is written once for all who follow the same.
 */
export class ChainSubscriptions {
  readonly #parts: ChainSubscriptionParts;
  readonly #reader: ChainReader;
  readonly #streams = new Map<string, Stream>();
  readonly #bySubscriber = new Map<Subscriber, Map<string, Following>>();
  readonly #catchingUp: CatchingUp;
  readonly #head: LiveLevel;
  readonly #irreversible: LiveLevel;
  readonly #pending: PendingNotices;
  /** Subscriptions of level `pending`. */
  #watching = 0;
  #cancelRun: (() => void) | undefined;
  /** The delay of the run that is due next. */
  #dueMs = Infinity;
  #isStopped = false;

  constructor(parts: ChainSubscriptionParts) {
    const { rows, clock, parameters, encoding, limits, revertibleBlocks = 0 } = parts;
    const { chainId } = parameters;
    const reader = new ChainReader(rows, { chainId, revertibleBlocks }, encoding);
    const catchUp = (following: Following, position: Position, isSlow: boolean): void =>
      this.#catchingUp.add(following, position, isSlow);
    this.#parts = parts;
    this.#reader = reader;
    this.#pending = new PendingNotices(rows, encoding);
    const balances = new BalanceWatch(rows, parameters, encoding);
    this.#head = new LiveLevel('head', { rows, clock, reader, catchUp, balances, pending: this.#pending });
    this.#irreversible = new LiveLevel('irreversible', { rows, clock, reader, catchUp });
    this.#catchingUp = new CatchingUp({
      ...{ rows, clock, encoding, limits, reader },
      admit: (following) => this.#levelOf(following).admit(following),
      end: (following) => this.#end(following),
    });
  }

  /**
   * Adds a subscription, in place of one of the same connection with the same `returnId`. Returns the position that it
   * begins with. Throws the refusal when there are too many subscriptions, or where nothing can be told from that
   * position on.
   */
  subscribe(request: ChainRequest): Position {
    const { subscriber, returnId, subject } = request;
    const { rows, clock, counts } = this.#parts;
    const position = rows.consistentRead(() => this.#firstPosition(request));
    const replaced = this.#bySubscriber.get(subscriber)?.get(returnId);
    counts.add(subscriber, subjectWeight(subject), replaced && subjectWeight(replaced.stream.subject));
    this.unsubscribe(subscriber, returnId);
    const stream = this.#findStream(subject);
    const following = new Following(subscriber, stream, returnId, position, clock.nowMs());
    stream.size++;
    if (subject.level === 'pending' && this.#watching++ === 0) this.#parts.watchPending?.(true);
    const own = this.#bySubscriber.get(subscriber);
    if (own === undefined) subscriber.onClose(() => this.#leave(subscriber));
    this.#bySubscriber.set(subscriber, (own ?? new Map<string, Following>()).set(returnId, following));
    this.#catchingUp.add(following, position, false);
    // Deferred, so that the answer comes before the first notice.
    this.#scheduleRun(0);
    return position;
  }

  /** Ends the subscription under that id; returns how many there were, 0 or 1. */
  unsubscribe(subscriber: Subscriber, returnId: string): number {
    const following = this.#bySubscriber.get(subscriber)?.get(returnId);
    if (following !== undefined) this.#end(following);
    return following === undefined ? 0 : 1;
  }

  /** Blocks were committed, or left the main branch. */
  takeUpdate(): void {
    if (this.#streams.size > 0) this.#scheduleRun(0);
  }

  takeGap(): void {
    this.takeUpdate();
  }

  /**
   * Something has happened to transactions that wait for a block; `taken` is called when the next such change may come.
   */
  takePending(change: PendingChange, taken: () => void): void {
    this.#pending.take(change, taken);
    this.takeUpdate();
  }

  /** No more notices are sent. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelRun?.();
    this.#catchingUp.clear();
    this.#head.clear();
    this.#irreversible.clear();
  }

  #firstPosition({ subject: { level }, start, resume }: ChainRequest): Position {
    const { rows, parameters } = this.#parts;
    if (resume !== undefined) {
      requireStanding(rows, parameters.chainId, resume);
      return resume;
    }
    if (start === undefined) return this.#reader.lastPosition(level);
    const head = lastNumber(rows, 'head');
    if (start > head + 1) refuseFuture(start, head);
    requireKept(rows, start);
    return this.#reader.positionBehind(start - 1);
  }

  #findStream(subject: Subject): Stream {
    const key = subjectKey(subject);
    const stream = this.#streams.get(key) ?? new Stream(subject);
    this.#streams.set(key, stream);
    return stream;
  }

  #levelOf({ stream }: Following): LiveLevel {
    return stream.subject.level === 'irreversible' ? this.#irreversible : this.#head;
  }

  #leave(subscriber: Subscriber): void {
    for (const following of this.#bySubscriber.get(subscriber)?.values() ?? []) this.#end(following);
    this.#bySubscriber.delete(subscriber);
  }

  #end(following: Following): void {
    const { subscriber, stream, returnId } = following;
    if (this.#bySubscriber.get(subscriber)?.get(returnId) !== following) return;
    this.#bySubscriber.get(subscriber)?.delete(returnId);
    this.#parts.counts.remove(subscriber, subjectWeight(stream.subject));
    this.#catchingUp.leave(following);
    this.#levelOf(following).leave(following);
    if (--stream.size === 0) this.#streams.delete(stream.key);
    if (stream.subject.level === 'pending' && --this.#watching === 0) this.#parts.watchPending?.(false);
  }

  #scheduleRun(delayMs: number): void {
    if (this.#isStopped || this.#dueMs <= delayMs) return;
    this.#cancelRun?.();
    this.#dueMs = delayMs;
    this.#cancelRun = this.#parts.clock.after(delayMs, () => {
      this.#dueMs = Infinity;
      this.#run();
    });
  }

  /** Tells what is due for a slice of time. */
  #run(): void {
    const { clock, report } = this.#parts;
    const endMs = clock.elapsedMs() + SLICE_MS;
    try {
      const hasCaughtUp = this.#catchingUp.tellUntil(endMs - SLICE_MS / 2);
      const isDue = [this.#head, this.#irreversible].map((level) => level.tellUntil(endMs)).includes(true);
      if (isDue || hasCaughtUp) this.#scheduleRun(0);
      else if (!this.#catchingUp.isEmpty) this.#scheduleRun(SLOW_READER_MS);
    } catch (error) {
      report(error, 'subscriptions');
      // Whoever was behind the one that failed is told all the same, though no further block may come.
      this.#scheduleRun(SLOW_READER_MS);
    }
  }
}

/** Each account is looked up and remembered as a subscription of its own would be. */
function subjectWeight(subject: Subject): number {
  return subject.kind === 'operations' ? Math.max(1, subject.accounts?.size ?? 1) : 1;
}
