import { readHeader } from '../blocks/block.ts';
import { BlockOperations, charged, type ChargedEntry } from '../queries/history_entry.ts';
import { lastIrreversible } from '../state/last_irreversible.ts';
import { blockRow, oldestBlock } from '../state/stored_blocks.ts';
import { blocks, type BlockRow } from '../state/tables/block.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { View } from '../storage/view.ts';
import type { AssetSymbol } from '../values/asset.ts';
import { ZERO_HASH160, type BlockId } from '../values/hash.ts';
import { timeText, type Seconds } from '../values/time.ts';
import type { BlockHead } from './event_schema.ts';

/** The committed rows, each of whose states has a version. */
export type SinkRows = Pick<View, 'get' | 'only' | 'getPlaces' | 'version' | 'consistentRead'>;

/** The end of the chain. */
export interface ChainEnd {
  readonly number: number;
  readonly time: Seconds;
  readonly irreversible: number;
  /** The first block that is kept. */
  readonly oldest: number;
}

/** A block that is not pending any more was replaced by another one while it was read. */
export class BlockReplaced extends Error {
  override readonly name = 'BlockReplaced';
}

/** Operations outside transactions that are read at once. */
const PAGE = 256;

/** The main branch as sinks read it. Nothing waits for them, so a block may be gone at any moment. */
export class SinkChain {
  readonly #rows: SinkRows;
  readonly #intervalSeconds: number;
  readonly #coinSymbol: AssetSymbol;

  constructor(rows: SinkRows, intervalSeconds: number, coinSymbol: AssetSymbol) {
    this.#rows = rows;
    this.#coinSymbol = coinSymbol;
    this.#intervalSeconds = intervalSeconds;
  }

  get end(): ChainEnd {
    return this.#rows.consistentRead(() => {
      const { head_block_number: number, time } = this.#rows.only(dynamicGlobalProperties);
      return { number, time, irreversible: lastIrreversible(this.#rows), oldest: oldestBlock(this.#rows) };
    });
  }

  /** The id of a block of the main branch; undefined above the head, and where not even the block behind it is kept. */
  blockId(number: number): BlockId | undefined {
    if (number === 0) return ZERO_HASH160;
    return this.#rows.consistentRead(() => {
      const row = blockRow(this.#rows, number);
      if (row !== undefined) return row.id;
      const next = blockRow(this.#rows, number + 1);
      return next && readHeader(next.head).previous;
    });
  }

  blockTime(number: number): Seconds | undefined {
    const row = blockRow(this.#rows, number);
    return row && readHeader(row.head).timestamp;
  }

  /** Returns the facts that all messages of a block repeat; undefined when there is no such block. */
  head(number: number): BlockHead | undefined {
    const row = blockRow(this.#rows, number);
    return row && this.#makeHead(row);
  }

  /** The operations of a block, read a part at a time. Throws BlockReplaced once the main branch has another one. */
  *operations({ number, id }: Pick<BlockHead, 'number' | 'id'>): Generator<readonly ChargedEntry[]> {
    const operations = this.#while(number, id, () => new BlockOperations(this.#rows, number));
    for (const first of operations.parts)
      yield this.#while(number, id, () => charged(this.#rows, operations.ofPart(first, false), this.#coinSymbol));
    for (let start = 0; ; start += PAGE) {
      const page = operations.outside(start, start + PAGE);
      if (page.length === 0) return;
      yield page;
    }
  }

  #makeHead({ number, id, head, time_before, transaction_count }: BlockRow): BlockHead {
    const { previous, timestamp, witness } = readHeader(head);
    // Before the first block there are no slots to miss.
    const missed_slots =
      number === 1 ? 0 : Math.max(0, Math.round((timestamp - time_before) / this.#intervalSeconds) - 1);
    return { number, id, previous, timestamp: timeText(timestamp), witness, missed_slots, transaction_count };
  }

  #while<T>(number: number, id: BlockId, read: () => T): T {
    return this.#rows.consistentRead(() => {
      if (this.#rows.get(blocks, number)?.id !== id) throw new BlockReplaced(`block ${number} was replaced`);
      return read();
    });
  }
}
