import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Notation } from '../../codec/notation.ts';
import type { Behind, ChainSource, SourceChain, SourceEvent } from '../chain_source.ts';
import { Balances } from './balances.ts';
import { BlockRows, namesIn, notationOf, readBlock, type ReadBlock } from './block_rows.ts';
import {
  idOfBlock,
  migrate,
  openProgress,
  prepareSession,
  putProgress,
  readChain,
  readEscrows,
  readHoldings,
  takeLock,
  undoTo,
  writeBatch,
  type Progress,
} from './chain_store.ts';
import { Database, LostDatabase } from './database.ts';
import { EscrowBook } from './escrow_book.ts';

/** What an indexer works with. */
export interface IndexerParts {
  readonly source: ChainSource;
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The server frees the lock of an indexer that was killed when it notices, which takes it a moment; of a connection that the network lost, half a minute. */
const LOCK_MS = 10_000;
const LOST_LOCK_MS = 60_000;
const LOCK_RETRY_MS = 200;
/** Between attempts to reach a server that has gone. */
const RECONNECT_MS = 1000;
const REPORT_MS = 10_000;

/** Follows a chain into a database until it is stopped, or its source is closed. */
export class Indexer {
  readonly #parts: IndexerParts;
  #reportedMs = 0;
  #operations = 0;
  #wasConnected = false;
  #isStopped = false;
  #wake: () => void = () => undefined;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** What is under way is finished or given up, whatever it waits for; `run` resolves then. */
  stop(): void {
    this.#isStopped = true;
    this.#parts.source.close();
    this.#wake();
  }

  /** Resolves once it is stopped. Fault where the operator has to do something; a server that goes away is waited for. */
  async run(): Promise<void> {
    const { log, clock } = this.#parts;
    this.#reportedMs = clock.elapsedMs();
    for (;;) {
      try {
        await this.#session();
        return;
      } catch (error) {
        // The source's end may break off what asks it.
        if (this.#hasStopped()) return;
        if (!(error instanceof LostDatabase)) throw error;
        if (!this.#wasConnected) throw new Fault('transport', error.message, error);
        log.warning('lost PostgreSQL; trying again', { error: error.message });
        await this.#pause(RECONNECT_MS);
        if (this.#hasStopped()) return;
      }
    }
  }

  /** Whatever is awaited, it may have happened meanwhile. */
  #hasStopped(): boolean {
    return this.#isStopped;
  }

  async #session(): Promise<void> {
    const { databaseUrl, source, log } = this.#parts;
    const database = await Database.connect(databaseUrl);
    try {
      await prepareSession(database);
      await this.#lock(database);
      await migrate(database);
      const chain = await source.chain(await readChain(database));
      const progress = await openProgress(database, chain, () => source.genesisBalances());
      this.#wasConnected = true;
      log.notice('indexing', { from_block: progress.number + 1 });
      await source.start(behind(database, progress));
      const batches = new Batches(database, chain, progress);
      await batches.load();
      for (;;) {
        const events = await source.next();
        if (events.length === 0) return;
        await batches.take(events, source.head);
        this.#report(events, batches.progress);
      }
    } finally {
      await database.close();
    }
  }

  async #lock(database: Database): Promise<void> {
    const { clock } = this.#parts;
    const endMs = clock.elapsedMs() + (this.#wasConnected ? LOST_LOCK_MS : LOCK_MS);
    while (!(await takeLock(database))) {
      if (this.#isStopped || clock.elapsedMs() >= endMs) throw new Fault('configuration', 'another pharos index writes into this database');
      await this.#pause(LOCK_RETRY_MS);
    }
  }

  #report(events: readonly SourceEvent[], { number, timestamp }: Progress): void {
    const { clock, log } = this.#parts;
    for (const event of events) if ('block' in event) this.#operations += event.block.operations.length;
    const nowMs = clock.elapsedMs();
    if (nowMs - this.#reportedMs < REPORT_MS) return;
    const per_second = Math.round((this.#operations * 1000) / (nowMs - this.#reportedMs));
    const lag_seconds = Math.round((clock.nowMs() - Date.parse(`${timestamp}Z`)) / 1000);
    const blocks_behind = Math.max(0, this.#parts.source.head - number);
    log.notice('indexed', { block: number, blocks_behind, operations_per_second: per_second, lag_seconds });
    this.#reportedMs = nowMs;
    this.#operations = 0;
  }

  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, resolve);
      this.#wake = () => (cancel(), resolve());
      if (this.#isStopped) this.#wake();
    });
  }
}

function behind(database: Database, { number, id, position }: Progress): Behind {
  return { number, id, position, idAt: async (at) => await idOfBlock(database, at) };
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

  /** `head` is the last block that the source knows. */
  async take(events: readonly SourceEvent[], head: number): Promise<void> {
    let blocks: ReadBlock[] = [];
    let { position, irreversible } = this.progress;
    for (const event of events) {
      position = event.position;
      if ('block' in event) blocks.push(readBlock(event.block, this.#notation));
      else if ('irreversible' in event) irreversible = (await this.#confirmed(event.irreversible, blocks)) ?? irreversible;
      else {
        const { number } = event.undone;
        blocks = blocks.filter(({ block }) => block.number <= number);
        if (number < this.progress.number) await this.#undo(number, position);
      }
    }
    if (blocks.length > 0) await this.#write(blocks, { position, irreversible }, head);
    else if (irreversible > this.progress.irreversible) await this.#advance({ ...this.progress, position, irreversible }, head);
  }

  /** Its number, if it is the block that came: another branch of the source's may be under way. */
  async #confirmed({ number, id }: { number: number; id: string }, blocks: readonly ReadBlock[]): Promise<number | undefined> {
    const came = blocks.find(({ block }) => block.number === number)?.block.id ?? (await idOfBlock(this.#database, number));
    return came === id ? number : undefined;
  }

  async #advance(progress: Progress, head: number): Promise<void> {
    await putProgress(this.#database, progress, head);
    this.progress = progress;
  }

  async #undo(number: number, position: string): Promise<void> {
    await undoTo(this.#database, number, position);
    this.progress = await openProgress(this.#database, this.#chain, () => Promise.resolve([]));
    await this.load();
  }

  async #write(blocks: readonly ReadBlock[], at: Pick<Progress, 'position' | 'irreversible'>, head: number): Promise<void> {
    const names = this.#balances.unknown(namesIn(blocks, this.#book));
    const held = await readHoldings(this.#database, names);
    for (const name of names) this.#balances.put(name, held.get(name));
    const rows = new BlockRows(this.#chain, this.#balances, this.#book);
    let { number, id, timestamp } = this.progress;
    for (const each of blocks) {
      const { block } = each;
      if (block.number !== number + 1 || (number > 0 && block.previous !== id))
        throw new Fault('protocol', `block ${block.number} does not follow block ${number}, the last one that came`);
      rows.add(each, timestamp);
      ({ number, id, timestamp } = block);
    }
    const to = { number, id, timestamp, ...at };
    await writeBatch(this.#database, rows, this.#balances.takeChanged(), to, head);
    this.progress = to;
  }

  #bookOf(open: ConstructorParameters<typeof EscrowBook>[0]): EscrowBook {
    return new EscrowBook(open, this.#chain.word !== 'coin');
  }
}
