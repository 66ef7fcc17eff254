import { reached, type Row } from './bench.ts';
import { grouped, percent } from './table.ts';

const WIDTH = 960;
const LINE = 26;
const LABEL_WIDTH = 380;
const TOP = 40;
/** Bars end here: what is four times what was promised needs no longer bar. */
const LARGEST_SHARE = 4;
const SHARE_WIDTH = (WIDTH - LABEL_WIDTH - 190) / LARGEST_SHARE;

/** A picture of every line with a budget: how much of it is reached, with a mark where it is just met. */
export function plot(rows: readonly Row[], machine: string): string {
  const promised = rows.flatMap((row) => {
    const share = reached(row);
    return share === undefined ? [] : [{ row, share }];
  });
  const height = TOP + promised.length * LINE + 20;
  const met = LABEL_WIDTH + SHARE_WIDTH;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="10" y="18" font-weight="bold">Share of each budget that is reached</text><text x="10" y="33" fill="#666">${escaped(machine)}</text>`,
    ...promised.map(({ row, share }, index) => bar(row, share, TOP + index * LINE)),
    `<line x1="${met}" y1="${TOP - 4}" x2="${met}" y2="${height - 14}" stroke="#222" stroke-dasharray="3 3"/>`,
    `<text x="${met}" y="${height - 3}" text-anchor="middle">budget</text>`,
    '</svg>\n',
  ].join('\n');
}

function bar(row: Row, share: number, y: number): string {
  const width = Math.min(share, LARGEST_SHARE) * SHARE_WIDTH;
  const text = `${percent(share)}, ${grouped(row.perCpuSecond)} a CPU-second`;
  return [
    `<text x="${LABEL_WIDTH - 8}" y="${y + 16}" text-anchor="end">${escaped(row.name)}</text>`,
    `<rect x="${LABEL_WIDTH}" y="${y + 4}" width="${width.toFixed(1)}" height="${LINE - 8}" fill="${share >= 1 ? '#2a7f62' : '#c8553d'}"/>`,
    `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${y + 16}">${escaped(text)}</text>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
