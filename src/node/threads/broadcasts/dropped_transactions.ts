import type { DroppedRecord } from '../../../rpc/services.ts';
import type { TransactionId } from '../../../values/hash.ts';

/** Half a minute of the fastest broadcasts, or days of usual ones: half a KiB each, with its sentence. */
const MOST_DROPPED = 20_000;

/** Remembers the transactions that this node dropped last, and why. A restart forgets them. */
export class DroppedTransactions {
  readonly #most: number;
  readonly #records = new Map<TransactionId, DroppedRecord>();

  constructor(most = MOST_DROPPED) {
    this.#most = most;
  }

  /** A transaction that was dropped again counts as new. */
  add(id: TransactionId, record: DroppedRecord): void {
    this.#records.delete(id);
    this.#records.set(id, record);
    if (this.#records.size <= this.#most) return;
    const [oldest] = this.#records.keys();
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  get(id: TransactionId): DroppedRecord | undefined {
    return this.#records.get(id);
  }
}
