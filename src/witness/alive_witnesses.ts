import { isOver, isTimely, type Alive } from '../blocks/alive.ts';
import type { AccountName } from '../values/account_name.ts';
import { getBlockNumber, type BlockId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';

/** The chain's facts for finding the witnesses that agree with it. */
export interface AliveView {
  readonly head: { readonly number: number; readonly id: BlockId; readonly lastIrreversible: number };
  /** The signers of the blocks that follow the head, one for each slot of the round. */
  readonly headSigners: readonly { readonly witness: AccountName; readonly key: PublicKey }[];
  /** True when a block is on the main branch, and the last irreversible one or a later one. */
  isOnMainBranch(id: BlockId): boolean;
}

/** So many of a hundred: two parts of a network have as many only where a third of the keys serve both. */
const ENOUGH_PERCENT = 67;
/** A witness may stand this far below the head: a third of a round, which has gone on meanwhile. */
const MOST_BELOW = 17;

/** The last heartbeat of each witness: it is alive, and its chain ends there. */
export class AliveWitnesses {
  readonly #newest = new Map<AccountName, Alive>();

  /** One that is signed, by a witness of a branch that is kept. */
  take(alive: Alive): void {
    const before = this.#newest.get(alive.witness);
    if (before === undefined || before.slot < alive.slot) this.#newest.set(alive.witness, alive);
  }

  /**
   * True when enough of the head's round are alive, and agree with this chain, to make a block although few slots were
   * filled, or the head is old. Nobody decides that alone: a chain of one witness may be an old copy of one that has
   * many.
   */
  areEnough(view: AliveView, slot: number): boolean {
    const round = currentSigners(view);
    const count = [...round].filter(([witness, key]) => this.#stands(view, slot, witness, key)).length;
    return round.size > 1 && count * 100 >= ENOUGH_PERCENT * round.size;
  }

  /** Forgets those of long ago, of whichever branch. */
  tidy(slot: number): void {
    for (const [witness, alive] of this.#newest) if (isOver(alive, slot)) this.#newest.delete(witness);
  }

  #stands(view: AliveView, slot: number, witness: AccountName, key: PublicKey): boolean {
    const alive = this.#newest.get(witness);
    if (alive?.key !== key || !isTimely(alive, slot)) return false;
    const { number, id, lastIrreversible } = view.head;
    if (alive.head === id) return true;
    // At the irreversible block all parts of a network stand: it says nothing of a branch.
    const at = getBlockNumber(alive.head);
    return at > lastIrreversible && at >= number - MOST_BELOW && view.isOnMainBranch(alive.head);
  }
}

/** Each witness of the round once. */
function currentSigners({ headSigners }: AliveView): ReadonlyMap<AccountName, PublicKey> {
  return new Map(headSigners.map(({ witness, key }) => [witness, key]));
}
