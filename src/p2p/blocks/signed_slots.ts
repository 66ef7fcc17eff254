import type { SignedBlockHeader } from '../../blocks/header.ts';
import type { BlockId } from '../../values/hash.ts';

const MOST_TWINS = 2; // a proof of double production, and no flood
const SLOTS_REMEMBERED = 1024;

/**
 * Counts the blocks that the witness of a slot has signed for it. Blocks that others make up for the slot take no
 * place.
 */
export class SignedSlots {
  readonly #blocks = new Map<string, Set<BlockId>>();

  /**
   * Of a witness that signs many blocks for a slot two are kept; others come by ranges when somebody has built on them.
   */
  isTwin(id: BlockId, header: SignedBlockHeader): boolean {
    const known = this.#blocks.get(slotKey(header));
    return known !== undefined && known.size >= MOST_TWINS && !known.has(id);
  }

  note(id: BlockId, header: SignedBlockHeader): void {
    const slot = slotKey(header);
    const known = this.#blocks.get(slot) ?? new Set();
    if (known.size < MOST_TWINS) known.add(id);
    this.#blocks.set(slot, known);
    if (this.#blocks.size <= SLOTS_REMEMBERED) return;
    for (const oldest of this.#blocks.keys()) return void this.#blocks.delete(oldest);
  }
}

function slotKey({ timestamp, witness }: SignedBlockHeader): string {
  return `${timestamp} ${witness}`;
}
