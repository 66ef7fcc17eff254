import { present } from '../base/assert.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { writeIndexKey } from './index_key.ts';
import { columns, type Column, type PreparedChanges } from './key_value.ts';
import { type Sha256, StateHash } from './state_hash.ts';
import type { Index, Table } from './table.ts';
import { UndoRecord } from './undo_record.ts';

/** Keys and values that it is given are views; a prepared one copies them. */
type Destination = Pick<PreparedChanges, 'put' | 'delete'>;

// The low bits of a kind are the number of its column.
const COLUMN_BITS = 3;
const DELETED = 4;
const APPENDED = 8;
const HASHED = 16;

/**
 * The changes of a block as bytes, one behind the other, with what they add to the state hash and to the undo record. A
 * block has thousands of them: as objects they would outlive the young generation, and V8 would copy and mark them for
 * nothing (bench/tried.md).
 */
export class PackedChanges {
  /** The sum of what the block adds to the state hash. */
  readonly hash = new StateHash();
  /** False for a block that can't be undone: then no row before it is recorded. */
  recordsUndo = true;
  readonly #undo = new UndoRecord();
  /** Appended rows by themselves: a record is the same whether its block was prepared or not. */
  readonly #undoAppended = new UndoRecord();
  readonly #sha256: Sha256;
  readonly #out = new ByteWriter(4096);
  /** The kind of each change, and the ends of its key and its value. */
  readonly #kinds: number[] = [];
  readonly #keyEnds: number[] = [];
  readonly #ends: number[] = [];
  #count = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get count(): number {
    return this.#count;
  }

  /** The bytes of the larger piece of memory that it keeps for another block: changes, or the undo record. */
  get capacity(): number {
    return Math.max(this.#out.capacity, this.#undo.capacity, this.#undoAppended.capacity);
  }

  /** Forgets all, for another block. */
  clear(): void {
    this.keepFirst(0);
    this.hash.clear();
    this.#undo.clear();
    this.#undoAppended.clear();
    this.recordsUndo = true;
  }

  /** Forgets the changes behind the first `count`. */
  keepFirst(count: number): void {
    this.#count = count;
    this.#out.cutBack(this.#endOf(count - 1));
  }

  /** Records a row of the block's undo record, as it was before the block. */
  recordBefore(key: Uint8Array, value: Uint8Array | undefined): void {
    if (this.recordsUndo) this.#undo.add(key, value);
  }

  /** The block's undo record; an empty one if none was to be recorded. */
  undoRecord(): Uint8Array {
    return this.#undo.finish(this.#undoAppended);
  }

  /** A row of a table that the chain only appends to, and its index entries. Hash and undo record get it when it is moved. */
  append<Key, Row>(table: Table<Key, Row>, row: Row): void {
    const key = table.keyOf(row);
    this.#writeRow(APPENDED | (table.hashed ? HASHED : 0), table, key, row);
    for (const index of table.indexes) {
      const tuple = index.of(row);
      if (tuple !== undefined) this.putIndexEntry(index, tuple, key);
    }
  }

  putRow<Key, Row>(table: Table<Key, Row>, key: Key, row: Row): void {
    this.#writeRow(0, table, key, row);
  }

  deleteRow<Key, Row>(table: Table<Key, Row>, key: Key): void {
    table.writeKey(this.#out, key);
    this.#end(DELETED, table.column, this.#out.length);
  }

  /** The value of an index entry is the parts of the row's key. */
  putIndexEntry<Row>(index: Index<readonly unknown[], Row>, tuple: readonly unknown[], key: unknown): void {
    writeIndexKey(this.#out, index, tuple, index.table, key);
    const keyEnd = this.#out.length;
    index.table.writeKeyParts(this.#out, key);
    this.#end(0, 'order', keyEnd);
  }

  deleteIndexEntry<Row>(index: Index<readonly unknown[], Row>, tuple: readonly unknown[], key: unknown): void {
    writeIndexKey(this.#out, index, tuple, index.table, key);
    this.#end(DELETED, 'order', this.#out.length);
  }

  /** Views of the change that was written last, which the next one may overwrite. */
  get lastKey(): Uint8Array {
    return this.#out.view(this.#endOf(this.#count - 2), this.#keyEnds[this.#count - 1]);
  }

  get lastValue(): Uint8Array {
    return this.#out.view(this.#keyEnds[this.#count - 1]);
  }

  /** The digest of the row that was written last, if its table is part of the state hash. */
  digestLast({ hashed }: Pick<Table<never, never>, 'hashed'>): string | undefined {
    return hashed ? this.#sha256(this.#out.view(this.#endOf(this.#count - 2))) : undefined;
  }

  /** Moves all changes to where they are written from, in their order. */
  moveTo(destination: Destination): void {
    let begin = 0;
    for (let at = 0; at < this.#count; at++) {
      const [kind, keyEnd, end] = [this.#kinds[at] ?? 0, this.#keyEnds[at] ?? 0, this.#ends[at] ?? 0];
      const column = present(columns[kind & COLUMN_BITS], 'a column');
      const key = this.#out.view(begin, keyEnd);
      if ((kind & DELETED) !== 0) destination.delete(column, key);
      else destination.put(column, key, this.#out.view(keyEnd, end));
      if ((kind & APPENDED) !== 0 && this.recordsUndo) this.#undoAppended.add(key, undefined);
      if ((kind & HASHED) !== 0) this.hash.add(this.#sha256(this.#out.view(begin, end)));
      begin = end;
    }
    this.keepFirst(0);
  }

  #writeRow<Key, Row>(flags: number, table: Table<Key, Row>, key: Key, row: Row): void {
    table.writeKey(this.#out, key);
    const keyEnd = this.#out.length;
    table.value.write(this.#out, row);
    this.#end(flags, table.column, keyEnd);
  }

  #endOf(change: number): number {
    return change < 0 ? 0 : present(this.#ends[change], 'the end of a change');
  }

  #end(flags: number, column: Column, keyEnd: number): void {
    this.#kinds[this.#count] = flags | columnNumbers[column];
    this.#keyEnds[this.#count] = keyEnd;
    this.#ends[this.#count++] = this.#out.length;
  }
}

const columnNumbers: Readonly<Record<Column, number>> = { state: 0, order: 1, history: 2, block: 3 };
