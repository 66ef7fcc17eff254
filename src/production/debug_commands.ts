import type { PackedTransaction, VerifiedTransaction } from '../blocks/transaction.ts';
import { verifyTransactions } from '../blocks/verify.ts';
import type { Chain } from '../chain/chain.ts';
import { catchRefusal } from '../base/refusal.ts';
import { refuseDebug } from '../rpc/debug_api/debug_refusals.ts';
import type { Mining } from '../rpc/mining.ts';
import type { DebugHead, DebugCommand } from '../rpc/services.ts';
import type { BlockId, Digest } from '../values/hash.ts';
import { NEVER } from '../values/limits.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { ownSlot, type Producer, type ProductionSlot } from '../witness/produce.ts';
import type { MovableClock } from './movable_clock.ts';

/** The parts of a development chain's debug commands. */
export interface DebugCommandsOptions {
  readonly chain: Chain;
  readonly chainId: Digest;
  /** Set to the head after each request, so that ordinary blocks continue from there. */
  readonly clock: MovableClock;
  readonly producer: Producer;
  /** The mode in which blocks are made at first. */
  readonly mining: Mining;
  /** True if the chain's time stood still since the head. */
  readonly goesOnFromHead: boolean;
  produce(slot: ProductionSlot): void;
  /** Begins or ends to make blocks in their slots. */
  mineInSlots(isOn: boolean): void;
}

// One of our slots comes up within two rounds of the largest size, or never.
const SLOTS_TRIED = 510;
const NUMBER_DIGITS = 8; // an id begins with the number of its block
const LAST_DAY_SECONDS = 86_400;

/** Executes the requests of a development chain's users. */
export class DebugCommands {
  readonly #options: DebugCommandsOptions;
  #mining: Mining;

  /**
   * When the chain's time is ahead of the clock from an earlier run, or stood still, the clock continues from the head.
   */
  constructor(options: DebugCommandsOptions) {
    this.#options = options;
    this.#mining = options.mining;
    const { chain, clock, goesOnFromHead } = options;
    if (goesOnFromHead || chain.head.time * 1000 > clock.nowMs()) clock.set(chain.head.time * 1000);
  }

  carryOut(request: DebugCommand): DebugHead {
    const { chain, clock } = this.#options;
    try {
      this.#move(request);
    } finally {
      clock.set(chain.head.time * 1000);
    }
    const { number, id, time } = chain.head;
    return { number, id, time };
  }

  /**
   * Makes the blocks that pending transactions need, on chains that make them on demand. Nobody is refused: what finds
   * no block waits for the next one.
   */
  mineWhatCame(): void {
    const { chain } = this.#options;
    const waiting = (): number => chain.pendingTransactions.length + chain.waitingTransactions;
    for (let [before, left] = [Infinity, waiting()]; this.#mining === 'automine' && left > 0 && left < before;) {
      catchRefusal(() => void this.carryOut({ kind: 'produce_blocks', count: 1 }));
      [before, left] = [left, waiting()];
    }
  }

  #move(request: DebugCommand): void {
    switch (request.kind) {
      case 'produce_blocks':
        for (let count = request.count; count > 0; count--) this.#produceFrom(this.#options.chain.slotTime(1));
        return;
      case 'jump_ahead':
        return this.#produceFrom(this.#options.chain.head.time + request.seconds);
      case 'miss_slots':
        return this.#produceFrom(this.#options.chain.slotTime(request.count + 1));
      case 'fork':
        return this.#fork(request.blocks, request.keepsTransactions);
      case 'revert':
        return this.#revert(request.id);
      case 'set_mining':
        return this.#setMining(request.mode);
    }
  }

  /**
   * Makes a branch that is one block longer; it leaves out a slot, so that its first block has another id whatever is
   * in it.
   */
  #fork(blocks: number, keepsTransactions: boolean): void {
    const { chain } = this.#options;
    const { number, lastIrreversible } = chain.head;
    const most = number - lastIrreversible;
    if (blocks > most) refuseDebug.fork_of_final({ number: lastIrreversible, most });
    const before = keepsTransactions ? [...this.#laterTransactions(number - blocks), ...chain.pendingTransactions] : [];
    chain.replace(number - blocks, () => {
      // One that has expired, or was valid on the old branch only, is lost, as it would be anywhere.
      for (const transaction of before) catchRefusal(() => void chain.accept(transaction));
      this.#produceFrom(chain.slotTime(2));
      for (let count = blocks; count > 0; count--) this.#produceFrom(chain.slotTime(1));
    });
  }

  #laterTransactions(first: number): VerifiedTransaction[] {
    const { chain, chainId } = this.#options;
    const packed: PackedTransaction[] = [];
    for (let number = first + 1; number <= chain.head.number; number++)
      packed.push(...(chain.block(number)?.transactions ?? []));
    return verifyTransactions(chainId, packed);
  }

  #setMining(mode: Mining): void {
    const was = this.#mining;
    this.#mining = mode;
    if ((mode === 'interval') !== (was === 'interval')) this.#options.mineInSlots(mode === 'interval');
    this.mineWhatCame();
  }

  /** Produces a block in our first slot that begins at that time or later. */
  #produceFrom(wanted: Seconds): void {
    const { chain, producer, produce } = this.#options;
    const interval = chain.slotTime(2) - chain.slotTime(1);
    if (wanted > NEVER - LAST_DAY_SECONDS) refuseDebug.time_over({ time: wanted, end: timeText(NEVER) });
    const before = chain.head.number;
    const first = Math.max(chain.slotTime(1), wanted);
    for (let slot = 0; slot < SLOTS_TRIED && chain.head.number === before; slot++) {
      const due = ownSlot(chain.findProductionSlot(first + slot * interval), producer);
      if (due.kind !== 'produce' || due.timestamp < wanted) continue;
      produce(due);
      if (chain.head.number === before) refuseDebug.block_not_made({ time: timeText(due.timestamp) });
    }
    if (chain.head.number === before) refuseDebug.no_turn({ time: timeText(wanted) });
  }

  #revert(id: BlockId): void {
    const { chain } = this.#options;
    const number = Number.parseInt(id.slice(0, NUMBER_DIGITS), 16);
    const isOurs = number === 0 ? /^0+$/.test(id) : chain.block(number)?.id === id;
    // A block that can't be come back to may be one that is no longer kept.
    if (!isOurs && number >= chain.lowestRevert) refuseDebug.unknown_snapshot({ id });
    if (number < chain.lowestRevert) refuseDebug.snapshot_is_final({ number: chain.lowestRevert });
    chain.revert(number);
  }
}
