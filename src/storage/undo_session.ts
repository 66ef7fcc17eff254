import { assert, present } from '../base/assert.ts';
import { MEBIBYTE } from '../base/bytes.ts';
import { idCounters } from './id_counters.ts';
import type { KeyValueReader, PreparedChanges } from './key_value.ts';
import type { Register } from './register.ts';
import { decodeKeyParts, decodeRow } from './row_bytes.ts';
import { PackedChanges } from './packed_changes.ts';
import { RowCache } from './row_cache.ts';
import type { Bounds, MutableRows } from './rows.ts';
import { prepareRow, sealBlock, type SealedBlock } from './seal.ts';
import { type Sha256, StateHash } from './state_hash.ts';
import type { Index, SomeTable, Table, TuplePrefix } from './table.ts';
import { type Entry, type SomeEntry, TableRows } from './table_rows.ts';
import { decodeUndoRecord } from './undo_record.ts';

/** Options of the undo sessions. */
export interface UndoSessionOptions {
  readonly committed: KeyValueReader;
  readonly register: Register;
  readonly sha256: Sha256;
  /** Gives the prepared part of a block's write; undefined where there is none. */
  readonly prepare?: () => PreparedChanges | undefined;
  /** The memory for decoded rows; those of an open block may take more. */
  readonly cachedBytes: number;
  /** The state hash of the committed state; omitted for a new chain. */
  readonly stateHash?: string;
}

/** Memory for a block's bytes is used again up to here, which is more than a block of 2 000 mixed transactions takes. */
const MOST_KEPT_BYTES = 4 * MEBIBYTE;

type Phase = 'committed' | 'block' | 'transaction' | 'sealed';

/**
 * The state in nested undo sessions: committed, then the open block, then a transaction in it. There is one map of
 * current rows; each session saves the previous row at its first change. So reading costs one look-up, merging a
 * transaction is free, and discarding one costs as much as it had changed.
 *
 * Call beginBlock, then any number of (beginTransaction, then mergeTransaction or discardTransaction), then either
 * discardBlock, or seal, write the batch to disk and markCommitted.
 */
export class UndoSessions implements MutableRows {
  readonly #sha256: Sha256;
  readonly #rows: (TableRows<unknown, unknown> | undefined)[] = [];
  readonly #cache: RowCache;
  readonly #prepare: UndoSessionOptions['prepare'];
  #phase: Phase = 'committed';
  /** The prepared part of the open block's write; undefined where all is written when it is sealed. */
  #prepared: PreparedChanges | undefined;
  /** Entries put or removed by the open block: each once, in the order of their first change. */
  #dirty: SomeEntry[] = [];
  /**
   * The same for the open transaction: the first `#touchedCount` entries. Any after them are left over from earlier
   * transactions.
   */
  readonly #touched: SomeEntry[] = [];
  #touchedCount = 0;
  /** Changes of the open block that are bytes already. */
  #changes: PackedChanges;
  /** The number of these changes when the transaction began. */
  #changesBefore = 0;
  /** Rows that the open transaction appended and that can be bytes once it is merged. */
  readonly #settled: SomeEntry[] = [];
  /** Number of dirty entries when the transaction began. */
  #dirtyBefore = 0;
  #transaction = 0;
  #hash: StateHash;
  #sealedHash: StateHash;

  constructor({ committed, register, sha256, prepare, cachedBytes, stateHash }: UndoSessionOptions) {
    this.#sha256 = sha256;
    this.#prepare = prepare;
    this.#cache = new RowCache(cachedBytes);
    this.#hash = stateHash === undefined ? new StateHash() : StateHash.fromHex(stateHash);
    this.#sealedHash = this.#hash;
    this.#changes = new PackedChanges(sha256);
    for (const table of register.tables) this.#rows[table.number] = new TableRows(table, committed);
  }

  get<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined {
    return this.#entry(this.#rowsOf(table), key).row;
  }

  only<Row>(table: Table<null, Row>): Row {
    const rows = this.#rowsOf(table);
    const entry = rows.only;
    if (entry === undefined) return present(this.get(table, null), table.name);
    entry.recent = true;
    return present(entry.row, table.name);
  }

  /** Loads rows that will be needed soon; those not in memory are read in one call. */
  prefetch<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): void {
    for (const entry of this.#rowsOf(table).loadMany(keys)) this.#admitted(entry);
  }

  changeEach<Key, Row>(
    table: Table<Key, Row>,
    keys: readonly Key[],
    change: (row: Row | undefined, key: Key, index: number) => Row,
  ): void {
    const { entries, loaded } = this.#rowsOf(table).findMany(keys);
    for (const [index, entry] of entries.entries()) this.#change(entry, change(entry.row, entry.key, index));
    // Only now, because changed rows can't be evicted to make room for others.
    for (const entry of loaded) this.#admitted(entry);
  }

  put<Key, Row>(table: Table<Key, Row>, row: Row): void {
    this.#change(this.#entry(this.#rowsOf(table), table.keyOf(row)), row);
  }

  insert<Key, Row>(table: Table<Key, Row>, row: Row): boolean {
    const entry = this.#entry(this.#rowsOf(table), table.keyOf(row));
    if (entry.row !== undefined) return false;
    this.#change(entry, row);
    return true;
  }

  append<Key, Row>(table: Table<Key, Row>, row: Row): void {
    if (table.writeOnly) {
      assert(this.#phase === 'transaction' || this.#phase === 'block', 'rows are appended inside a block');
      this.#changes.append(table, row);
      return;
    }
    const rows = this.#rowsOf(table);
    const key = table.keyOf(row);
    const entry = rows.find(key) ?? this.#admitted(rows.fresh(key));
    assert(entry.row === undefined, `a row appended to ${table.name} is new`);
    this.#change(entry, row);
    if (this.#prepared !== undefined && this.#phase === 'transaction' && isSettled(rows.table))
      this.#settled.push(entry);
  }

  remove<Key, Row>(table: Table<Key, Row>, key: Key): boolean {
    const entry = this.#entry(this.#rowsOf(table), key);
    if (entry.row === undefined) return false;
    this.#change(entry, undefined);
    return true;
  }

  nextId<Key, Row>(table: Table<Key, Row>, count = 1): bigint {
    const next = this.get(idCounters, table.number)?.next ?? 0n;
    this.put(idCounters, { table: table.number, next: next + BigInt(count) });
    return next;
  }

  first<T extends readonly unknown[], Row>(index: Index<T, Row, true>): Row | undefined {
    const rows = this.#rowsOf(index.table);
    const key = rows.writable[index.number]?.first();
    return key === undefined ? undefined : this.#entry(rows, key).row;
  }

  next<T extends readonly unknown[], Row>(index: Index<T, Row, true>, tuple: TuplePrefix<T>): Row | undefined {
    return this.range(index, { after: tuple, limit: 1 })[0];
  }

  range<T extends readonly unknown[], Row>(index: Index<T, Row, true>, bounds: Bounds<TuplePrefix<T>>): Row[] {
    const rows = this.#rowsOf(index.table);
    const keys = rows.writable[index.number]?.range(bounds) ?? [];
    if (keys.length > 1) this.prefetch(index.table, keys);
    return keys.map((key) => present(this.#entry(rows, key).row, `a row of ${index.name}`));
  }

  /** The rows of a table that the open or sealed block has changed: as they are on disk, and as they are now. */
  tableChanges<Key, Row>(
    table: Table<Key, Row>,
  ): { readonly before: Row | undefined; readonly after: Row | undefined }[] {
    const changed = this.#rowsOf(table).entriesOf(this.#dirty);
    return changed.map(({ committed, row }) => ({ before: committed, after: row }));
  }

  /** The rows of a table that the open transaction has changed: as they were before it, and as they are now. */
  transactionChanges<Key, Row>(
    table: Table<Key, Row>,
  ): { readonly before: Row | undefined; readonly after: Row | undefined }[] {
    const changed = this.#rowsOf(table).entriesOf(this.#touched.slice(0, this.#touchedCount));
    return changed.map(({ before, row }) => ({ before, after: row }));
  }

  keys<Key, T extends readonly unknown[], Row>(
    table: Table<Key, Row>,
    index: Index<T, Row, true>,
    bounds: Bounds<TuplePrefix<T>>,
  ): Key[] {
    return this.#rowsOf(table).writable[index.number]?.range(bounds) ?? [];
  }

  /**
   * With `prepares`, rows that merged transactions have appended are written into the block's batch, some hundred at a
   * time, so that less is left to do when the block is sealed.
   */
  beginBlock({ prepares = false }: { readonly prepares?: boolean } = {}): void {
    this.#enter('committed', 'block');
    this.#prepared = prepares ? this.#prepare?.() : undefined;
    this.#prepared?.clear();
  }

  beginTransaction(): void {
    this.#enter('block', 'transaction');
    this.#transaction++;
    this.#dirtyBefore = this.#dirty.length;
    this.#changesBefore = this.#changes.count;
  }

  /** Makes the transaction's changes part of the block. */
  mergeTransaction(): void {
    this.#enter('transaction', 'block');
    for (const entry of this.#settled) prepareRow(entry, this.#changes);
    this.#settled.length = 0;
    if (this.#prepared !== undefined && this.#changes.count >= this.#prepared.changesAtOnce)
      this.#changes.moveTo(this.#prepared);
    this.#touchedCount = 0;
  }

  /** Restores every row and index to the start of the transaction. */
  discardTransaction(): void {
    this.#enter('transaction', 'block');
    // All rows are removed before any is restored, because two rows may have swapped places in an index.
    const touched = this.#touched.slice(0, this.#touchedCount);
    for (const entry of touched) entry.change(undefined);
    for (const entry of touched) entry.change(entry.before);
    this.#touchedCount = 0;
    this.#settled.length = 0;
    this.#changes.keepFirst(this.#changesBefore);
    for (const entry of this.#dirty.splice(this.#dirtyBefore)) entry.reset();
  }

  /**
   * Restores every row and index to the start of the block; a sealed block that is not written can be discarded as
   * well.
   */
  discardBlock(): void {
    if (this.#phase !== 'sealed') this.#enter('block', 'sealed');
    for (const rows of this.#rows) rows?.writable.forEach((index) => index?.discard());
    for (const entry of this.#dirty) entry.discard();
    this.#close();
  }

  /**
   * Encodes the block's changes. Nothing can be changed until they are written or discarded. Without `undo` the block
   * can't be undone.
   */
  seal({ undo = true }: { readonly undo?: boolean } = {}): SealedBlock {
    this.#enter('block', 'sealed');
    this.#sealedHash = this.#hash.copy();
    const [hash, sha256, prepared, changes] = [this.#sealedHash, this.#sha256, this.#prepared, this.#changes];
    return sealBlock(this.#dirty, { hash, sha256, undo, prepared, changes });
  }

  /** To be called when the sealed batch has been written to disk. */
  markCommitted(): void {
    assert(this.#phase === 'sealed', 'a block is sealed before it is committed');
    this.#hash = this.#sealedHash;
    for (const rows of this.#rows) rows?.writable.forEach((index) => index?.commit());
    for (const entry of this.#dirty) {
      if (isCached(entry.rows.table)) this.#cache.resize(entry, entry.sealedBytes);
      entry.commit();
    }
    this.#close();
  }

  /**
   * Undoes the last committed block: seals a block that writes every row as it was before. The caller writes the batch
   * with its own records and calls `markCommitted`; the undo record of the result is not needed.
   */
  undoBlock(undo: Uint8Array): SealedBlock {
    this.beginBlock();
    const changes = decodeUndoRecord(undo).map(({ key, value }) => {
      const rows = this.#numbered(key[0] ?? 0);
      const entry = this.#entry(rows, decodeKeyParts(rows.table, key, 1));
      // All rows are removed before any is restored, as when a transaction is discarded.
      this.#change(entry, undefined);
      return { entry, row: value === undefined ? undefined : decodeRow(rows.table, value) };
    });
    for (const { entry, row } of changes) this.#change(entry, row);
    return this.seal();
  }

  /** The state hash of the committed state, 64 hex digits. */
  stateHash(): string {
    return this.#hash.toHex();
  }

  /** The memory that cached rows take, as estimated. */
  get cachedBytes(): number {
    return this.#cache.bytes;
  }

  /** Number of rows in memory, including cached absent ones. */
  get rowsInMemory(): number {
    return this.#rows.reduce((sum, rows) => sum + (rows?.size ?? 0), 0);
  }

  #rowsOf<Key, Row>(table: Table<Key, Row>): TableRows<Key, Row> {
    const rows = this.#numbered(table.number);
    assert(rows.isTable(table), 'a table stands in the register under its own number');
    return rows;
  }

  #numbered(number: number): TableRows<unknown, unknown> {
    return present(this.#rows[number], 'a registered table');
  }

  #entry<Key, Row>(rows: TableRows<Key, Row>, key: Key): Entry<Key, Row> {
    const entry = rows.find(key);
    if (entry === undefined) return this.#admitted(rows.load(key));
    entry.recent = true;
    return entry;
  }

  #admitted<Key, Row>(entry: Entry<Key, Row>): Entry<Key, Row> {
    if (isCached(entry.rows.table)) this.#cache.admit(entry);
    return entry;
  }

  #change<Key, Row>(entry: Entry<Key, Row>, row: Row | undefined): void {
    if (this.#phase === 'transaction') {
      if (entry.touchedIn !== this.#transaction) {
        entry.touchedIn = this.#transaction;
        entry.before = entry.row;
        this.#touched[this.#touchedCount++] = entry;
      }
    } else {
      assert(this.#phase === 'block', 'rows change inside a block');
    }
    if (!entry.dirty) {
      entry.dirty = true;
      this.#dirty.push(entry);
    }
    entry.change(row);
  }

  /** A write that was not prepared has views of its changes, and someone may still hold on to it. */
  #emptyChanges(): void {
    if (this.#prepared !== undefined && this.#changes.capacity <= MOST_KEPT_BYTES) this.#changes.clear();
    else this.#changes = new PackedChanges(this.#sha256);
  }

  #enter(from: Phase, to: Phase): void {
    assert(this.#phase === from, 'blocks and transactions begin and end in turn');
    this.#phase = to;
  }

  #close(): void {
    this.#dirty = [];
    this.#touched.length = 0;
    this.#settled.length = 0;
    this.#emptyChanges();
    for (const rows of this.#rows) if (rows !== undefined && !isCached(rows.table)) rows.forgetAll();
    this.#cache.shrink();
    this.#phase = 'committed';
  }
}

/** Append-only rows are dropped with their block. */
function isCached({ column }: Pick<SomeTable, 'column'>): boolean {
  return column === 'state';
}

/**
 * Rows of such a table can be written early. They are part of no sum, and of no index in which another row could take
 * their place.
 */
function isSettled({ column, hashed, indexes }: SomeTable): boolean {
  return !isCached({ column }) && !hashed && indexes.length === 0;
}
