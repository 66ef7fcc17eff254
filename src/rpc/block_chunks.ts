import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import { readHeader } from '../blocks/block.ts';
import { blockSigner } from '../blocks/verify.ts';
import { readTrustedTransaction, signedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import { writeJson } from '../codec/json_writer.ts';
import { speaksLineage } from '../codec/encoding_options.ts';
import { blockRecord } from '../queries/blocks.ts';
import { requireKept } from '../queries/pruned.ts';
import { blockRow, findPart, partTransaction } from '../state/stored_blocks.ts';
import { blocks, type BlockRow } from '../state/tables/block.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { BlockPart } from '../state/tables/block_part.ts';
import type { TransactionId } from '../values/hash.ts';
import { NULL_KEY } from '../values/public_key.ts';
import type { Call } from './services.ts';
import { AfterList, Pieces } from './chunks.ts';

const refuse = refusals({
  block_replaced: 'block {number} was replaced by another one while it was read; ask for it again',
});

const refuseUnknown = refusals({
  unknown_block: 'there is no block {number} yet: the head is block {head}; ask again when it has come',
});

/** Refusals of reading a block, or its operations, part by part. */
export const replacedRefusals = refuse.texts;
export const operationsOfBlockRefusals = { ...refuse.texts, ...refuseUnknown.texts };

/** Ids at once: some tens of kilobytes. */
const AT_ONCE = 256;

/**
 * The record of a block, whose transactions are read a part at a time; undefined where there is none. Refused when it
 * is no longer kept.
 */
export function blockInPieces(call: Pick<Call, 'rows' | 'encoding'>, number: number): Pieces | undefined {
  const row = blockRow(call.rows, number);
  if (row === undefined) requireKept(call.rows, number);
  return row && new Pieces(blockPieces(call, row, blockReader(call.rows, row)));
}

/** Packed blocks of one answer, which has at most 10 MiB: JSON takes four to six times as much. */
export const RANGE_MIB = 1;
const RANGE_BYTES = RANGE_MIB * 1024 * 1024;

/** Consecutive blocks, and the number of the block behind them. Refused when the first one is no longer kept. */
export function blockRangeInPieces(
  call: Pick<Call, 'rows' | 'encoding'>,
  start: number,
  count: number,
): { readonly blocks: Pieces; readonly cursor: AfterList<number> } {
  const { rows } = call;
  const first = Math.max(1, start);
  const opened = (
    number: number,
  ): { readonly row: BlockRow; readonly read: ReturnType<typeof blockReader> } | undefined =>
    rows.consistentRead(() => {
      const row = blockRow(rows, number);
      return row && { row, read: blockReader(rows, row) };
    });
  let block = opened(first);
  if (block === undefined) requireKept(rows, first);
  let next = first;
  function* pieces(): Generator<string, undefined> {
    let before = '[';
    for (let bytes = block?.row.packed_size ?? 0; block !== undefined; bytes += block?.row.packed_size ?? 0) {
      for (const piece of blockPieces(call, block.row, block.read)) {
        yield before + piece;
        before = '';
      }
      before = ',';
      next++;
      block = next < first + count ? opened(next) : undefined;
      if (block !== undefined && bytes + block.row.packed_size > RANGE_BYTES) break;
    }
    yield before === '[' ? '[]' : ']';
    return undefined;
  }
  return { blocks: new Pieces(pieces()), cursor: new AfterList(() => next) };
}

function* blockPieces(
  { rows, encoding }: Pick<Call, 'rows' | 'encoding'>,
  row: BlockRow,
  read: ReturnType<typeof blockReader>,
): Generator<string, undefined> {
  const [start, middle, end] = aroundLists(row, encoding);
  yield start;
  const ids: TransactionId[] = [];
  for (const first of row.transaction_count === 0 ? [] : [0, ...row.further_parts]) {
    const part = read(() => present(findPart(rows, row, first), 'a part'));
    const texts = readTransactions(part).map(({ id, transaction }) => {
      ids.push(id);
      return writeJson(signedTransaction.toJson(transaction, encoding));
    });
    yield `${first === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield middle;
  for (let k = 0; k < ids.length; k += AT_ONCE)
    yield `${k === 0 ? '' : ','}${writeJson(ids.slice(k, k + AT_ONCE)).slice(1, -1)}`;
  yield end;
  return undefined;
}

/** Returns the text before, between and behind the two lists in the record of a block. */
function aroundLists({ id, head }: BlockRow, encoding: Call['encoding']): readonly [string, string, string] {
  const header = readHeader(head);
  const derived = { block_id: id, signing_key: blockSigner({ header }) ?? NULL_KEY, transaction_ids: [] };
  const text = writeJson(blockRecord.toJson({ ...header, transactions: [], ...derived }, encoding));
  const [start = '', middle = '', end = ''] = text.split(/(?<="transaction(?:s|_ids)":\[)(?=\])/);
  return [start, middle, end];
}

function readTransactions(part: BlockPart): ReturnType<typeof readTrustedTransaction>[] {
  return part.ends.map((_, k) => {
    const bytes = partTransaction(part, part.first + k);
    return readTrustedTransaction(bytes, new ByteReader(bytes));
  });
}

/** Refuses a block that is still to come; the lineage has nothing in it. */
export function requireBlockHasCome({ rows, encoding }: Pick<Call, 'rows' | 'encoding'>, number: number): void {
  const { head_block_number: head } = rows.only(dynamicGlobalProperties);
  if (number > head && !speaksLineage(encoding)) refuseUnknown.unknown_block({ number, head });
}

/** Reads parts of a block as long as it is the same one. */
export function blockReader(rows: Call['rows'], { number, id }: BlockRow): <T>(read: () => T) => T {
  let version = rows.version();
  return (read) =>
    rows.consistentRead(() => {
      const now = rows.version();
      if (now !== version && rows.get(blocks, number)?.id !== id) refuseReplaced(rows, number);
      version = now;
      return read();
    });
}

function refuseReplaced(rows: Call['rows'], number: number): never {
  requireKept(rows, number);
  return refuse.block_replaced({ number });
}
