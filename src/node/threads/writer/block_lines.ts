import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { PackedBlock } from '../../../blocks/block.ts';
import { timeText } from '../../../values/time.ts';

/** Logs each applied block with the exact line that monitoring for the lineage looks for (rpc_conventions.md#log-lines). */
export class BlockLines {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #isProducing: () => boolean;
  #isSilent = false;

  /** `isProducing` says whether the block that is being applied is this node's own. */
  constructor({ log, clock }: { readonly log: Log; readonly clock: Clock }, isProducing: () => boolean) {
    this.#log = log;
    this.#clock = clock;
    this.#isProducing = isProducing;
  }

  /** Logs no line while `run` applies the blocks of a sync: there are too many, and the network logs progress. */
  silence<T>(run: () => T): T {
    this.#isSilent = true;
    try {
      return run();
    } finally {
      this.#isSilent = false;
    }
  }

  /** Returns the same blocks and logs each one as it is read: those of a long branch are on disk. */
  *logged(blocks: Iterable<PackedBlock>): Generator<PackedBlock> {
    for (const block of blocks) {
      if (!this.#isSilent) this.#logBlock(block);
      yield block;
    }
  }

  #logBlock({ number, header: { timestamp, witness }, transactions }: PackedBlock): void {
    const [time, count] = [timeText(timestamp), transactions.length];
    const nowMs = this.#clock.nowMs();
    const applied = { block: number, witness, transactions: count };
    const latencyMs = nowMs - timestamp * 1000;
    if (this.#isProducing())
      this.#log.notice(
        `Generated block #${number} with timestamp ${time} and transactions count ${count} by ${witness} at time ${timeText(Math.trunc(nowMs / 1000))}`,
        'block_produced',
        applied,
      );
    else
      this.#log.notice(
        `Got ${count} transactions on block ${number} by ${witness} --latency: ${latencyMs} ms --block gen time: ${time}`,
        'block_applied',
        { ...applied, latency_ms: latencyMs },
      );
  }
}
