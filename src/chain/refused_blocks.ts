import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId } from '../values/hash.ts';
import type { SideBlock } from './fork_tree.ts';

const refuse = refusals({ refused_before: 'block {id} was refused before' });

/** Each was signed by the witness of its slot, so a few a round come at the most: this is days of one who tries as often as it can. */
const MOST_IDS = 16_384;
/** On the head a witness may be wrong so often in a slot of its own: every time the whole block is tried. */
const MOST_TRIES_OF_SLOT = 4;
const MOST_SLOTS = 4096; // with refused blocks; about as many as ids at the other limits

/**
 * Blocks that were signed by the witness of their slot and could not be applied all the same. No honest witness signs such a block,
 * so it isn't tried again, and its witness gets no more tries than said here. A restart forgets them.
 */
export class RefusedBlocks {
  readonly #ids = new Set<BlockId>();
  readonly #triesBySlot = new Map<string, number>();
  /** Witnesses for whose blocks the main branch was left in vain, and its height then. */
  readonly #vain = new Map<AccountName | typeof STRANGERS, number>();

  requireNew(id: BlockId): void {
    if (this.#ids.has(id)) refuse.refused_before({ id });
  }

  /** Whether another block of that slot may be tried on the head at once. */
  mayTry(witness: AccountName, aslot: number): boolean {
    return (this.#triesBySlot.get(slotKey(witness, aslot)) ?? 0) < MOST_TRIES_OF_SLOT;
  }

  /** A block could not be applied on the head. */
  noteOnHead(id: BlockId, witness: AccountName, aslot: number): void {
    this.#noteId(id);
    const key = slotKey(witness, aslot);
    const tries = (this.#triesBySlot.get(key) ?? 0) + 1;
    this.#triesBySlot.delete(key);
    this.#triesBySlot.set(key, tries);
    forgetFirst(this.#triesBySlot, MOST_SLOTS);
  }

  /** The main branch, so high, was left for a branch in which this block could not be applied. */
  noteOnBranch({ id, witness, isStranger }: SideBlock, height: number): void {
    this.#noteId(id);
    this.#vain.set(isStranger ? STRANGERS : witness, height);
  }

  /**
   * Whether a block counts in the length of its branch. Those of a witness who made the main branch be left in vain don't: one
   * witness can cause that once until it is final, those of unknown rounds together once.
   */
  counts({ witness, isStranger, isDoubted }: SideBlock): boolean {
    return !isDoubted && !this.#vain.has(isStranger ? STRANGERS : witness);
  }

  /** What was final long ago can't be tried again. */
  prune(final: number): void {
    for (const [witness, height] of this.#vain) if (height <= final) this.#vain.delete(witness);
  }

  #noteId(id: BlockId): void {
    this.#ids.add(id);
    forgetFirst(this.#ids, MOST_IDS);
  }
}

const STRANGERS = Symbol('witnesses of rounds that are not known');

function slotKey(witness: AccountName, aslot: number): string {
  return `${witness} ${aslot}`;
}

function forgetFirst<K>(kept: { readonly size: number; keys(): IterableIterator<K>; delete(key: K): boolean }, most: number): void {
  if (kept.size <= most) return;
  for (const first of kept.keys()) {
    kept.delete(first);
    return;
  }
}
