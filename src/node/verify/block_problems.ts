import type { PackedBlock } from '../../blocks/block.ts';
import { merkleRoot } from '../../blocks/merkle.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { accountHistories } from '../../state/tables/account_history.ts';
import { blocks } from '../../state/tables/block.ts';
import { blockParts } from '../../state/tables/block_part.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import { countEntries } from '../../storage/entries.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { View } from '../../storage/view.ts';
import { ZERO_HASH160 } from '../../values/hash.ts';
import { readStoredBlock, type StoredBlock } from './stored_block.ts';
import { ExpectedRows, type ExpectedRow } from './expected_rows.ts';

/** A damaged folder can have millions of problems, and more than this aren't useful. */
export const MOST_PROBLEMS = 20;
const CACHED_ROWS = 1000;

/** The tables that only blocks write. */
const written = [blocks, blockParts, transactionLocations, accountHistories];

/** Checks the blocks of a store: their ids, links and merkle roots, and every row written with them outside the state. */
export class BlockProblems {
  readonly #reader: KeyValueReader;
  readonly #view: View;
  readonly #told: ExpectedRows;
  readonly #counts = new Map<string, number>();
  #previous: Pick<PackedBlock, 'id'> & { readonly header: Pick<PackedBlock['header'], 'timestamp'> };

  constructor(reader: KeyValueReader, { genesis, rules }: ChainParameters) {
    this.#reader = reader;
    this.#view = new View(reader, CACHED_ROWS);
    this.#told = new ExpectedRows(this.#view, rules.first_history_sequence);
    this.#previous = { id: ZERO_HASH160, header: { timestamp: genesis.genesis_time } };
  }

  /** Descriptions of problems in the first `count` blocks; `visit` is called with each block that can be read. */
  find(count: number, visit: (block: PackedBlock) => void): string[] {
    const problems: string[] = [];
    for (let number = 1; number <= count && problems.length < MOST_PROBLEMS; number++) {
      const stored = readStoredBlock(this.#view, number);
      // Links, sizes and sequence numbers of later blocks depend on this one.
      if (typeof stored === 'string') return [...problems, stored];
      problems.push(...this.#problemsOf(stored));
      visit(stored.block);
      this.#previous = stored.block;
    }
    if (count > 0) this.#count(blocks.name); // row 0, which isn't a block
    return problems.length > 0 ? problems : this.#excess();
  }

  #problemsOf({ id, block, receipt }: StoredBlock): string[] {
    const { number, header, transactions } = block;
    const problems: string[] = [];
    if (block.id !== id) problems.push(`block ${number} has id ${block.id}, its row says ${id}`);
    if (header.previous !== this.#previous.id) problems.push(`block ${number} does not follow block ${number - 1}`);
    if (header.transaction_merkle_root !== merkleRoot(transactions.map(({ leaf }) => leaf)))
      problems.push(`block ${number} has a wrong merkle root`);
    const expected = this.#told.rowsOf(block, { ...receipt, timeBefore: this.#previous.header.timestamp });
    return problems.concat(expected.flatMap((row) => this.#problemWith(number, row)));
  }

  #problemWith(block: number, { table, column, key, value }: ExpectedRow): string[] {
    this.#count(table);
    const found = this.#reader.get(column, key);
    if (found !== undefined && Buffer.compare(found, value) === 0) return [];
    const name = `row ${Buffer.from(key).toString('hex')} of table ${table}`;
    return [found === undefined ? `block ${block}: ${name} is missing` : `block ${block}: ${name} does not say what the block says`];
  }

  #count(table: string): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
  }

  /** All rows that the blocks require were found, so a table with more rows has some that no block wrote. */
  #excess(): string[] {
    return written.flatMap((table) => {
      const expected = this.#counts.get(table.name) ?? 0;
      const found = countEntries(this.#reader, table);
      return found === expected ? [] : [`table ${table.name} has ${found} rows, the blocks ask for ${expected}`];
    });
  }
}
