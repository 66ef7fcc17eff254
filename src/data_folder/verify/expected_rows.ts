import type { PackedBlock } from '../../blocks/block.ts';
import { Journal } from '../../chain/apply/journal.ts';
import { recordBlock } from '../../chain/apply/record_block.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { operationCodec } from '../../operations/index.ts';
import type { BlockReceipt } from '../../state/stored_blocks.ts';
import { accountHistories } from '../../state/tables/account_history.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import type { Column } from '../../storage/key_value.ts';
import { encodeRow } from '../../storage/row_bytes.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { Table } from '../../storage/table.ts';
import type { AccountName } from '../../values/account_name.ts';

const ROWS_PER_READ = 1000;

/** A row that the chain wrote with a block, as it must be on disk. */
export interface ExpectedRow {
  readonly table: string;
  readonly column: Column;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * The rows that the chain writes with each block outside the state, recomputed from the blocks with the chain's own
 * code: blocks and their parts, transaction locations, histories. Blocks must be passed in order, starting with the
 * first that is kept.
 */
export class ExpectedRows {
  readonly #rows: CommittedRows;
  readonly #firstSequence: number;
  readonly #oldest: number;
  readonly #nextSequence = new Map<AccountName, number>();
  readonly #journal = new Journal();

  /** `oldest` is the first block that is kept. */
  constructor(rows: CommittedRows, firstSequence: number, oldest: number) {
    this.#rows = rows;
    this.#oldest = oldest;
    this.#firstSequence = firstSequence;
  }

  expectedRows(block: PackedBlock, receipt: BlockReceipt): ExpectedRow[] {
    const expected: ExpectedRow[] = [];
    const append = <Key, Row>(table: Table<Key, Row>, row: Row): void => {
      expected.push({ table: table.name, column: table.column, ...encodeRow(table, table.keyOf(row), row) });
    };
    block.transactions.forEach(({ id }, index) => append(transactionLocations, { id, block: block.number, index }));
    this.#retell(block, receipt);
    const rows = { get: <Key, Row>(table: Table<Key, Row>, key: Key) => this.#rows.get(table, key), append };
    const sequences = { take: (account: AccountName, count: number) => this.#takeSequences(account, count) };
    recordBlock({ rows, journal: this.#journal, sequences }, block, receipt.timeBefore);
    return expected;
  }

  /** Repeats to the journal the events of applying the block, in the same order. */
  #retell({ transactions }: PackedBlock, { sponsored, virtualOperations }: BlockReceipt): void {
    const journal = this.#journal;
    const payers = new Map(
      sponsored.map(({ trx_in_block, op_in_trx, fee_payer }) => [`${trx_in_block}/${op_in_trx}`, fee_payer]),
    );
    let next = 0;
    const noteEvents = (isTheirs: (event: (typeof virtualOperations)[number]) => boolean): void => {
      for (
        let event = virtualOperations[next];
        event !== undefined && isTheirs(event);
        event = virtualOperations[++next]
      )
        journal.noteEvent(operationCodec.read(new ByteReader(event.packed)), event.timestamp);
    };
    journal.clear();
    transactions.forEach(({ transaction: { operations } }, index) => {
      journal.enterTransaction(index);
      operations.forEach((operation, at) => {
        const feeAccount = operation.feeAccount();
        journal.noteOperation(at, operation.impacted(), feeAccount, payers.get(`${index}/${at}`) ?? feeAccount);
        noteEvents(({ trx_in_block, op_in_trx }) => trx_in_block === index && op_in_trx === at);
      });
    });
    journal.leaveTransactions();
    noteEvents(() => true);
  }

  #takeSequences(account: AccountName, count: number): number {
    const next = this.#nextSequence.get(account) ?? this.#firstKept(account);
    this.#nextSequence.set(account, next + count);
    return next;
  }

  /** Returns the first number of an account; in a pruned store it is taken from the disk. */
  #firstKept(account: AccountName): number {
    if (this.#oldest === 1) return this.#firstSequence;
    for (let first_sequence = 0; ;) {
      const page = this.#rows.rows(accountHistories, {
        from: { account, first_sequence },
        to: { account },
        limit: ROWS_PER_READ,
      });
      const kept = page.find(({ block }) => block >= this.#oldest);
      if (kept !== undefined) return kept.first_sequence;
      const last = page[ROWS_PER_READ - 1];
      if (last === undefined) return this.#firstSequence;
      first_sequence = last.first_sequence + 1;
    }
  }
}
