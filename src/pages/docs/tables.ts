import { countText } from '../../values/words.ts';

/** A row of the table of messages. */
interface MessageRow {
  readonly name: string;
  readonly lane: number;
  readonly mostBytes: number;
  readonly large?: { readonly lane: number; readonly mostBytes: number };
  readonly layout: string;
}

/** Marks the place of a table that declarations make: `<!-- table: messages -->`. */
const PLACE = /^<!-- table: (\w+) -->$/gm;

/** A text with its tables in their places. Throws for a place whose table nobody makes. */
export function withTables(text: string, tables: Readonly<Record<string, string>>): string {
  return text.replace(PLACE, (place, name: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`nobody makes the table of ${place}`);
    return table;
  });
}

/** The kinds of messages between nodes by their numbers, as a table in Markdown. */
export function messageTable(kinds: Readonly<Record<number, MessageRow>>): string {
  const rows = Object.entries(kinds).map(([number, { name, lane, mostBytes, large, layout }]) => {
    const lanes = large === undefined ? `${lane}` : `${lane}, above ${mostBytes / 1024} KiB ${large.lane}`;
    return `| ${number} | ${name} | ${lanes} | ${grouped(large?.mostBytes ?? mostBytes)} | ${layout} |`;
  });
  return ['| # | kind | lane | bytes at most | layout |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** A number as the docs write it: `50 335 744`. */
export function grouped(count: number | bigint): string {
  return countText(count, ' ');
}
