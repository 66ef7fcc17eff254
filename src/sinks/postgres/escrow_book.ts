import type { Seconds } from '../../values/time.ts';

/** An escrow as operations have left it. Amounts are in units of the smallest coin. */
export interface BookedEscrow {
  readonly from: string;
  readonly escrowId: number;
  readonly to: string;
  readonly agent: string;
  readonly coinBalance: bigint;
  readonly pendingFee: bigint;
  readonly toApproved: boolean;
  readonly agentApproved: boolean;
  readonly disputed: boolean;
  readonly ratificationDeadline: Seconds;
  readonly escrowExpiration: Seconds;
  /** Of two with the same deadline the one that was opened first is refunded first. */
  readonly openedAt: readonly [block: number, op: number];
}

/** Blocks refund so many at most under the rules of new chains; what is left is refunded by the next ones. */
const REFUNDS_OF_A_BLOCK = 100;

/**
 * The open escrows: nobody is told when a block refunds one that was not ratified in time, so it is worked out as the
 * chain does.
 */
export class EscrowBook {
  readonly #open = new Map<string, BookedEscrow>();
  readonly #mostRefunds: number;

  constructor(open: Iterable<BookedEscrow>, isLineage: boolean) {
    for (const escrow of open) this.put(escrow);
    this.#mostRefunds = isLineage ? Infinity : REFUNDS_OF_A_BLOCK;
  }

  get(from: string, escrowId: number): BookedEscrow | undefined {
    return this.#open.get(`${from}/${escrowId}`);
  }

  put(escrow: BookedEscrow): void {
    this.#open.set(`${escrow.from}/${escrow.escrowId}`, escrow);
  }

  close({ from, escrowId }: BookedEscrow): void {
    this.#open.delete(`${from}/${escrowId}`);
  }

  /** Yields the accounts that open escrows may pay. */
  *names(): Generator<string> {
    for (const { from, to, agent } of this.#open.values()) yield* [from, to, agent];
  }

  /** Those that a block of that time refunds, in its order. They stay open until they are closed. */
  lapsed(time: Seconds): BookedEscrow[] {
    if (this.#open.size === 0) return [];
    return [...this.#open.values()]
      .filter((each) => !(each.toApproved && each.agentApproved) && each.ratificationDeadline <= time)
      .toSorted(
        (a, b) =>
          a.ratificationDeadline - b.ratificationDeadline ||
          a.openedAt[0] - b.openedAt[0] ||
          a.openedAt[1] - b.openedAt[1],
      )
      .slice(0, this.#mostRefunds);
  }
}
