import { reached, type Row } from './bench.ts';
import { figureText, promisedRows, type BenchFigures, type Figures } from './plot.ts';
import { budgetText, percent } from './table.ts';

const HEADING = `# Promises and what was measured

\`npm run bench -- --figures\` writes this page from figures.json. [README](README.md) says how to run a bench and what is
counted. The picture of the same figures is [figures.svg](figures.svg).
`;

/** The page of all kept figures with a budget: a table for each bench. The same figures give the same page. */
export function figuresPage(figures: Figures): string {
  const missed = figures.flatMap(promisedRows).filter((row) => !isKept(row)).length;
  const count = figures.flatMap(promisedRows).length;
  return [HEADING, `${count - missed} of ${count} promises are kept.\n`, ...figures.map(section)].join('\n');
}

function section(figures: BenchFigures): string {
  const { bench, machine, when } = figures;
  const rows = promisedRows(figures).map((row) => `| ${rowCells(row).map(cellText).join(' | ')} |`);
  if (rows.length === 0) return '';
  return [
    `## ${bench.replace('.js', '')}`,
    '',
    `${machine}, ${when.slice(0, 10)}.`,
    '',
    '| measured | figure | promised | kept |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function rowCells(row: Row): string[] {
  const figure = row.ratio === undefined ? figureText(row) : `${figureText(row)}, ${row.ratio.toFixed(2)}×`;
  const promised = row.budget === undefined ? '' : budgetText(row.budget, row.amount?.unit ?? '');
  return [row.name, figure, promised, `${isKept(row) ? 'yes' : '**no**'}, ${percent(reached(row) ?? 0)}`];
}

function isKept(row: Row): boolean {
  return (reached(row) ?? 0) >= 1;
}

function cellText(text: string): string {
  return text.replaceAll('|', '\\|');
}
