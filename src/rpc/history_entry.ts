import { present } from '../base/assert.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import { signedBlockHeader } from '../blocks/header.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { pair, vector } from '../codec/collections.ts';
import { u16, u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { operationCodec } from '../operations/index.ts';
import type { OperationPointer } from '../state/tables/account_history.ts';
import { blocks } from '../state/tables/block.ts';
import { blockReceipts, type BlockReceipt, type VirtualOperationRecord } from '../state/tables/block_receipt.ts';
import type { RowReader } from '../storage/rows.ts';
import { accountName } from '../values/account_name.ts';
import { hash160, ZERO_HASH160 } from '../values/hash.ts';
import { time } from '../values/time.ts';

/**
 * An operation and where it happened. `timestamp` is the head time at that moment: of operations in transactions the time of
 * the block before. Virtual operations have no transaction id and no fee payer.
 */
export const historyEntry = struct({
  trx_id: hash160,
  block: u32,
  trx_in_block: u32,
  op_in_trx: u16,
  virtual_op: u32,
  timestamp: time,
  op: operationCodec,
  fee_payer: accountName,
});

export type HistoryEntry = ValueOf<typeof historyEntry>;

/** Entries with their sequence numbers, ascending. */
export const numberedHistory = vector(pair(u32, historyEntry));
export type NumberedEntry = readonly [number, HistoryEntry];

/** Reads entries of one block; of its transactions only as many as are asked for. */
export class BlockOperations {
  readonly number: number;
  readonly #receipt: BlockReceipt | undefined;
  readonly #input: ByteReader | undefined;
  readonly #transactionCount: number;
  readonly #transactions: SignedTransaction[] = [];

  constructor(rows: RowReader, number: number) {
    this.number = number;
    this.#receipt = rows.get(blockReceipts, number);
    const block = rows.get(blocks, number);
    this.#input = block === undefined ? undefined : new ByteReader(block.packed);
    if (this.#input !== undefined) signedBlockHeader.read(this.#input);
    this.#transactionCount = this.#input?.varint() ?? 0;
  }

  /** All operations by their place; virtual ones behind the operation that caused them, those of the block at the end. */
  all(onlyVirtual: boolean): HistoryEntry[] {
    const virtual = (this.#receipt?.virtual_operations ?? []).map((record) => this.#virtualEntry(record));
    const entries = onlyVirtual ? virtual : [...this.#userEntries(), ...virtual];
    return entries.toSorted((a, b) => a.trx_in_block - b.trx_in_block || a.op_in_trx - b.op_in_trx || a.virtual_op - b.virtual_op);
  }

  /** The operation that a history points to. */
  at(pointer: OperationPointer): HistoryEntry {
    if (pointer.virtual_op === 0) return this.#userEntry(pointer.trx_in_block, pointer.op_in_trx);
    const record = this.#receipt?.virtual_operations.find((virtual) => isAt(virtual, pointer));
    return this.#virtualEntry(present(record, `virtual operation ${pointer.virtual_op} of block ${this.number}`));
  }

  #userEntries(): HistoryEntry[] {
    const entries: HistoryEntry[] = [];
    for (let index = 0; index < this.#transactionCount; index++) {
      const { operations } = this.#transaction(index);
      for (let operation = 0; operation < operations.length; operation++) entries.push(this.#userEntry(index, operation));
    }
    return entries;
  }

  #userEntry(trx_in_block: number, op_in_trx: number): HistoryEntry {
    const transaction = this.#transaction(trx_in_block);
    const op = present(transaction.operations[op_in_trx], `operation ${op_in_trx} of transaction ${trx_in_block} in block ${this.number}`);
    const receipt = present(this.#receipt, `receipt of block ${this.number}`);
    const sponsored = receipt.sponsored.find((entry) => entry.trx_in_block === trx_in_block && entry.op_in_trx === op_in_trx);
    const fee_payer = sponsored?.fee_payer ?? op.feeAccount();
    return {
      trx_id: transactionId(transaction),
      block: this.number,
      trx_in_block,
      op_in_trx,
      virtual_op: 0,
      timestamp: receipt.time_before,
      op,
      fee_payer,
    };
  }

  #virtualEntry({ trx_in_block, op_in_trx, virtual_op, timestamp, packed }: VirtualOperationRecord): HistoryEntry {
    const op = operationCodec.read(new ByteReader(packed));
    return { trx_id: ZERO_HASH160, block: this.number, trx_in_block, op_in_trx, virtual_op, timestamp, op, fee_payer: '' };
  }

  #transaction(index: number): SignedTransaction {
    const input = present(this.#input, `block ${this.number}`);
    while (this.#transactions.length <= index && this.#transactions.length < this.#transactionCount)
      this.#transactions.push(signedTransaction.read(input));
    return present(this.#transactions[index], `transaction ${index} of block ${this.number}`);
  }
}

function isAt(record: VirtualOperationRecord, { trx_in_block, op_in_trx, virtual_op }: OperationPointer): boolean {
  return record.virtual_op === virtual_op && record.op_in_trx === op_in_trx && record.trx_in_block === trx_in_block;
}
