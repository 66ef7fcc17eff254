import type { CommittedState } from '../queries/committed_state.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import type { Follower, StreamDocument } from './document_stream.ts';

/** Documents sent to a lagging follower before it is another one's turn. */
export const PAGE_DOCUMENTS = 100;
/** While this much is unsent for a reader, nothing is added: its documents wait in the database instead. */
export const MOST_UNSENT_BYTES = 256 * 1024;
/** The interval of checks for slow readers. */
const SLOW_READER_MS = 50;

export interface LaggingParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'stalledMs'>;
  readonly report: (error: unknown, method: string) => void;
  /** The text of a document in a notice. */
  readonly shown: (document: StreamDocument) => string;
}

/**
 * The followers whose next document is already in the database. Each reads at its own speed; one that makes no progress
 * is disconnected.
 */
export class LaggingFollowers {
  readonly #parts: LaggingParts;
  readonly #followers = new Set<Follower>();
  #cancelPump: (() => void) | undefined;

  constructor(parts: LaggingParts) {
    this.#parts = parts;
  }

  has(follower: Follower): boolean {
    return this.#followers.has(follower);
  }

  delete(follower: Follower): void {
    this.#followers.delete(follower);
  }

  stop(): void {
    this.#cancelPump?.();
    this.#followers.clear();
  }

  /** From `number` on, this follower gets its documents from the database, as fast as it reads. */
  add(follower: Follower, number: bigint): void {
    follower.position = number;
    follower.movedMs = this.#parts.clock.nowMs();
    this.#followers.add(follower);
    // Deferred, so that the response to the subscription comes before its documents.
    this.#pumpAfter(0);
  }

  #pumpAfter(delayMs: number): void {
    this.#cancelPump ??= this.#parts.clock.after(delayMs, () => {
      this.#cancelPump = undefined;
      try {
        this.#pump();
      } catch (error) {
        this.#parts.report(error, 'subscriptions');
      }
    });
  }

  /** Sends a page to each follower that lags and has room for it. */
  #pump(): void {
    const { clock, limits } = this.#parts;
    const nowMs = clock.nowMs();
    let moved = false;
    for (const follower of [...this.#followers]) {
      if (follower.subscriber.unsentBytes() <= MOST_UNSENT_BYTES) {
        moved = this.#sendPage(follower) || moved;
        follower.movedMs = nowMs;
      } else if (nowMs - follower.movedMs > limits.stalledMs) follower.subscriber.drop('too far behind');
    }
    if (this.#followers.size > 0) this.#pumpAfter(moved ? 0 : SLOW_READER_MS);
  }

  /**
   * False when the database does not have what is due: another branch has replaced it meanwhile, and its update is on
   * the way.
   */
  #sendPage(follower: Follower): boolean {
    const { rows, shown } = this.#parts;
    const { stream } = follower;
    const behind = stream.next - follower.position;
    const count = behind < BigInt(PAGE_DOCUMENTS) ? Number(behind) : PAGE_DOCUMENTS;
    const page = count <= 0 ? [] : rows.consistentRead(() => stream.from(rows, follower.position, count));
    for (const document of page) {
      if (document.number >= stream.next || !follower.send(shown(document))) break;
      follower.position = document.number + 1n;
    }
    if (follower.position >= stream.next) this.#followers.delete(follower);
    return page.length > 0 || !this.#followers.has(follower);
  }
}
