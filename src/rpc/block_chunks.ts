import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import { readHeader } from '../blocks/block.ts';
import { blockSigner } from '../blocks/verify.ts';
import { readTrustedTransaction, signedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import { writeJson } from '../codec/json_writer.ts';
import { blockRecord } from '../queries/blocks.ts';
import { BlockOperations, type HistoryEntry } from '../queries/history_entry.ts';
import { requireKept } from '../queries/pruned.ts';
import { blockRow, partWith, transactionIn } from '../state/stored_blocks.ts';
import { blocks, type BlockRow } from '../state/tables/block.ts';
import type { BlockPart } from '../state/tables/block_part.ts';
import type { TransactionId } from '../values/hash.ts';
import { NULL_KEY } from '../values/public_key.ts';
import type { Call } from './services.ts';
import { Pieces, Chunks } from './chunks.ts';

const refuse = refusals({ block_replaced: 'block {number} was replaced by another one while it was read; ask for it again' });

/** What reading a block part by part may refuse. */
export const replacedRefusals = refuse.texts;

/** Ids, or operations outside of transactions, at once: some tens of kilobytes. */
const AT_ONCE = 256;

/** The record of a block, whose transactions are read a part at a time; undefined where there is none. Refused when it is no longer kept. */
export function blockInPieces(call: Pick<Call, 'rows' | 'notation'>, number: number): Pieces | undefined {
  const row = blockRow(call.rows, number);
  if (row === undefined) requireKept(call.rows, number);
  return row && new Pieces(piecesOf(call, row, readerOf(call.rows, row)));
}

function* piecesOf(
  { rows, notation }: Pick<Call, 'rows' | 'notation'>,
  row: BlockRow,
  read: ReturnType<typeof readerOf>,
): Generator<string, undefined> {
  const [start, middle, end] = aroundLists(row, notation);
  yield start;
  const ids: TransactionId[] = [];
  for (const first of row.transaction_count === 0 ? [] : [0, ...row.further_parts]) {
    const part = read(() => present(partWith(rows, row, first), 'a part'));
    const texts = transactionsOf(part).map(({ id, transaction }) => {
      ids.push(id);
      return writeJson(signedTransaction.toJson(transaction, notation));
    });
    yield `${first === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield middle;
  for (let k = 0; k < ids.length; k += AT_ONCE) yield `${k === 0 ? '' : ','}${writeJson(ids.slice(k, k + AT_ONCE)).slice(1, -1)}`;
  yield end;
  return undefined;
}

/** What stands before, between and behind the items of the two lists in the record of a block. */
function aroundLists({ id, head }: BlockRow, notation: Call['notation']): readonly [string, string, string] {
  const header = readHeader(head);
  const derived = { block_id: id, signing_key: blockSigner({ header }) ?? NULL_KEY, transaction_ids: [] };
  const text = writeJson(blockRecord.toJson({ ...header, transactions: [], ...derived }, notation));
  const [start = '', middle = '', end = ''] = text.split(/(?<="transaction(?:s|_ids)":\[)(?=\])/);
  return [start, middle, end];
}

function transactionsOf(part: BlockPart): ReturnType<typeof readTrustedTransaction>[] {
  return part.ends.map((_, k) => {
    const bytes = transactionIn(part, part.first + k);
    return readTrustedTransaction(bytes, new ByteReader(bytes));
  });
}

/** All operations of a block, read a part at a time; none where there is no block. Refused when it is no longer kept. */
export function operationsInChunks({ rows }: Pick<Call, 'rows'>, number: number, onlyVirtual: boolean): Chunks<HistoryEntry> {
  const operations = new BlockOperations(rows, number);
  const { row, parts } = operations;
  const read = row === undefined ? undefined : readerOf(rows, row);
  let part = 0;
  let outside = 0;
  return new Chunks(() => {
    const first = parts[part++];
    if (first !== undefined) return read?.(() => operations.ofPart(first, onlyVirtual));
    const others = operations.outside(outside, (outside += AT_ONCE));
    return others.length === 0 ? undefined : others;
  });
}

/** Reads parts of a block as long as it is the same one. */
function readerOf(rows: Call['rows'], { number, id }: BlockRow): <T>(read: () => T) => T {
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
