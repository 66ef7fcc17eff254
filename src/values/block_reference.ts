import type { BlockId } from './hash.ts';

/** A transaction's reference to a block: the low 16 bits of its number, and bytes 4–7 of its id, little-endian. */
export function blockReference(id: BlockId): { ref_block_num: number; ref_block_prefix: number } {
  const bytes = [14, 12, 10, 8].map((at) => id.slice(at, at + 2));
  return { ref_block_num: Number.parseInt(id.slice(4, 8), 16), ref_block_prefix: Number.parseInt(bytes.join(''), 16) };
}
