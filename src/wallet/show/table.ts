import { coloured, escapeControls, type Terminal } from './terminal.ts';

/** One column: its title and its alignment. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

const GAP = '  ';

/** Rows below their titles, each column as wide as its widest cell; lines never end in blanks. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const cells = rows.map((row) => columns.map((_, k) => escapeControls(row[k] ?? '').replaceAll('\n', ' ')));
  const widths = columns.map(({ title }, k) => Math.max(title.length, ...cells.map((row) => textWidth(row[k] ?? ''))));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ align }, k) => padded(row[k] ?? '', widths[k] ?? 0, align))
      .join(GAP)
      .trimEnd();
  const titles = line(columns.map(({ title }) => title));
  return `${[coloured(titles, 'bold', terminal), ...cells.map(line)].join('\n')}\n`;
}

/** The width in characters, an approximation of the width on a terminal. */
function textWidth(text: string): number {
  return [...text].length;
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}
