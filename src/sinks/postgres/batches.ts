import { Fault } from '../../base/fault.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import type { ChainSource, SourceChain, SourceEvent } from '../chain_source.ts';
import { Balances } from './balances.ts';
import { BlockRows, accountNames, chainEncoding, readBlock, type ReadBlock } from './block_rows.ts';
import {
  idOfBlock,
  openProgress,
  putProgress,
  readEscrows,
  readHoldings,
  undoBlocks,
  writeBatch,
  type Progress,
} from './chain_store.ts';
import type { Database } from './database.ts';
import { EscrowBook } from './escrow_book.ts';
import type { Written } from './index_record.ts';

interface BatchParts {
  readonly database: Database;
  readonly chain: SourceChain;
  readonly source: Pick<ChainSource, 'mayRevert'>;
}

/** The outcome of events: blocks to be taken back, then blocks to be added. */
interface Outcome {
  /** The last block that stays, and the position there. */
  readonly undo: { readonly number: number; readonly position: string } | undefined;
  readonly blocks: readonly ReadBlock[];
  readonly position: string | undefined;
  readonly irreversible: number;
}

/** Brings events into a database, as many at once as there are. */
export class Batches {
  readonly #parts: BatchParts;
  readonly #encoding: EncodingOptions;
  #balances = new Balances();
  #book: EscrowBook;
  progress: Progress;

  constructor(parts: BatchParts, progress: Progress) {
    this.#parts = parts;
    this.#encoding = chainEncoding(parts.chain);
    this.#book = this.#makeBook([]);
    this.progress = progress;
  }

  /** Reads what later blocks are understood by. */
  async load(): Promise<void> {
    this.#balances = new Balances();
    this.#book = this.#makeBook(await readEscrows(this.#parts.database));
  }

  /** `head` is the last block that the source knows. */
  async take(events: readonly SourceEvent[], head: number): Promise<Written> {
    const { undo, blocks, position, irreversible } = await this.#awaitOutcome(events);
    const before = this.progress.number;
    if (undo !== undefined) await this.#undo(undo.number, undo.position);
    const at = { position, irreversible: Math.max(irreversible, this.progress.irreversible) };
    const rows = blocks.length > 0 ? await this.#write(blocks, at, head) : 0;
    if (blocks.length === 0 && irreversible > this.progress.irreversible)
      await this.#advance({ ...this.progress, ...at }, head);
    const operations = blocks.reduce((sum, each) => sum + each.operations.length, 0);
    return { blocks: blocks.length, operations, rows, undone: undo === undefined ? 0 : before - undo.number };
  }

  /**
   * A branch that comes and goes within the events is not written; however many blocks are taken back, it is done once.
   */
  async #awaitOutcome(events: readonly SourceEvent[]): Promise<Outcome> {
    let blocks: ReadBlock[] = [];
    let { position, irreversible, number: kept } = this.progress;
    let undo: Outcome['undo'];
    for (const event of events) {
      position = event.position;
      if ('block' in event) blocks.push(readBlock(event.block, this.#encoding));
      else if ('irreversible' in event)
        irreversible = (await this.#confirmed(event.irreversible, blocks, kept)) ?? irreversible;
      else {
        const { number } = event.undone;
        blocks = blocks.filter(({ block }) => block.number <= number);
        irreversible = Math.min(irreversible, number);
        if (number > kept || number >= this.progress.number) continue;
        kept = number;
        undo = { number, position };
      }
    }
    return { undo, blocks, position, irreversible };
  }

  /** Its number, if it is the block that came: another branch of the source's may be under way. */
  async #confirmed(
    { number, id }: { readonly number: number; readonly id: string },
    blocks: readonly ReadBlock[],
    kept: number,
  ): Promise<number | undefined> {
    const came = blocks.find(({ block }) => block.number === number)?.block.id;
    const known = came ?? (number <= kept ? await idOfBlock(this.#parts.database, number) : undefined);
    return known === id ? number : undefined;
  }

  async #advance(progress: Progress, head: number): Promise<void> {
    await putProgress(this.#parts.database, progress, head);
    this.progress = progress;
  }

  async #undo(number: number, position: string): Promise<void> {
    const { database, chain, source } = this.#parts;
    const { irreversible } = this.progress;
    if (number < irreversible && !(await source.mayRevert()))
      throw new Fault(
        'damaged_data',
        `the source undoes block ${number + 1}, and the database has all up to block ${irreversible} as irreversible: they are on different branches; index one of them into a database of its own`,
      );
    await undoBlocks(database, number, position);
    this.progress = await openProgress(database, chain, () => Promise.resolve([]));
    await this.load();
  }

  async #write(
    blocks: readonly ReadBlock[],
    at: Pick<Progress, 'position' | 'irreversible'>,
    head: number,
  ): Promise<number> {
    const { database, chain } = this.#parts;
    const names = this.#balances.unknown(accountNames(blocks, this.#book));
    const held = await readHoldings(database, names);
    for (const name of names) this.#balances.put(name, held.get(name));
    const rows = new BlockRows(chain, this.#balances, this.#book);
    let { number, id, timestamp } = this.progress;
    for (const each of blocks) {
      const { block } = each;
      // The source looks for the end of the database when it is started again.
      if (block.number !== number + 1 || (number > 0 && block.previous !== id))
        throw new Fault(
          'source_set_back',
          `block ${block.number} does not follow block ${number}, the last one that came`,
        );
      rows.add(each, timestamp);
      ({ number, id, timestamp } = block);
    }
    const to = { number, id, timestamp, ...at };
    await writeBatch(database, rows, this.#balances.takeChanged(), to, head);
    this.progress = to;
    return Object.values(rows.tables).reduce((sum, { count }) => sum + count, 0);
  }

  #makeBook(open: ConstructorParameters<typeof EscrowBook>[0]): EscrowBook {
    return new EscrowBook(open, this.#parts.chain.coinName !== 'coin');
  }
}
