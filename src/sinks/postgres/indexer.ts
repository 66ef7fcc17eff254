import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Notation } from '../../codec/notation.ts';
import type { ChainEnds, ChainSource, SourceChain, SourceEvent } from '../chain_source.ts';
import { Balances } from './balances.ts';
import { BlockRows, namesIn, notationOf, readBlock, type ReadBlock } from './block_rows.ts';
import { migrate, openProgress, readEscrows, readHoldings, takeLock, undoTo, writeBatch, type Progress } from './chain_store.ts';
import { Database, LostDatabase } from './database.ts';
import { EscrowBook } from './escrow_book.ts';

/** What an indexer works with. */
export interface IndexerParts {
  readonly source: ChainSource;
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The server frees the lock of an indexer that was killed when it notices, which takes it a moment. */
const LOCK_MS = 10_000;
const LOCK_RETRY_MS = 200;
/** Between attempts to reach a server that has gone. */
const RECONNECT_MS = 1000;
const REPORT_MS = 10_000;

/** Follows a chain into a database until its source is closed. */
export class Indexer {
  readonly #parts: IndexerParts;
  #ends: ChainEnds = { head: 0, irreversible: 0 };
  #reportedMs = 0;
  #operations = 0;
  #wasConnected = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** Resolves once the source is closed. Fault where the operator has to do something; a server that goes away is waited for. */
  async run(): Promise<void> {
    const { log, clock } = this.#parts;
    const chain = await this.#parts.source.chain();
    this.#reportedMs = clock.elapsedMs();
    for (;;) {
      try {
        await this.#session(chain);
        return;
      } catch (error) {
        if (!(error instanceof LostDatabase)) throw error;
        if (!this.#wasConnected) throw new Fault('transport', error.message, error);
        log.warning('lost PostgreSQL; trying again', { error: error.message });
        await this.#pause(RECONNECT_MS);
      }
    }
  }

  async #session(chain: SourceChain): Promise<void> {
    const { databaseUrl, source, log } = this.#parts;
    const database = await Database.connect(databaseUrl);
    try {
      await this.#lock(database);
      await migrate(database);
      // What a crash of the server takes back is indexed again, because the position goes back with it.
      await database.query('SET synchronous_commit = off');
      const progress = await openProgress(database, chain, () => source.genesisBalances());
      this.#wasConnected = true;
      log.notice('indexing', { from_block: progress.number + 1 });
      await source.start(progress.position);
      const batches = new Batches(database, chain, progress);
      await batches.load();
      for (;;) {
        const events = await source.next();
        if (events.length === 0) return;
        await this.#lookAtEnds();
        await batches.take(events, this.#ends.irreversible);
        this.#report(events, batches.progress);
      }
    } finally {
      await database.close();
    }
  }

  async #lock(database: Database): Promise<void> {
    const { clock } = this.#parts;
    const endMs = clock.elapsedMs() + LOCK_MS;
    while (!(await takeLock(database))) {
      if (clock.elapsedMs() >= endMs) throw new Fault('configuration', 'another pharos index writes into this database');
      await this.#pause(LOCK_RETRY_MS);
    }
  }

  async #lookAtEnds(): Promise<void> {
    try {
      this.#ends = await this.#parts.source.ends();
    } catch (error) {
      // A node that is gone now says it the next time.
      if (!(error instanceof Fault)) throw error;
    }
  }

  #report(events: readonly SourceEvent[], { number, timestamp }: Progress): void {
    const { clock, log } = this.#parts;
    for (const event of events) if ('block' in event) this.#operations += event.block.operations.length;
    const nowMs = clock.elapsedMs();
    if (nowMs - this.#reportedMs < REPORT_MS) return;
    const per_second = Math.round((this.#operations * 1000) / (nowMs - this.#reportedMs));
    const lag_seconds = Math.round((clock.nowMs() - Date.parse(`${timestamp}Z`)) / 1000);
    const behind = Math.max(0, this.#ends.head - number);
    log.notice('indexed', { block: number, blocks_behind: behind, operations_per_second: per_second, lag_seconds });
    this.#reportedMs = nowMs;
    this.#operations = 0;
  }

  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#parts.clock.after(delayMs, resolve));
  }
}

/** Brings events into a database, as many at once as there are. */
class Batches {
  readonly #database: Database;
  readonly #chain: SourceChain;
  readonly #notation: Notation;
  #balances = new Balances();
  #book: EscrowBook;
  progress: Progress;

  constructor(database: Database, chain: SourceChain, progress: Progress) {
    this.#database = database;
    this.#chain = chain;
    this.#notation = notationOf(chain);
    this.#book = this.#bookOf([]);
    this.progress = progress;
  }

  /** Reads what later blocks are understood by. */
  async load(): Promise<void> {
    this.#balances = new Balances();
    this.#book = this.#bookOf(await readEscrows(this.#database));
  }

  async take(events: readonly SourceEvent[], irreversible: number): Promise<void> {
    let blocks: ReadBlock[] = [];
    let position = this.progress.position;
    for (const event of events) {
      position = event.position;
      if ('block' in event) {
        blocks.push(readBlock(event.block, this.#notation));
        continue;
      }
      const { number } = event.undone;
      blocks = blocks.filter(({ block }) => block.number <= number);
      if (number < this.progress.number) await this.#undo(number, position);
    }
    if (blocks.length > 0) await this.#write(blocks, position, irreversible);
  }

  async #undo(number: number, position: string): Promise<void> {
    await undoTo(this.#database, number, position);
    this.progress = await openProgress(this.#database, this.#chain, () => Promise.resolve([]));
    await this.load();
  }

  async #write(blocks: readonly ReadBlock[], position: string | undefined, irreversible: number): Promise<void> {
    const names = this.#balances.unknown(namesIn(blocks));
    for (const [name, holding] of await readHoldings(this.#database, names)) this.#balances.put(name, holding);
    const rows = new BlockRows(this.#chain, this.#balances, this.#book);
    let { number, id, timestamp } = this.progress;
    for (const each of blocks) {
      const { block } = each;
      if (block.number !== number + 1 || (number > 0 && block.previous !== id))
        throw new Fault('protocol', `block ${block.number} does not follow block ${number}, the last one that came`);
      rows.add(each, timestamp);
      ({ number, id, timestamp } = block);
    }
    const to = { number, id, timestamp, position, irreversible: Math.min(irreversible, number) };
    await writeBatch(this.#database, rows, this.#balances.takeChanged(), to);
    this.progress = to;
  }

  #bookOf(open: ConstructorParameters<typeof EscrowBook>[0]): EscrowBook {
    return new EscrowBook(open, this.#chain.word !== 'coin');
  }
}
