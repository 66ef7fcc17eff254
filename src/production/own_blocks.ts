import type { ProductionUpdate, SlotTimes } from './reports.ts';
import { present } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { catchRefusal } from '../base/refusal.ts';
import type { Chain } from '../chain/chain.ts';
import type { PreparedBlock } from '../chain/pending/seal_block.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { timeText, type Seconds } from '../values/time.ts';
import type { BlockSigner } from '../witness/block_signer.ts';
import type { SignAnswer } from '../witness/sign_answer.ts';
import type { ProductionSlot } from '../witness/produce.ts';

/** The parts from which blocks are made. */
export interface OwnBlockParts {
  readonly chain: Chain;
  /** The chain's time; `machineClock` is the machine's. */
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly machineClock: Pick<Clock, 'nowMs'>;
  readonly parameters: ChainParameters;
  readonly log: Log;
  readonly signer: BlockSigner;
  readonly tell: (message: ProductionUpdate) => void;
  /** Ends the writer when `run` throws what is no refusal. */
  readonly guard: (run: () => void) => void;
  /** True if a slot is over some time. */
  readonly countsSlots: boolean;
}

/** A block that waits for its signature. */
interface OpenBlock {
  readonly slot: ProductionSlot;
  readonly prepared: PreparedBlock;
  /** The beginning of the slot; undefined for a block that was ordered. */
  readonly slotMs: number | undefined;
  readonly startedMs: number;
}

/** A moment by the chain's clock and by the machine's. */
interface CommitTime {
  readonly nowMs: number;
  readonly machineMs: number;
}

/** This node's blocks in three steps, so that nothing waits for the signer: prepared, signed, adopted. */
export class OwnBlocks {
  readonly #parts: OwnBlockParts;
  #open: OpenBlock | undefined;
  #isAdopting = false;
  /** Of the block that is being adopted, once it is on the disk. */
  #committed: CommitTime | undefined;
  #refusedSignatures = 0;

  constructor(parts: OwnBlockParts) {
    this.#parts = parts;
  }

  /** True if the block being applied is this node's own. */
  get isAdopting(): boolean {
    return this.#isAdopting;
  }

  /** Slots that were not signed because the journal has a block of them, or of later ones. */
  get refusedSignatures(): number {
    return this.#refusedSignatures;
  }

  /** The block that is being adopted is on the disk. What the chain does after telling of it delays nobody. */
  noteCommitted(): void {
    const { clock, machineClock } = this.#parts;
    this.#committed = { nowMs: clock.nowMs(), machineMs: machineClock.nowMs() };
  }

  isBeingSigned(timestamp: Seconds): boolean {
    return this.#open?.slot.timestamp === timestamp;
  }

  /** Prepares the block of a slot and has it signed; one that waits for its signature is given up. */
  begin(slot: ProductionSlot, slotMs?: number): void {
    const { chain, clock, signer, parameters, guard } = this.#parts;
    const { timestamp, signingKey: key } = slot;
    const startedMs = clock.nowMs();
    let prepared: PreparedBlock | undefined;
    const refusal = catchRefusal(() => {
      prepared = chain.prepare(slot);
    });
    if (refusal !== undefined || prepared === undefined) return this.#lose(slot, refusal?.message ?? '');
    const open: OpenBlock = { slot, prepared, slotMs, startedMs };
    this.#open = open;
    const { chainId, blockIntervalSeconds: intervalSeconds } = parameters;
    signer.signBlock({ chain: chainId, key, timestamp, intervalSeconds }, prepared.header, (answer) =>
      guard(() => this.#finish(open, answer)),
    );
  }

  /** Gives up the block that waits for its signature. */
  drop(): void {
    this.#open = undefined;
  }

  /** Nobody has waited for the answer: the slot may be over by now, and the head another one. */
  #finish(open: OpenBlock, answer: SignAnswer): void {
    if (this.#open !== open) return;
    this.#open = undefined;
    if (answer.kind === 'refused') {
      if (answer.code === 'slot_already_signed') this.#refusedSignatures++;
      return this.#lose(open.slot, answer.message);
    }
    if (this.#isOver(open.slot)) return this.#lose(open.slot, 'the signature came after the end of the slot');
    this.#isAdopting = true;
    this.#committed = undefined;
    const refusal = catchRefusal(() => void this.#parts.chain.adopt(open.prepared, answer.signature));
    this.#isAdopting = false;
    if (refusal !== undefined) this.#lose(open.slot, refusal.message);
    else this.#tellProduced(open);
  }

  #isOver({ timestamp }: ProductionSlot): boolean {
    const { clock, parameters, countsSlots } = this.#parts;
    return countsSlots && clock.nowMs() >= (timestamp + parameters.blockIntervalSeconds) * 1000;
  }

  #lose({ witness, timestamp }: ProductionSlot, why: string): void {
    this.#parts.log.error(`no block for ${witness} at ${timeText(timestamp)}: ${why}`, 'block_lost', {
      ...{ witness, slot: timeText(timestamp) },
    });
  }

  #tellProduced({ slotMs, startedMs }: OpenBlock): void {
    if (slotMs === undefined) return;
    const { nowMs, machineMs } = present(this.#committed, 'the chain tells of each block of a slot');
    const slot: SlotTimes = {
      startedLateMs: startedMs - slotMs,
      committedLateMs: nowMs - slotMs,
      committedMs: machineMs,
    };
    this.#parts.tell({ kind: 'produced', slot });
  }
}
