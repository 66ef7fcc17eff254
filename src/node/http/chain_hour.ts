import type { Page } from '../../jsonrpc/http/http_server.ts';
import { blockRow, oldestBlock } from '../../state/stored_blocks.ts';
import type { BlockRow } from '../../state/tables/block.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { RowReader } from '../../storage/rows.ts';
import { jsonPage } from '../../jsonrpc/http/json_page.ts';

const BUCKETS = 60;
const BUCKET_SECONDS = 60;
/** An hour of blocks at three seconds each. A chain with a shorter interval is shown for a shorter time. */
const MOST_BLOCKS = 1200;
/** Blocks that one visit reads. The first visits after a start show a part of the hour. */
const MOST_READ = 200;

type SummedBlock = Pick<BlockRow, 'number' | 'id' | 'packed_size' | 'transaction_count'> & {
  readonly time: number;
  readonly timeBefore: number;
};

/**
 * Sums up the blocks of the last hour by minutes of the chain's own time, for the explorer's first page. It keeps what
 * it has read: a visit reads the blocks since the visit before, and some older ones until the hour is whole.
 */
export class ChainHour {
  readonly #rows: RowReader;
  /** Descending, from the head. */
  #blocks: readonly SummedBlock[] = [];
  #body = '';
  #head = '';

  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  page(): Page {
    this.#update();
    return jsonPage(this.#body);
  }

  #update(): void {
    const { head_block_number: head, head_block_id: id, time } = this.#rows.only(dynamicGlobalProperties);
    const start = time - BUCKETS * BUCKET_SECONDS;
    const first = Math.max(1, oldestBlock(this.#rows), head - MOST_BLOCKS + 1);
    const isWhole = this.#blocks.some(({ number, timeBefore }) => number === first || timeBefore <= start);
    if (id === this.#head && isWhole) return;
    this.#blocks = this.#read({ head, time, start, first });
    this.#body = pageBody(this.#blocks, start);
    this.#head = id;
  }

  #read({ head, time, start, first }: Record<'head' | 'time' | 'start' | 'first', number>): SummedBlock[] {
    const known = new Map(this.#blocks.map((block) => [block.number, block]));
    const found: SummedBlock[] = [];
    for (let [number, at, reads] = [head, time, 0]; number >= first && at > start && reads < MOST_READ; number--) {
      const kept = known.get(number);
      // Ids of later blocks name this one, so the first that agrees proves those below it.
      const agrees = kept !== undefined && (found.at(-1) === known.get(number + 1) || this.#has(kept));
      const block = agrees ? kept : this.#summed(number, at);
      if (!agrees) reads++;
      if (block === undefined) break;
      found.push(block);
      at = block.timeBefore;
    }
    return found;
  }

  #has({ number, id }: SummedBlock): boolean {
    return blockRow(this.#rows, number)?.id === id;
  }

  #summed(number: number, time: number): SummedBlock | undefined {
    const row = blockRow(this.#rows, number);
    if (row === undefined) return undefined;
    const { id, packed_size, transaction_count, time_before: timeBefore } = row;
    return { number, id, packed_size, transaction_count, time, timeBefore };
  }
}

/** Figures of each minute, the oldest first. */
function pageBody(blocks: readonly SummedBlock[], start: number): string {
  const minutes = Array.from({ length: BUCKETS }, () => ({ transactions: 0, bytes: 0, blocks: 0 }));
  for (const { time, transaction_count, packed_size } of blocks) {
    const minute = minutes[Math.ceil((time - start) / BUCKET_SECONDS) - 1];
    if (minute === undefined) continue;
    minute.transactions += transaction_count;
    minute.bytes += packed_size;
    minute.blocks++;
  }
  return JSON.stringify({
    bucket_seconds: BUCKET_SECONDS,
    transactions: minutes.map(({ transactions }) => transactions),
    bytes: minutes.map(({ bytes }) => bytes),
    blocks: minutes.map((minute) => minute.blocks),
  });
}
