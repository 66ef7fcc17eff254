/** The functions of @nxtedition/rocksdb 12.2 that are used here; its own JavaScript wraps them and has no types. */
declare module '@nxtedition/rocksdb/binding.js' {
  const brand: unique symbol;
  export interface DatabaseContext {
    readonly [brand]: 'database';
  }
  export interface ColumnContext {
    readonly [brand]: 'column';
  }
  export interface BatchContext {
    readonly [brand]: 'batch';
  }

  export interface IteratorContext {
    readonly [brand]: 'iterator';
  }

  export interface ColumnOptions {
    /** Four times the size of a write buffer. */
    readonly memtableMemoryBudget?: number;
    readonly compaction?: 'level' | 'universal';
    readonly compression?: boolean;
    /** Bytes of rows in a block of a file, before they are compressed. */
    readonly blockSize?: number;
    /** Size of the column's block cache, in bytes. */
    readonly cacheSize?: number;
    /** Indexes and filters of files count as part of the cache, and leave it when they are not used. */
    readonly cacheIndexAndFilterBlocks?: boolean;
    readonly optimize?: 'point-lookup';
  }

  export interface OpenOptions {
    readonly createIfMissing?: boolean;
    readonly errorIfExists?: boolean;
    /** Background threads. */
    readonly parallelism?: number;
    readonly walCompression?: boolean;
    readonly columns?: Readonly<Record<string, ColumnOptions>>;
  }

  export interface QueryOptions {
    readonly column: ColumnContext;
    readonly gte: Uint8Array;
    readonly lt: Uint8Array;
    readonly reverse: boolean;
    readonly limit: number;
    /** Required: the binding has no default. */
    readonly keyEncoding: 'buffer';
    readonly valueEncoding: 'buffer';
    readonly fillCache: boolean;
  }

  type Columns = Readonly<Record<string, ColumnContext>>;

  interface Binding {
    /** A folder, or the handle of a database that another thread has opened. */
    db_init(folderOrHandle: string | bigint): DatabaseContext;
    /** Synchronous with a handle; otherwise calls back. */
    db_open(
      database: DatabaseContext,
      options: OpenOptions,
      done: (error: Error | null, columns?: Columns) => void,
    ): Columns | undefined | number;
    db_get_handle(database: DatabaseContext): bigint;
    db_close(database: DatabaseContext, done: (error: Error | null) => void): void;
    db_get_many_sync(
      database: DatabaseContext,
      keys: readonly Uint8Array[],
      options: { readonly column: ColumnContext },
    ): (Uint8Array | undefined)[];
    /** Keys and values, alternating. */
    db_query(
      database: DatabaseContext,
      options: QueryOptions,
    ): { readonly rows: readonly Uint8Array[]; readonly finished: boolean };
    /** Stands at its first entry, or at its last one. */
    iterator_init(database: DatabaseContext, options: Omit<QueryOptions, 'gte' | 'lt' | 'limit'>): IteratorContext;
    iterator_seek(iterator: IteratorContext, key: Uint8Array): void;
    /** Keys and values, alternating. */
    iterator_nextv_sync(
      iterator: IteratorContext,
      count: number,
    ): { readonly rows: readonly Uint8Array[]; readonly finished: boolean };
    iterator_close(iterator: IteratorContext): void;
    /** The sequence number of the newest visible change. */
    db_get_latest_sequence(database: DatabaseContext): number;
    batch_init(): BatchContext;
    batch_put(
      batch: BatchContext,
      key: Uint8Array,
      value: Uint8Array,
      options: { readonly column: ColumnContext },
    ): void;
    batch_del(batch: BatchContext, key: Uint8Array, options: { readonly column: ColumnContext }): void;
    batch_write(database: DatabaseContext, batch: BatchContext, options: { readonly sync: boolean }): void;
    batch_clear(batch: BatchContext): void;
  }

  const binding: Binding;
  export default binding;
}
