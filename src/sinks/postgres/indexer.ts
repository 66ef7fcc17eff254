import { errorMessage } from '../../base/error_message.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { errorRecovery } from '../../base/recovery.ts';
import type { StoredHead, ChainSource } from '../chain_source.ts';
import { Pauses } from '../pauses.ts';
import { UnreadableRecord } from '../unreadable_record.ts';
import { Batches } from './batches.ts';
import { idOfBlock, migrate, openProgress, prepareSession, readChain, takeLock, type Progress } from './chain_store.ts';
import { Database } from './database.ts';
import { IndexRecord, type IndexFigures } from './index_record.ts';

export interface IndexerParts {
  readonly source: ChainSource;
  readonly databaseUrl: string;
  /** Advice about a password file when the server refuses the login. */
  readonly passwordAdvice?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The server frees the lock of an indexer that was killed when it notices, which takes it a moment; of a connection
 * that the network lost, half a minute.
 */
const LOCK_MS = 10_000;
const LOST_LOCK_MS = 60_000;
const LOCK_RETRY_MS = 200;
const REPORT_MS = 10_000;
/** Between attempts: as long as a server takes to restart, up to what an operator waits for. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
/** Somebody has to change something first: each attempt reads the same blocks again. */
const UNREADABLE_PAUSE_MS = 30_000;

/** Follows a chain into a database until it is stopped, or its source is closed. */
export class Indexer {
  readonly #parts: IndexerParts;
  readonly #record: IndexRecord;
  readonly #pauses: Pauses;
  #pauseMs = FIRST_PAUSE_MS;
  #reported = { atMs: 0, operations: 0 };
  #hasWorked = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
    this.#record = new IndexRecord(parts.clock);
    this.#pauses = new Pauses(parts.clock, true);
  }

  /** The current state. */
  get figures(): IndexFigures {
    return this.#record.figures(this.#parts.source);
  }

  /** Finishes or abandons the work under way, whatever it waits for; `run` resolves then. */
  stop(): void {
    this.#parts.source.close();
    this.#pauses.stop();
  }

  /**
   * Resolves once it is stopped. Whatever of node, stream and database is away, was set back or can't be read is waited
   * for, from the start on. Throws what waiting doesn't cure, such as wrong settings; those that were right once may be
   * right again.
   */
  async run(): Promise<void> {
    this.#reported = { atMs: this.#parts.clock.elapsedMs(), operations: 0 };
    for (;;) {
      try {
        await this.#session();
        return;
      } catch (error) {
        // The source's end may break off what asks it.
        if (this.#hasStopped()) return;
        if (this.#isLasting(error)) throw error;
        await this.#pauses.deep(this.#noteFailure(error));
        if (this.#hasStopped()) return;
      }
    }
  }

  /** True when `stop` was called, maybe during the last wait. */
  #hasStopped(): boolean {
    return this.#pauses.isStopped;
  }

  #isLasting(error: unknown): boolean {
    const wasRight = this.#hasWorked && error instanceof Fault && error.code === 'configuration';
    return errorRecovery(error) === 'final' && !wasRight;
  }

  /** Notes a failure and returns the milliseconds to wait. */
  #noteFailure(error: unknown): number {
    const { log } = this.#parts;
    const text = errorMessage(error);
    const isUnreadable = error instanceof UnreadableRecord;
    const isNews = this.#record.failed(text, isUnreadable);
    if (isNews && isUnreadable)
      log.error('a record can’t be indexed; nothing behind it is, until it can', 'index_blocked', {
        ...{ error: text, block: error.place.block, transaction: error.place.transaction },
        ...{ operation: error.place.operation, op_in_block: error.place.op_in_block },
        ...{ kind: error.place.kind, member: error.place.member },
      });
    else if (isNews) log.warning('the index is interrupted; trying again', 'index_interrupted', { error: text });
    if (isUnreadable) return UNREADABLE_PAUSE_MS;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return pauseMs;
  }

  async #session(): Promise<void> {
    const { databaseUrl, passwordAdvice, source, log } = this.#parts;
    const database = await Database.connect(databaseUrl, passwordAdvice);
    try {
      await prepareSession(database);
      await this.#lock(database);
      await migrate(database);
      const chain = await source.chain(await readChain(database));
      const progress = await openProgress(database, chain, () => source.genesisBalances());
      this.#stands(progress);
      log.notice('indexing', 'index_started', { from_block: progress.number + 1 });
      await source.start(behind(database, progress));
      const batches = new Batches({ database, chain, source }, progress);
      await batches.load();
      this.#record.begins();
      // While no block comes nothing is written, and nobody would know.
      database.onLost((error) => source.interrupt(error));
      await this.#follow(batches);
    } finally {
      await database.close();
    }
  }

  async #follow(batches: Batches): Promise<void> {
    const { source } = this.#parts;
    for (;;) {
      const events = await source.next();
      if (events.length === 0) return;
      this.#record.wrote(await batches.take(events, source.head));
      this.#hasWorked = true;
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#stands(batches.progress);
      this.#report();
    }
  }

  #stands({ number: block, irreversible, timestamp }: Progress): void {
    this.#record.stands({ block, irreversible, timestamp });
  }

  async #lock(database: Database): Promise<void> {
    const { clock } = this.#parts;
    const endMs = clock.elapsedMs() + (this.#hasWorked ? LOST_LOCK_MS : LOCK_MS);
    while (!(await takeLock(database))) {
      if (this.#pauses.isStopped || clock.elapsedMs() >= endMs)
        throw new Fault('configuration', 'another pharos index writes into this database');
      await this.#pauses.deep(LOCK_RETRY_MS);
    }
  }

  #report(): void {
    const { clock, log } = this.#parts;
    const nowMs = clock.elapsedMs();
    const passedMs = nowMs - this.#reported.atMs;
    if (passedMs < REPORT_MS) return;
    const {
      block,
      lagBlocks: blocks_behind,
      lagSeconds: lag_seconds = 0,
      operations,
      rowsPerSecond: rows_per_second,
    } = this.figures;
    const operations_per_second = Math.round(((operations - this.#reported.operations) * 1000) / passedMs);
    log.notice('indexed', 'index_progressed', {
      block,
      blocks_behind,
      operations_per_second,
      rows_per_second,
      lag_seconds,
    });
    this.#reported = { atMs: nowMs, operations };
  }
}

function behind(database: Database, { number, id, position }: Progress): StoredHead {
  return { number, id, position, idAt: async (at) => await idOfBlock(database, at) };
}
