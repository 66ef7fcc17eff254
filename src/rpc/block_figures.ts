import type { Page } from '../jsonrpc/http/http_server.ts';
import { blockRow } from '../state/stored_blocks.ts';
import type { RowReader } from '../storage/rows.ts';
import { jsonPage } from '../jsonrpc/http/json_page.ts';

/** A visit reads at most two pages of the explorer's list. */
const MOST_BLOCKS = 50;

/** Tells the explorer the ids and sizes of blocks. No method tells a size without the whole block. */
export function blockFiguresPage(rows: RowReader): (first: string, last: string) => Page {
  return (first, last) => {
    const from = Number(first);
    const count = Math.min(MOST_BLOCKS, Number(last) - from + 1, 0xffff_ffff - from + 1);
    const blocks = Array.from({ length: Math.max(0, count) }, (_, k) => blockRow(rows, from + k)).flatMap((row) =>
      row === undefined || row.number === 0
        ? []
        : [{ number: row.number, id: row.id, bytes: row.packed_size, transactions: row.transaction_count }],
    );
    return jsonPage(JSON.stringify({ blocks }));
  };
}
