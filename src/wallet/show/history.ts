import type { Json } from '../../codec/json.ts';
import { member } from '../../client/chain_of_node.ts';
import { table, type Column } from './table.ts';
import { cellText } from './text.ts';
import type { Terminal } from './terminal.ts';

const NUMBER: Column = { title: '#', align: 'right' };
const ENTRY: readonly Column[] = [
  { title: 'BLOCK', align: 'right' },
  { title: 'TIME', align: 'left' },
  { title: 'TRANSACTION', align: 'left' },
  { title: 'OPERATION', align: 'left' },
  { title: 'DETAILS', align: 'left' },
];

/** Enough of an id to recognise it; `--json` shows the whole id. */
const ID_CHARACTERS = 8;

/** The history of an account, one line per entry. */
export function showHistory(result: Json, terminal: Terminal): string {
  const rows = Array.isArray(result)
    ? result.map((pair) => (Array.isArray(pair) ? [cellText(pair[0]), ...entryCells(pair[1])] : []))
    : [];
  return rows.length === 0 ? 'no entries\n' : table([NUMBER, ...ENTRY], rows, terminal);
}

/** The operations of a block, one per line. */
export function showOperations(result: Json, terminal: Terminal): string {
  const rows = Array.isArray(result) ? result.map(entryCells) : [];
  return rows.length === 0 ? 'no operations\n' : table(ENTRY, rows, terminal);
}

function entryCells(entry: Json | undefined): string[] {
  const [name, body] = operationPair(member(entry, 'op'));
  const id = cellText(member(entry, 'trx_id'));
  const isVirtual = /^0*$/.test(id);
  return [
    cellText(member(entry, 'block')),
    cellText(member(entry, 'timestamp')),
    isVirtual ? '' : id.slice(0, ID_CHARACTERS),
    name,
    membersInLine(body),
  ];
}

function operationPair(op: Json | undefined): [string, Json | undefined] {
  return Array.isArray(op) ? [cellText(op[0]), op[1]] : [cellText(op), undefined];
}

/** `from=alice to=bob amount=1.000000 COIN`: every non-empty member except the fee. */
export function membersInLine(body: Json | undefined): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return cellText(body);
  const said = Object.entries(body).filter(
    ([name, value]) => name !== 'fee' && cellText(value) !== '' && cellText(value) !== '[]',
  );
  return said.map(([name, value]) => `${name}=${cellText(value)}`).join(' ');
}
