import type { EncodingOptions } from '../codec/encoding_options.ts';
import { charged, type ChargedEntry, type HistoryEntry } from '../queries/history_entry.ts';
import { lastIrreversible } from '../state/last_irreversible.ts';
import { blockRow } from '../state/stored_blocks.ts';
import type { BlockRow } from '../state/tables/block.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { Asset } from '../values/asset.ts';
import { makeFollowedBlock, noticeText } from '../queries/notices/chain_notices.ts';
import { laterOperations, pointerPlace } from '../queries/notices/later_operations.ts';
import { isWhole, movePosition, positionNumber, type Position } from '../queries/notices/position.ts';
import { makePosition, type ChainOfPositions } from '../queries/notices/standing.ts';
import type { Level } from './stream.ts';

/** A part of one block, and the position behind it. */
export interface BlockChunk {
  readonly entries: readonly HistoryEntry[];
  readonly end: Position;
  /** The block, when this is its end. */
  readonly ended: BlockRow | undefined;
}

/** The last block of a level. */
export function lastNumber(rows: CommittedRows, level: Level): number {
  return level === 'irreversible' ? lastIrreversible(rows) : rows.only(dynamicGlobalProperties).head_block_number;
}

/** The number of the block that comes next behind a position: its own while that is not over. */
export function nextNumber(position: Position): number {
  return isWhole(position) ? positionNumber(position) + 1 : positionNumber(position);
}

/**
 * Reads the main branch for those who follow it; whoever calls sees to it that all reads of a step are of one state.
 */
export class ChainReader {
  readonly #rows: CommittedRows;
  readonly #chain: ChainOfPositions;
  readonly #encoding: EncodingOptions;

  constructor(rows: CommittedRows, chain: ChainOfPositions, encoding: EncodingOptions) {
    this.#rows = rows;
    this.#chain = chain;
    this.#encoding = encoding;
  }

  /** Behind the last block of a level. */
  lastPosition(level: Level): Position {
    return this.positionBehind(lastNumber(this.#rows, level));
  }

  positionBehind(number: number): Position {
    return makePosition(this.#rows, this.#chain, number);
  }

  /**
   * Returns the next chunk behind a position; undefined at the end of the level. Without operations it is the rest of
   * the block.
   */
  chunkBehind(position: Position, level: Level, withOperations: boolean): BlockChunk | undefined {
    const number = nextNumber(position);
    const row = number > lastNumber(this.#rows, level) ? undefined : blockRow(this.#rows, number);
    if (row === undefined) return undefined;
    const block = this.positionBehind(number);
    if (!withOperations) return { entries: [], end: block, ended: row };
    const { entries, end } = laterOperations(this.#rows, number, isWhole(position) ? undefined : position.place);
    const place = movePosition(block, end);
    return { entries, end: place, ended: isWhole(place) ? row : undefined };
  }

  /** The text of an operation in a block of which a position is given. */
  operationText(entry: HistoryEntry, inBlock: Position): string {
    const [operation] = charged(this.#rows, [entry], this.#encoding.coinSymbol);
    const charge = operation?.charge && this.#chargedAssets(operation.charge);
    return noticeText(
      'operation',
      { position: movePosition(inBlock, pointerPlace(entry)), operation: entry, charge },
      this.#encoding,
    );
  }

  #chargedAssets({ paid, given }: NonNullable<ChargedEntry['charge']>): {
    readonly paid: Asset;
    readonly given: Asset;
  } {
    const { coinSymbol: symbol } = this.#encoding;
    return { paid: { amount: paid, symbol }, given: { amount: given, symbol } };
  }

  blockText(row: BlockRow, end: Position): string {
    return noticeText('block', { position: end, block: makeFollowedBlock(row) }, this.#encoding);
  }

  undoneText(common: Position): string {
    return noticeText(
      'undone',
      { position: common, block: { number: positionNumber(common), id: common.block } },
      this.#encoding,
    );
  }
}
