import type { Log } from '../../base/log.ts';
import type { ChainPosition, ChainView } from '../../p2p/environment/chain_access.ts';
import { ENOUGH_SLOTS, ROUND_SLOTS } from './last_round.ts';

/** 67 % of a round: below that witnesses stop. */
const TOO_FEW_BLOCKS = 34;

/** Tells the operator when too few slots have a block: this part of the network may be cut off from the others. */
export class RoundWatch {
  readonly #log: Log;
  readonly #slots: ChainView['slots'];
  /** Heads of the last round, oldest first; the first one is as old as a round. */
  readonly #heads: Pick<ChainPosition, 'number' | 'time'>[] = [];
  #isSuspicious = false;

  constructor(log: Log, slots: ChainView['slots']) {
    this.#log = log;
    this.#slots = slots;
  }

  /** True if the network may be parted. */
  get isSuspicious(): boolean {
    return this.#isSuspicious;
  }

  /** `isFollowing` is false while blocks are missing: then the head says nothing of the witnesses. */
  look({ number, time }: Pick<ChainPosition, 'number' | 'time'>, isFollowing: boolean, nowMs: number): void {
    if (this.#slots === undefined || !isFollowing) return void (this.#heads.length = 0);
    // A certified branch may be shorter than the one that is left for it.
    while ((this.#heads.at(-1)?.number ?? 0) > number) this.#heads.pop();
    if (this.#heads.at(-1)?.number !== number) this.#heads.push({ number, time });
    const beginMs = nowMs - ROUND_SLOTS * this.#slots.intervalSeconds * 1000;
    while ((this.#heads[1]?.time ?? Infinity) * 1000 <= beginMs) this.#heads.shift();
    const [first] = this.#heads;
    // Since it follows, less than a round has passed.
    if (first === undefined || first.time * 1000 > beginMs) return;
    this.#judge(number - first.number);
  }

  #judge(blocks: number): void {
    if (!this.#isSuspicious && blocks < TOO_FEW_BLOCKS) {
      this.#isSuspicious = true;
      this.#log.warning(
        `partition suspected: ${blocks} of the last ${ROUND_SLOTS} slots have a block, the others' witnesses may be cut off from here`,
        'partition_suspected',
        { blocks },
      );
    } else if (this.#isSuspicious && blocks >= ENOUGH_SLOTS) {
      this.#isSuspicious = false;
      this.#log.notice(`${blocks} of the last ${ROUND_SLOTS} slots have a block again`, 'partition_ended', { blocks });
    }
  }
}
