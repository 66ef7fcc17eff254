import { Fault } from '../base/fault.ts';
import type { PackedBlock } from '../blocks/block.ts';
import type { Certificate } from '../blocks/finality/certificate.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import type { BlockId } from '../values/hash.ts';

/** A source of exported blocks. */
export interface BlockSource {
  /** Its name in messages. */
  readonly name: string;
  /** The last block that nothing can replace any more. */
  readonly final: number;
  /** The blocks of these numbers, in order. */
  blocks(first: number, last: number): AsyncIterable<PackedBlock> | Iterable<PackedBlock>;
  /**
   * The certificates by which blocks of these numbers are final; none where the source has none, or is not asked for
   * them.
   */
  certificates?(first: number, last: number): readonly Certificate[];
}

/**
 * The blocks of a source, each checked: a damaged export would be noticed only when it is needed. Fault `damaged_data`.
 */
export async function* checkedBlocks(source: BlockSource, first: number, last: number): AsyncGenerator<PackedBlock> {
  let previous: BlockId | undefined;
  for await (const block of source.blocks(first, last)) {
    const { number, header, transactions } = block;
    const damaged = (what: string): Fault => new Fault('damaged_data', `${source.name}: block ${number} ${what}`);
    if (previous !== undefined && header.previous !== previous) throw damaged('does not follow the one before it');
    if (header.transaction_merkle_root !== merkleRoot(transactions.map(({ leaf }) => leaf)))
      throw damaged('has a wrong merkle root');
    previous = block.id;
    yield block;
  }
}
