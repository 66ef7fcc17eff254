import { present } from '../base/assert.ts';
import { readTrustedOperations } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { pair } from '../codec/collections.ts';
import { u16, u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { operationCodec } from '../operations/index.ts';
import { findPart, partTransaction } from '../state/stored_blocks.ts';
import type { OperationPointer } from '../state/tables/account_history.ts';
import { blocks, type BlockRow } from '../state/tables/block.ts';
import { OUTSIDE_TRANSACTIONS, type BlockPart, type VirtualOperationRecord } from '../state/tables/block_part.ts';
import { operationCharges, type OperationCharge } from '../state/tables/operation_charge.ts';
import type { RowReader } from '../storage/rows.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import type { AssetSymbol } from '../values/asset.ts';
import { hash160, ZERO_HASH160 } from '../values/hash.ts';
import { requireKept } from './pruned.ts';
import { time } from '../values/time.ts';

/**
 * An operation and where it happened. `timestamp` is the head time at that moment: for operations in transactions, the
 * time of the previous block. Virtual operations have no transaction id and no fee payer.
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

/** An entry with what the operation took, where that doesn't follow from what it says, and is known. */
export type ChargedEntry = HistoryEntry & { readonly charge?: Pick<OperationCharge, 'paid' | 'given'> };

/** Adds what operations took. */
export function charged(
  rows: RowReader,
  entries: readonly HistoryEntry[],
  coinSymbol: AssetSymbol,
): readonly ChargedEntry[] {
  return entries.some((entry) => isUntold(entry, coinSymbol))
    ? entries.map((entry) => withCharge(rows, entry, coinSymbol))
    : entries;
}

function isUntold({ op }: HistoryEntry, coinSymbol: AssetSymbol): boolean {
  return op.fee !== undefined && (op.fee.symbol !== coinSymbol || op.feeRule() === 'own');
}

function withCharge(rows: RowReader, entry: HistoryEntry, coinSymbol: AssetSymbol): ChargedEntry {
  const charge = isUntold(entry, coinSymbol) ? rows.get(operationCharges, entry) : undefined;
  return charge === undefined ? entry : { ...entry, charge };
}

/** The accounts whose history an operation has entered: those that it names as impacted, and who paid for it. */
export function concernedAccounts({ op, fee_payer }: Pick<HistoryEntry, 'op' | 'fee_payer'>): ReadonlySet<AccountName> {
  const concerned = new Set(op.impacted());
  if (fee_payer !== '') concerned.add(fee_payer);
  return concerned;
}

/** An entry with its sequence number. */
export const numberedEntry = pair(u32, historyEntry);
export type NumberedEntry = readonly [number, HistoryEntry];

/** Reads entries of one block, loading only the parts that are needed; refused when the block is no longer kept. */
export class BlockOperations {
  readonly number: number;
  readonly #rows: RowReader;
  readonly #block: BlockRow | undefined;
  readonly #transactions = new Map<number, ReadTransaction>();
  #part: BlockPart | undefined;
  #outside: readonly VirtualOperationRecord[] | undefined;

  constructor(rows: RowReader, number: number) {
    this.number = number;
    this.#rows = rows;
    // Row 0 is not a block, but it has virtual operations.
    this.#block = rows.get(blocks, number);
    if (this.#block === undefined) requireKept(rows, number);
  }

  /** The row of the block; undefined where there is none of that number. */
  get row(): BlockRow | undefined {
    return this.#block;
  }

  /** The number of the first transaction of each part. */
  get parts(): readonly number[] {
    return this.#block === undefined ? [] : [0, ...this.#block.further_parts];
  }

  /** All operations in order; virtual ones follow the operation that caused them, those of the block come last. */
  all(onlyVirtual: boolean): HistoryEntry[] {
    return [...this.parts.flatMap((first) => this.ofPart(first, onlyVirtual)), ...this.outside()];
  }

  /** The operations of the transactions of one part, in order, with the virtual ones. */
  ofPart(first: number, onlyVirtual: boolean): HistoryEntry[] {
    // A block without transactions has a first part all the same.
    const { ends, virtual_operations } = first === 0 ? this.#row : this.#partWith(first);
    const entries = virtual_operations
      .filter(({ trx_in_block }) => trx_in_block !== OUTSIDE_TRANSACTIONS)
      .map(virtualEntryReader(this.number));
    const isInOrder = entries.length === 0;
    for (let index = first; index < (onlyVirtual ? first : first + ends.length); index++) {
      // Nobody asks for it again: what is kept until the block has been read costs most of the garbage collection.
      const read = this.#transactions.get(index) ?? this.#read(index);
      for (let operation = 0; operation < read.operations.length; operation++)
        entries.push(this.#userEntry(read, index, operation));
    }
    return isInOrder
      ? entries
      : entries.toSorted(
          (a, b) => a.trx_in_block - b.trx_in_block || a.op_in_trx - b.op_in_trx || a.virtual_op - b.virtual_op,
        );
  }

  /** The packed size of the transactions of one part. */
  bytesOfPart(first: number): number {
    return first === 0 ? this.#row.packed.length : this.#partWith(first).packed.length;
  }

  /** Yields the chain's own operations outside transactions, in order; all of them unless a range is named. */
  outside(start?: number, end?: number): HistoryEntry[] {
    this.#outside ??= (this.#block?.virtual_operations ?? [])
      .filter(({ trx_in_block }) => trx_in_block === OUTSIDE_TRANSACTIONS)
      .toSorted((a, b) => a.op_in_trx - b.op_in_trx || a.virtual_op - b.virtual_op);
    return this.#outside.slice(start, end).map(virtualEntryReader(this.number));
  }

  /** The operation that a history pointer refers to. */
  at(pointer: OperationPointer): HistoryEntry {
    const { trx_in_block, op_in_trx, virtual_op } = pointer;
    if (virtual_op === 0) return this.#userEntry(this.#transaction(trx_in_block), trx_in_block, op_in_trx);
    const { virtual_operations } = trx_in_block === OUTSIDE_TRANSACTIONS ? this.#row : this.#partWith(trx_in_block);
    const record = virtual_operations.find((virtual) => hasPlace(virtual, pointer));
    return virtualEntryReader(this.number)(present(record, `virtual operation ${virtual_op} of block ${this.number}`));
  }

  get #row(): BlockRow {
    return present(this.#block, `block ${this.number}`);
  }

  #userEntry({ id: trx_id, operations }: ReadTransaction, trx_in_block: number, op_in_trx: number): HistoryEntry {
    const op = present(
      operations[op_in_trx],
      `operation ${op_in_trx} of transaction ${trx_in_block} in block ${this.number}`,
    );
    const { sponsored } = this.#partWith(trx_in_block);
    // Most parts have none, and whoever reads a whole block comes here for each operation: no object is made twice.
    const sponsor =
      sponsored.length === 0
        ? undefined
        : sponsored.find((entry) => entry.trx_in_block === trx_in_block && entry.op_in_trx === op_in_trx);
    const fee_payer = sponsor?.fee_payer ?? op.feeAccount();
    return {
      trx_id,
      block: this.number,
      trx_in_block,
      op_in_trx,
      virtual_op: 0,
      timestamp: this.#row.time_before,
      op,
      fee_payer,
    };
  }

  #transaction(index: number): ReadTransaction {
    const known = this.#transactions.get(index);
    if (known !== undefined) return known;
    const read = this.#read(index);
    this.#transactions.set(index, read);
    return read;
  }

  #read(index: number): ReadTransaction {
    return readTrustedOperations(partTransaction(this.#partWith(index), index));
  }

  /** Entries come in order, so the part is mostly the previous one. */
  #partWith(index: number): BlockPart {
    const known = this.#part;
    if (known !== undefined && index >= known.first && index < known.first + known.ends.length) return known;
    const part = present(findPart(this.#rows, this.#row, index), `transaction ${index} of block ${this.number}`);
    this.#part = part;
    return part;
  }
}

type ReadTransaction = ReturnType<typeof readTrustedOperations>;

function virtualEntryReader(block: number): (record: VirtualOperationRecord) => HistoryEntry {
  return ({ trx_in_block, op_in_trx, virtual_op, timestamp, packed }) => {
    const op = operationCodec.read(new ByteReader(packed));
    return { trx_id: ZERO_HASH160, block, trx_in_block, op_in_trx, virtual_op, timestamp, op, fee_payer: '' };
  };
}

function hasPlace(record: VirtualOperationRecord, { trx_in_block, op_in_trx, virtual_op }: OperationPointer): boolean {
  return record.virtual_op === virtual_op && record.op_in_trx === op_in_trx && record.trx_in_block === trx_in_block;
}
