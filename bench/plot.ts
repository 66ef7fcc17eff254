import { reached, type Row } from './bench.ts';
import { budgetText, grouped, percent } from './table.ts';

const WIDTH = 1000;
const LABEL_WIDTH = 370;
const VALUE_WIDTH = 190;
/** A bar ends at three times the promise. */
const LARGEST_SHARE = 3;
const SHARE_WIDTH = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / LARGEST_SHARE;
const TOP = 104;
const OURS = { height: 18, line: 26 };
const THEIRS = { height: 9, line: 15 };
const GAP = 8;
/** A bench with more promises shows those that it is closest to breaking. */
const [MOST_PROMISES, CLOSEST_PROMISES] = [12, 3];
/** Letters of the names that fit, 12 px high. */
const LONGEST_LABEL = 54;

/** It brings its background along, so it can be read on any page; where the reader prefers a dark one, it is dark. */
const STYLE = `<style>
${palette({ paper: '#ffffff', ink: '#1f2328', soft: '#59636e', rule: '#d1d9e0', kept: '#2a7f62', missed: '#c8553d', others: '#9aa4ae' })}
@media (prefers-color-scheme: dark) {
${palette({ paper: '#0d1117', ink: '#e6edf3', soft: '#9198a1', rule: '#3d444d', kept: '#3fb28a', missed: '#e5735c', others: '#6e7681' })}
}
</style>`;

/** The lines of one bench that a picture needs, and when and where they were taken. */
export interface BenchFigures {
  /** Its path below bench/, such as `chain/replay.js`. */
  readonly bench: string;
  readonly machine: string;
  /** ISO 8601. */
  readonly when: string;
  readonly rows: readonly Row[];
}

/** A bar: so much of what was promised. */
interface Bar {
  readonly label: string;
  readonly share: number;
  readonly value: string;
  readonly kind: 'kept' | 'missed' | 'others';
}

/** The figures that a picture is drawn from, in the order of their benches' paths. */
export type Figures = readonly BenchFigures[];

/** The figures after some benches have run again: theirs are replaced, those of the others stay. */
export function withNewer(kept: Figures, newer: Figures): Figures {
  const ran = new Set(newer.map(({ bench }) => bench));
  const all = [
    ...kept.filter(({ bench }) => !ran.has(bench)),
    ...newer.map((one) => Object.assign({}, one, { rows: one.rows.filter(isDrawn(one.rows)) })),
  ];
  return all.filter(({ rows }) => rows.length > 0).toSorted((a, b) => (a.bench < b.bench ? -1 : 1));
}

/** Lines with a budget, and those that they are compared with. */
function isDrawn(rows: readonly Row[]): (row: Row) => boolean {
  const baselines = new Set(rows.flatMap(({ budget, baseline }) => (budget === undefined ? [] : [baseline])));
  return ({ name, budget, peerOf }) => budget !== undefined || peerOf !== undefined || baselines.has(name);
}

/** A picture of figures: every line with a budget as a share of it, above what others reach. The same figures give the same picture. */
export function plot(figures: Figures): string {
  const rows = figures.flatMap((one) => one.rows);
  const drawn: string[] = [];
  let y = TOP;
  for (const bars of figures.flatMap(promisedRows).map((row) => [ownBar(row)].concat(peerBars(row, rows)))) {
    for (const bar of bars) {
      drawn.push(barText(bar, y));
      y += bar.kind === 'others' ? THEIRS.line : OURS.line;
    }
    y += GAP;
  }
  const height = y + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    STYLE,
    `<rect width="${WIDTH}" height="${height}" rx="8" class="paper"/>`,
    ...heading(figures),
    ...[0, 1, 2, 3].map((share) => axis(share, height)),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

/** Lines of a bench with a budget. Of many only the closest to their budgets: the others are further below it. */
export function promisedRows({ bench, rows }: BenchFigures): Row[] {
  const promised = rows.filter(({ budget }) => budget !== undefined);
  if (promised.length <= MOST_PROMISES) return promised;
  const closest = promised.toSorted((a, b) => (reached(a) ?? 0) - (reached(b) ?? 0)).slice(0, CLOSEST_PROMISES);
  return closest.map((row, place) =>
    Object.assign({}, row, { name: `${bench.replace('.js', '')}, ${place + 1} of ${promised.length}: ${row.name}` }),
  );
}

/** Plain rules, no variables: whatever draws pictures understands them. */
function palette({ paper, ink, soft, rule, kept, missed, others }: Readonly<Record<string, string>>): string {
  const filled = Object.entries({ paper, soft, kept, missed, others }).map(
    ([name, colour]) => `.${name} { fill: ${colour}; }`,
  );
  return [
    `text { fill: ${ink}; }`,
    `line { stroke: ${rule}; }`,
    `.budget { stroke: ${ink}; }`,
    `.value { stroke: ${paper}; stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }`,
    ...filled,
  ].join('\n');
}

function ownBar(row: Row): Bar {
  const share = reached(row) ?? 0;
  const promised = row.budget === undefined ? '' : budgetText(row.budget, row.amount?.unit ?? '');
  const found = 'ratio' in (row.budget ?? {}) ? `${(row.ratio ?? 0).toFixed(2)}×` : figureText(row);
  return {
    label: row.name,
    share,
    value: `${percent(share)} · ${found} of ${promised}`,
    kind: share >= 1 ? 'kept' : 'missed',
  };
}

/** Bars of the compared row, and of rows of other programs that do the same. */
function peerBars(row: Row, rows: readonly Row[]): Bar[] {
  const share = reached(row);
  if (share === undefined || row.amount !== undefined) return [];
  return rows
    .filter(({ name, peerOf }) => name === row.baseline || peerOf === row.name)
    .map((other) => ({
      label: other.name,
      share: (share * other.perCpuSecond) / row.perCpuSecond,
      value: figureText(other),
      kind: 'others',
    }));
}

/** A row's figure with its unit; without a unit it is work a CPU-second. */
export function figureText({ perCpuSecond, amount }: Row): string {
  return amount === undefined ? grouped(perCpuSecond) : `${grouped(amount.value)} ${amount.unit}`;
}

function heading(figures: Figures): string[] {
  const days = figures.map(({ when }) => when.slice(0, 10)).toSorted();
  const when = [...new Set([days.at(0), days.at(-1)])].join(' to ');
  const machines = [...new Set(figures.map(({ machine }) => machine))].join('; ');
  const legend: (readonly [Bar['kind'], string, number])[] = [
    ['kept', 'ours, budget met', 16],
    ['missed', 'ours, not met', 156],
    ['others', 'what it is compared with, same run', 276],
  ];
  return [
    '<text x="16" y="28" font-size="17" font-weight="600">Measured against the budgets</text>',
    `<text x="16" y="47" class="soft">${escaped(`${when} · ${machines} · work in a second of CPU time of the whole process unless a unit is named · longer is better`)}</text>`,
    ...legend.flatMap(([kind, text, x]) => [
      `<rect x="${x}" y="60" width="11" height="11" rx="2" class="${kind}"/>`,
      `<text x="${x + 17}" y="70">${escaped(text)}</text>`,
    ]),
  ];
}

function axis(share: number, height: number): string {
  const x = (LABEL_WIDTH + share * SHARE_WIDTH).toFixed(1);
  const isBudget = share === 1;
  return [
    `<line x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${height - 10}" ${isBudget ? 'class="budget" stroke-dasharray="4 3"' : ''}/>`,
    `<text x="${x}" y="${TOP - 12}" text-anchor="middle" ${isBudget ? 'font-weight="600"' : 'class="soft"'}>${isBudget ? 'budget, 100 %' : percent(share)}</text>`,
  ].join('');
}

function barText({ label, share, value, kind }: Bar, y: number): string {
  const isOurs = kind !== 'others';
  const { height } = isOurs ? OURS : THEIRS;
  const width = Math.max(1, Math.min(share, LARGEST_SHARE) * SHARE_WIDTH);
  const middle = y + height / 2;
  const classes = (more: string): string => (isOurs ? `class="${more}"` : `class="soft ${more}" font-size="10.5"`);
  const beyond = share > LARGEST_SHARE ? '» ' : '';
  return [
    `<text x="${LABEL_WIDTH - 10}" y="${middle + 4}" text-anchor="end" ${classes('name')}>${escaped(shortened(label))}</text>`,
    `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${height}" rx="2" class="${kind}"/>`,
    `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${middle + 4}" ${classes('value')}>${escaped(beyond + value)}</text>`,
  ].join('');
}

function shortened(label: string): string {
  return label.length <= LONGEST_LABEL ? label : `${label.slice(0, LONGEST_LABEL - 1)}…`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
