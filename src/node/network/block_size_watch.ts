import type { Log } from '../../base/log.ts';
import type { AccountName } from '../../values/account_name.ts';

/** A witness of this node, and the blocks that it votes for. */
export interface BlockSizeVote {
  readonly witness: AccountName;
  readonly bytes: number;
}

const MIB = 1024 * 1024;
/** Larger blocks don't come through a network of 100 Mbit/s within a slot, by whatever way (simulated). */
const MOST_BYTES = 8 * MIB;
/** A node must fetch a whole block in half a slot, or the next witness has not got it in time. */
const SHARE_OF_SLOT = 0.5;
/** Until there are as many links measured, one slow peer would decide. */
const FEWEST_RATES = 3;

/**
 * Tells the operator when a witness of this node votes for larger blocks than the network carries, as far as its links
 * were measured.
 */
export class BlockSizeWatch {
  readonly #log: Log;
  readonly #slotMs: number;
  readonly #warned = new Map<AccountName, string>();

  constructor(log: Log, intervalSeconds: number) {
    this.#log = log;
    this.#slotMs = intervalSeconds * 1000;
  }

  /** Rates in bytes a millisecond, of links that had more to send than they took. */
  look(votes: readonly BlockSizeVote[], rates: readonly number[]): void {
    const measured = this.#measured(rates);
    const most = Math.min(MOST_BYTES, measured ?? MOST_BYTES);
    for (const { witness, bytes } of votes) {
      const what = `${bytes} ${measured !== undefined && measured < MOST_BYTES ? 'measured' : 'simulated'}`;
      if (bytes <= most || this.#warned.get(witness) === what) continue;
      this.#warned.set(witness, what);
      this.#log.warning(
        `${witness} votes for blocks of ${inMib(bytes)} MiB; this network carries ${inMib(most)} MiB within a slot, and larger ones cost the next witness its own: vote for a smaller maximum_block_size`,
        'block_size_voted_high',
        { witness, bytes, carried_bytes: Math.trunc(most) },
      );
    }
  }

  /** The bytes that the median link takes in its share of a slot. */
  #measured(rates: readonly number[]): number | undefined {
    if (rates.length < FEWEST_RATES) return undefined;
    const sorted = rates.toSorted((a, b) => a - b);
    return (sorted[Math.trunc(sorted.length / 2)] ?? 0) * this.#slotMs * SHARE_OF_SLOT;
  }
}

function inMib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}
