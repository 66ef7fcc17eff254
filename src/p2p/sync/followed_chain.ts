import type { BlockId } from '../../values/hash.ts';
import type { ChainView } from '../environment/chain_access.ts';

/** A block that was irreversible while the node followed the chain. */
export interface FollowedBlock {
  readonly number: number;
  readonly id: BlockId;
}

/** By then every seed has been dialled several times. */
const FOLLOWED_AFTER_MS = 60_000;
/**
 * An hour: who signs blocks behind a followed one is known, and so soon nobody has given up a key. The file is written
 * each minute.
 */
const SAME_KEYS_BLOCKS = 1200;

/**
 * Up to which block the blocks of this folder came while the node followed the chain: there it knows the chain itself,
 * whatever peers say later. Kept in the data folder, or each restart would make a newcomer of a node with years of
 * history.
 */
export class FollowedChain {
  readonly #view: Pick<ChainView, 'head' | 'blockId'>;
  readonly #kept: FollowedBlock | undefined;
  #sinceMs: number | undefined;
  #isFollowing = false;

  /** `kept` is of an earlier run; it counts only while it is a block of this chain. */
  constructor(view: Pick<ChainView, 'head' | 'blockId'>, kept: FollowedBlock | undefined) {
    this.#view = view;
    const { irreversible } = view.head;
    this.#kept =
      kept !== undefined && kept.number <= irreversible && view.blockId(kept.number) === kept.id ? kept : undefined;
  }

  /** The followed block to save for the next run; undefined while the node has followed nothing. */
  get block(): FollowedBlock | undefined {
    if (!this.#isFollowing) return this.#kept;
    const number = this.#view.head.irreversible;
    const id = this.#view.blockId(number);
    return id === undefined || number === 0 ? this.#kept : { number, id };
  }

  /** Returns whether this node has seen itself that the block is the chain's. */
  has(number: number): boolean {
    return this.#isFollowing || (this.#kept !== undefined && number <= this.#kept.number + SAME_KEYS_BLOCKS);
  }

  /**
   * `isInStep` says whether the head is new and peers that this node has chosen have none later. They may all be liars
   * for a moment.
   */
  look(isInStep: boolean, nowMs: number): void {
    if (!isInStep) return void (this.#sinceMs = undefined);
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs >= FOLLOWED_AFTER_MS) this.#isFollowing = true;
  }
}
