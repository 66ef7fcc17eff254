import { reached, type Budget, type Row } from './bench.ts';

const HEADINGS = ['what', 'counted', 'a CPU-second', 'µs each', 'baseline of the same run', 'ratio', 'budget', 'reached', 'note'];

/** All lines as one table of plain text, in Markdown's form. */
export function table(rows: readonly Row[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

function cellsOf(row: Row): string[] {
  const share = reached(row);
  return [
    row.name,
    row.counted,
    grouped(row.perCpuSecond),
    (1e6 / row.perCpuSecond).toPrecision(3),
    row.baseline ?? '',
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}×`,
    row.budget === undefined ? '' : budgetText(row.budget),
    share === undefined ? '' : `${share >= 1 ? 'yes' : 'NO'}, ${percent(share)}`,
    row.note ?? '',
  ];
}

function budgetText(budget: Budget): string {
  return 'ratio' in budget ? `${budget.ratio}× baseline` : grouped(budget.perCpuSecond);
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
