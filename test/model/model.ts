import { applyBlock, beginBlock, type ModelBlock } from './block.ts';
import { genesisState } from './genesis.ts';
import type { BlockHeader } from './global_data.ts';
import type { Parameters } from './parameters.ts';
import { catchReason } from './refusal.ts';
import { applyFirstHardforks } from './hardforks.ts';
import { scheduledWitness, slotNumber, slotTime } from './slots.ts';
import type { State } from './state.ts';
import { applyTransaction, checkSize, type ModelTransaction } from './transaction.ts';

/**
 * The rules of the chain, written a second time from their description alone, as plainly as can be: no undo, no cache,
 * no short cut. What it says is compared with the chain after every block.
 */
export class Model {
  #head: State;
  /** The head and what waits for the next block. */
  #pending: State;
  #waiting: ModelTransaction[] = [];

  constructor(parameters: Parameters) {
    this.#head = genesisState(parameters);
    this.#pending = this.#nextBlock();
  }

  /** The state behind the last block. */
  get head(): State {
    return this.#head;
  }

  get waiting(): readonly ModelTransaction[] {
    return this.#waiting;
  }

  /** Returns the witness of a time; undefined before the next slot. */
  productionSlotAt(time: number): string | undefined {
    const slot = slotNumber(this.#head, time);
    return slot === 0 ? undefined : scheduledWitness(this.#head, slot);
  }

  /** Puts a transaction into the next block; answers why not. */
  accept(transaction: ModelTransaction): string | undefined {
    const next = this.#pending.copy();
    const reason = catchReason(() => {
      checkSize(next, transaction);
      applyTransaction(next, transaction);
    });
    if (reason !== undefined) return reason;
    this.#pending = next;
    this.#waiting.push(transaction);
    return undefined;
  }

  /** Starts the next block; the first one brings the hardforks of its time. */
  #nextBlock(): State {
    const next = this.#head.copy();
    if (next.globals.number === 0) applyFirstHardforks(next, slotTime(next, 1));
    return next;
  }

  /** The waiting transactions that belong into a block with this header (chain_rules.md#building-a-block). */
  select(header: BlockHeader): ModelTransaction[] {
    let state = this.#head.copy();
    beginBlock(state, header);
    return this.#waiting.filter((transaction) => {
      const next = state.copy();
      if (
        transaction.expiration < header.timestamp ||
        catchReason(() => applyTransaction(next, transaction)) !== undefined
      )
        return false;
      state = next;
      return true;
    });
  }

  /** Applies a block; answers why not. What waited and is not in it waits on, if it still can. */
  apply(block: ModelBlock): string | undefined {
    const next = this.#head.copy();
    next.virtualOperations.length = 0;
    next.payments.length = 0;
    const reason = catchReason(() => applyBlock(next, block));
    if (reason !== undefined) return reason;
    this.#head = next;
    this.#pending = this.#nextBlock();
    const included = new Set(block.transactions.map(({ id }) => id));
    const left = this.#waiting.filter(({ id }) => !included.has(id));
    this.#waiting = [];
    for (const transaction of left) this.accept(transaction);
    return undefined;
  }
}
