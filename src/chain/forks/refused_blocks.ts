import { refusals } from '../../base/refusal.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockId } from '../../values/hash.ts';

const refuse = refusals({ refused_before: 'block {id} was refused before' });

/**
 * Each was signed by the witness of its slot, so there are at most a few per round: this is days of a witness that
 * tries as often as it can.
 */
const MOST_IDS = 16_384;
/** The number of invalid blocks on the head that a witness may send for a slot of its own. Each is tried whole. */
const MOST_TRIES_OF_SLOT = 4;
const MOST_SLOTS = 4096; // with refused blocks; about as many as ids at the other limits

/**
 * Blocks that were signed by the witness of their slot but could not be applied. No honest witness signs such a block,
 * so it isn't tried again, and its witness is limited to the number of tries set here. Not kept across restarts.
 */
export class RefusedBlocks {
  readonly #ids = new Set<BlockId>();
  readonly #triesBySlot = new Map<string, number>();

  requireNew(id: BlockId): void {
    if (this.#ids.has(id)) refuse.refused_before({ id });
  }

  /** Returns whether another block of that slot may be tried on the head right away. */
  mayTry(witness: AccountName, aslot: number): boolean {
    return (this.#triesBySlot.get(slotKey(witness, aslot)) ?? 0) < MOST_TRIES_OF_SLOT;
  }

  /** A quorum of voters has applied the block: it is tried once more. */
  forgive(id: BlockId): void {
    this.#ids.delete(id);
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

  /** The main branch was left for a branch in which this block could not be applied. */
  noteOnBranch(id: BlockId): void {
    this.#noteId(id);
  }

  #noteId(id: BlockId): void {
    this.#ids.add(id);
    forgetFirst(this.#ids, MOST_IDS);
  }
}

function slotKey(witness: AccountName, aslot: number): string {
  return `${witness} ${aslot}`;
}

function forgetFirst<K>(
  kept: { readonly size: number; keys(): IterableIterator<K>; delete(key: K): boolean },
  most: number,
): void {
  if (kept.size <= most) return;
  for (const first of kept.keys()) {
    kept.delete(first);
    return;
  }
}
