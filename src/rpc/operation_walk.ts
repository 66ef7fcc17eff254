import { BlockOperations, type HistoryEntry } from '../queries/history_entry.ts';
import { OUTSIDE_TRANSACTIONS } from '../state/tables/block_part.ts';
import { blockReader } from './block_chunks.ts';
import type { Call } from './services.ts';

/** The place of an operation in its block. */
export interface OperationPlace {
  readonly trx_in_block: number;
  readonly op_in_trx: number;
  readonly virtual_op: number;
}

/** The place before all operations of a block. */
export const FIRST_PLACE: OperationPlace = { trx_in_block: 0, op_in_trx: 0, virtual_op: 0 };

/** Operations outside of transactions that are read at once: some tens of kilobytes. */
const AT_ONCE = 256;

/** About the packed size of a virtual operation. */
const VIRTUAL_BYTES = 64;

/** Operations, and about how many packed bytes they have. */
export interface TakenOperations {
  readonly entries: readonly HistoryEntry[];
  readonly bytes: number;
}

/** The operations of a block that are read. */
export interface OperationSelection {
  readonly onlyVirtual: boolean;
  /** The place at which the walk begins. */
  readonly from: OperationPlace;
  readonly isWanted?: ((entry: HistoryEntry) => boolean) | undefined;
}

/**
 * Reads the operations of a block in their order, a part of the block at a time; none where there is no block. Refused
 * when it is no longer kept.
 */
export class OperationWalk {
  readonly #selection: OperationSelection;
  readonly #operations: BlockOperations;
  readonly #read: <T>(read: () => T) => T;
  /** The first transactions of the parts that are not read yet. */
  readonly #parts: number[];
  #outside = 0;
  #isOutsideRead: boolean;
  /** Entries that are read and not taken. */
  #entries: HistoryEntry[] = [];
  /** The mean packed size of these entries. */
  #entryBytes = 0;

  constructor({ rows }: Pick<Call, 'rows'>, number: number, selection: OperationSelection) {
    const operations = new BlockOperations(rows, number);
    const { row, parts } = operations;
    const { trx_in_block: transaction } = selection.from;
    this.#selection = selection;
    this.#operations = operations;
    this.#read = row === undefined ? (read) => read() : blockReader(rows, row);
    this.#parts =
      transaction === OUTSIDE_TRANSACTIONS ? [] : parts.slice(parts.findLastIndex((first) => first <= transaction));
    this.#isOutsideRead = row === undefined;
  }

  /** The next few operations, at most `most` in some `room` packed bytes, but one at least; undefined at the end. */
  take(most: number, room: number): TakenOperations | undefined {
    if (this.#entries.length === 0) {
      if (this.#parts.length === 0 && this.#isOutsideRead) return undefined;
      this.#entries = this.#nextEntries();
    }
    const entries = this.#entries.splice(0, Math.min(most, Math.max(1, Math.floor(room / this.#entryBytes))));
    return { entries, bytes: entries.length * this.#entryBytes };
  }

  /** The place at which a later walk goes on; undefined when all operations were taken. */
  get next(): OperationPlace | undefined {
    const [entry] = this.#entries;
    if (entry !== undefined) return entry;
    const [first] = this.#parts;
    if (first !== undefined) return { ...FIRST_PLACE, trx_in_block: first };
    while (!this.#isOutsideRead && this.#entries.length === 0) this.#entries = this.#nextEntries();
    return this.#entries[0];
  }

  #nextEntries(): HistoryEntry[] {
    const first = this.#parts.shift();
    const entries = first === undefined ? this.#nextOutside() : this.#entriesOfPart(first);
    return entries.filter((entry) => this.#isSelected(entry));
  }

  #entriesOfPart(first: number): HistoryEntry[] {
    const { onlyVirtual } = this.#selection;
    return this.#read(() => {
      const entries = this.#operations.ofPart(first, onlyVirtual);
      this.#entryBytes = onlyVirtual
        ? VIRTUAL_BYTES
        : this.#operations.bytesOfPart(first) / Math.max(1, entries.length);
      return entries;
    });
  }

  #nextOutside(): HistoryEntry[] {
    const entries = this.#operations.outside(this.#outside, this.#outside + AT_ONCE);
    this.#outside += AT_ONCE;
    this.#isOutsideRead = entries.length < AT_ONCE;
    this.#entryBytes = VIRTUAL_BYTES;
    return entries;
  }

  #isSelected(entry: HistoryEntry): boolean {
    const { from, isWanted } = this.#selection;
    return isSameOrLater(entry, from) && (isWanted === undefined || isWanted(entry));
  }
}

function isSameOrLater(a: OperationPlace, b: OperationPlace): boolean {
  return (a.trx_in_block - b.trx_in_block || a.op_in_trx - b.op_in_trx || a.virtual_op - b.virtual_op) >= 0;
}
