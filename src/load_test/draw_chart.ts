import { escapeHtml } from './escape_html.ts';

const WIDTH = 640;
const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 22, 14, 36];
const MOST_TICKS = 6;

/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** The line has a gap at each undefined value. */
  readonly points: readonly (readonly [x: number, y: number | undefined])[];
  /** Drawn in the colour of failures. */
  readonly isBad?: boolean;
}

/** A chart of lines over a common axis. */
export interface LineChart {
  readonly title: string;
  readonly axis: string;
  /** Latencies span decades: on a logarithmic scale p50 is seen beside p99.9. */
  readonly isLogarithmic?: boolean;
  readonly series: readonly Series[];
}

/** Bars with names and counts. */
export interface BarChart {
  readonly bars: readonly (readonly [name: string, value: number])[];
}

/** The largest values of the axes, common to charts that are compared by eye. */
export interface Extent {
  readonly x: number;
  readonly y: number;
}

/** The extent of values that are all 0. */
const NOTHING = Number.MIN_VALUE;

/** The extent that holds all points of all these charts. */
export function extentOf(charts: readonly LineChart[]): Extent {
  const points = charts.flatMap(({ series }) => series.flatMap(({ points: own }) => own));
  return {
    x: points.reduce((most, [x]) => Math.max(most, x), NOTHING),
    y: points.reduce((most, [, y]) => Math.max(most, y ?? 0), NOTHING),
  };
}

/** Draws lines as SVG, below their names; empty where no series has a point. */
export function drawLines({ title, axis, series, isLogarithmic = false }: LineChart, extent: Extent): string {
  const drawn = series.filter(({ points }) => points.some(([, y]) => y !== undefined));
  if (drawn.length === 0) return '';
  const share = isLogarithmic ? logarithmicShare(extent.y) : (y: number) => y / extent.y;
  const placeX = (x: number): string => (LEFT + (x / extent.x) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const placeY = (y: number): string => (HEIGHT - BOTTOM - share(y) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const lines = drawn.map(({ name, points, isBad = false }, index) => {
    const colour = isBad ? 'bad' : index;
    const pieces = unbroken(points).map(
      (piece) => `<polyline points="${piece.map(([x, y]) => `${placeX(x)},${placeY(y)}`).join(' ')}"/>`,
    );
    return `<g class="line c${colour}"><title>${escapeHtml(name)}</title>${pieces.join('')}</g>`;
  });
  // Letters of a drawing shrink with it: what needs no place in it stands beside it.
  const legend = drawn.map(
    ({ name, isBad = false }, index) => `<span class="f${isBad ? 'bad' : index}">${escapeHtml(name)}</span>`,
  );
  const ticksX = roundTicks(extent.x).map(
    (x) => `<text class="tick" x="${placeX(x)}" y="${HEIGHT - 5}" text-anchor="middle">${shortNumber(x)}</text>`,
  );
  const ticksY = (isLogarithmic ? decades(extent.y) : roundTicks(extent.y)).map(
    (y) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${placeY(y)}" y2="${placeY(y)}"/><text class="tick" x="${LEFT - 6}" y="${Number(placeY(y)) + 4}" text-anchor="end">${shortNumber(y)}</text>`,
  );
  const label = `${title}: ${drawn.map(({ name }) => name).join(', ')}, by ${axis}`;
  return `<p class="legend" aria-hidden="true">${legend.join(' ')}</p><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(label)}">${ticksY.join('')}${ticksX.join('')}${lines.join('')}</svg><p class="axis" aria-hidden="true">${escapeHtml(axis)}</p>`;
}

/** The pieces of a line between its gaps. A value between two gaps is a piece of two equal points: a dot. */
function unbroken(points: Series['points']): (readonly [x: number, y: number])[][] {
  const pieces: (readonly [number, number])[][] = [];
  let isOpen = false;
  for (const [x, y] of points) {
    if (y !== undefined && isOpen) pieces.at(-1)?.push([x, y]);
    else if (y !== undefined) pieces.push([[x, y]]);
    isOpen = y !== undefined;
  }
  return pieces.map((piece) => (piece.length === 1 ? piece.concat(piece) : piece));
}

/** Draws bars, of which the longest has the full width, with names that may need several lines; empty without bars. */
export function drawBars({ bars }: BarChart, most: number): string {
  if (bars.length === 0) return '';
  const rows = bars.map(([name, value]) => {
    const width = ((value / most) * 100).toFixed(1);
    return `<li><b>${value}</b><span>${escapeHtml(name)}<i style="width:${width}%"></i></span></li>`;
  });
  return `<ol class="bars">${rows.join('')}</ol>`;
}

/** Smaller values stand on the axis. */
const LEAST = 0.1;

function logarithmicShare(most: number): (y: number) => number {
  const decadesShown = Math.log10(Math.max(most, 10 * LEAST) / LEAST);
  return (y) => Math.log10(Math.max(y, LEAST) / LEAST) / decadesShown;
}

/** Ticks at round numbers: each one, two or five times a power of ten. */
function roundTicks(most: number): number[] {
  if (most === NOTHING) return [0];
  const least = most / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (ROUND.find((times) => times * power >= least) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, tick) => tick * step);
}

const ROUND = [1, 2, 5, 10];

function decades(most: number): number[] {
  const found: number[] = [];
  for (let decade = LEAST; decade <= Math.max(most, 10 * LEAST) * (1 + Number.EPSILON); decade *= 10)
    found.push(decade);
  return found;
}

/** A number with two or three digits and, from 10 000 on, a unit of thousands or millions. */
export function shortNumber(value: number): string {
  if (value >= 1e7) return `${(value / 1e6).toFixed(0)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}
