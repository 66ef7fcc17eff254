import { reached, type Budget, type Row } from './bench.ts';

const HEADINGS = ['what', 'a CPU-second', 'each', 'ratio', 'budget', 'reached', 'note'];
/** Of footnotes: what terminals and diffs show without breaking. */
const MOST_COLUMNS = 140;

/**
 * All lines as one table of plain text in Markdown's form; what was counted, the baselines and the notes stand below,
 * numbered.
 */
export function table(rows: readonly Row[]): string {
  const footnotes = new Footnotes();
  const cells = [HEADINGS, ...rows.map((row) => rowCells(row, footnotes))];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return [...lines, '', ...footnotes.lines()].join('\n');
}

/** Texts below a table, each once, by its number from 1. */
class Footnotes {
  readonly #numbers = new Map<string, number>();

  footnoteNumber(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size + 1;
    this.#numbers.set(text, number);
    return number;
  }

  lines(): string[] {
    return [...this.#numbers].map(([text, number]) => broken(`${number}. ${text}`, '   '));
  }
}

function rowCells(row: Row, footnotes: Footnotes): string[] {
  const share = reached(row);
  const baseline = row.baseline === undefined ? '' : `; ratio to ${row.baseline}`;
  const note = row.note === undefined ? '' : `; ${row.note}`;
  return [
    row.name,
    row.amount === undefined ? grouped(row.perCpuSecond) : '',
    row.amount === undefined ? microsText(1e6 / row.perCpuSecond) : `${grouped(row.amount.value)} ${row.amount.unit}`,
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}×`,
    row.budget === undefined ? '' : budgetText(row.budget, row.amount?.unit ?? ''),
    share === undefined ? '' : `${share >= 1 ? 'yes' : 'NO'}, ${percent(share)}`,
    String(footnotes.footnoteNumber(`Counted: ${row.counted}${baseline}${note}.`)),
  ];
}

/** Describes a budget; `unit` is that of an amount. */
export function budgetText(budget: Budget, unit: string): string {
  if ('ratio' in budget) return `${budget.ratio}×`;
  return 'atMost' in budget ? `≤ ${grouped(budget.atMost)} ${unit}` : grouped(budget.perCpuSecond);
}

function microsText(micros: number): string {
  return `${micros < 1000 ? micros.toPrecision(3) : grouped(micros)} µs`;
}

/** Broken between words where it gets too wide; what follows begins with `indent`. */
function broken(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MOST_COLUMNS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${indent}${word}`);
  }
  return lines.join('\n');
}

/** A share as whole per cent, never rounded up to one that was not reached. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** A number with its thousands apart. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
