import type { PackedBlock } from '../../blocks/block.ts';
import { merkleRoot } from '../../blocks/merkle.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { getBlockId, RECENT_BLOCKS } from '../../state/block_ids.ts';
import { oldestBlock } from '../../state/stored_blocks.ts';
import { accountHistories } from '../../state/tables/account_history.ts';
import { blocks } from '../../state/tables/block.ts';
import { blockParts } from '../../state/tables/block_part.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import { countEntries, walkEntries } from '../../storage/entries.ts';
import type { Column, KeyValueReader } from '../../storage/key_value.ts';
import { decodeRow, encodeRow } from '../../storage/row_bytes.ts';
import { View } from '../../storage/view.ts';
import { ZERO_HASH160, type BlockId } from '../../values/hash.ts';
import type { Seconds } from '../../values/time.ts';
import { readStoredBlock, type StoredBlock } from './stored_block.ts';
import { ExpectedRows, type ExpectedRow } from './expected_rows.ts';

/** A damaged folder can have millions of problems, and more than this aren't useful. */
export const MOST_PROBLEMS = 20;
const CACHED_ROWS = 1000;

/** The tables that only blocks write. */
const written = [blocks, blockParts, transactionLocations, accountHistories];

/** The block of a row in those of them whose rows may outlive their blocks. */
const removedLater: ReadonlyMap<string, (value: Uint8Array) => number> = new Map([
  [transactionLocations.name, (value) => decodeRow(transactionLocations, value).block],
  [accountHistories.name, (value) => decodeRow(accountHistories, value).block],
]);

/** The known facts of the previous block; none when it was pruned long ago. */
interface Previous {
  readonly id: BlockId | undefined;
  readonly timestamp: Seconds | undefined;
}

/**
 * Checks the blocks of a store: their ids, links and merkle roots, and every row written with them outside the state.
 */
export class BlockProblems {
  readonly #reader: KeyValueReader;
  readonly #view: View;
  readonly #told: ExpectedRows;
  readonly #counts = new Map<string, number>();
  /** The oldest block that is kept. */
  readonly #first: number;
  #previous: Previous;

  constructor(reader: KeyValueReader, { genesis, rules }: ChainParameters) {
    this.#reader = reader;
    this.#first = oldestBlock(new View(reader, 1));
    this.#view = new View(includePreviousRow(reader, this.#first), CACHED_ROWS);
    this.#told = new ExpectedRows(this.#view, rules.first_history_sequence, this.#first);
    this.#previous = { id: ZERO_HASH160, timestamp: genesis.genesis_time };
  }

  /** Descriptions of problems in the blocks up to `last`; `visit` is called with each block that can be read. */
  find(last: number, visit: (block: PackedBlock) => void): string[] {
    const problems: string[] = [];
    if (this.#first > 1) this.#previous = { id: this.#previousId(last), timestamp: undefined };
    for (let number = this.#first; number <= last && problems.length < MOST_PROBLEMS; number++) {
      const stored = readStoredBlock(this.#view, number);
      // Links, sizes and sequence numbers of later blocks depend on this one.
      if (typeof stored === 'string') return [...problems, stored];
      problems.push(...this.#problemsOf(stored));
      visit(stored.block);
      this.#previous = { id: stored.block.id, timestamp: stored.block.header.timestamp };
    }
    if (last > 0) this.#count(blocks.name); // row 0, which isn't a block
    return problems.length > 0 ? problems : this.#excess();
  }

  /** The id of the block before the oldest one, which the state knows for a while. */
  #previousId(last: number): BlockId | undefined {
    return last - this.#first + 1 < RECENT_BLOCKS ? getBlockId(this.#view, this.#first - 1) : undefined;
  }

  #problemsOf({ id, block, receipt }: StoredBlock): string[] {
    const { number, header, transactions } = block;
    const problems: string[] = [];
    if (block.id !== id) problems.push(`block ${number} has id ${block.id}, its row says ${id}`);
    if (this.#previous.id !== undefined && header.previous !== this.#previous.id)
      problems.push(`block ${number} does not follow block ${number - 1}`);
    if (header.transaction_merkle_root !== merkleRoot(transactions.map(({ leaf }) => leaf)))
      problems.push(`block ${number} has a wrong merkle root`);
    const expected = this.#told.expectedRows(block, {
      ...receipt,
      timeBefore: this.#previous.timestamp ?? receipt.timeBefore,
    });
    return problems.concat(expected.flatMap((row) => this.#rowProblem(number, row)));
  }

  #rowProblem(block: number, { table, column, key, value }: ExpectedRow): string[] {
    this.#count(table);
    const found = this.#reader.get(column, key);
    if (found !== undefined && Buffer.compare(found, value) === 0) return [];
    const name = `row ${Buffer.from(key).toString('hex')} of table ${table}`;
    return [
      found === undefined
        ? `block ${block}: ${name} is missing`
        : `block ${block}: ${name} does not say what the block says`,
    ];
  }

  #count(table: string): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
  }

  /** All rows that the blocks require were found, so a table with more rows has some that no block wrote. */
  #excess(): string[] {
    return written.flatMap((table) => {
      const expected = this.#counts.get(table.name) ?? 0;
      const found = this.#countKept(table);
      return found === expected ? [] : [`table ${table.name} has ${found} rows, the blocks ask for ${expected}`];
    });
  }

  /**
   * The rows of a table; where blocks were pruned without those that still lead to them, which are removed by and by.
   */
  #countKept(table: (typeof written)[number]): number {
    const blockIn = this.#first === 1 ? undefined : removedLater.get(table.name);
    if (blockIn === undefined) return countEntries(this.#reader, table);
    let count = 0;
    for (const { value } of walkEntries(this.#reader, table)) count += blockIn(value) >= this.#first ? 1 : 0;
    return count;
  }
}

/**
 * The reader of a pruned store with a row for the block before the oldest one: what counts of it is the sum of bytes.
 */
function includePreviousRow(reader: KeyValueReader, first: number): KeyValueReader {
  const row = first === 1 ? undefined : new View(reader, 1).get(blocks, first);
  if (row === undefined) return reader;
  const made = encodeRow(blocks, first - 1, { ...row, number: first - 1, packed_size: 0 });
  const isMade = (column: Column, key: Uint8Array): boolean =>
    column === blocks.column && Buffer.compare(key, made.key) === 0;
  return {
    get: (column, key) => (isMade(column, key) ? made.value : reader.get(column, key)),
    getMany: (column, keys) => reader.getMany(column, keys),
    range: (column, range) => reader.range(column, range),
    version: () => reader.version(),
  };
}
