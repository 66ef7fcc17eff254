import type { Json } from '../../codec/json.ts';
import { qrCode, type Modules } from '../qr_code.ts';
import { member } from '../../client/chain_of_node.ts';
import { escapeControls, type Terminal } from './terminal.ts';

/** Width of the light border around the code, which cameras need to find it. */
const QUIET = 4;

/** The `text` of a result as a QR code, two rows of modules per line, and below it the text. */
export function showQrCode(result: Json, terminal: Terminal): string {
  const text = member(result, 'text');
  return typeof text === 'string' ? `${drawn(qrCode(text), terminal)}${escapeControls(text)}\n` : '';
}

/** Black on white where colours may be used, else drawn for terminals with light text on a dark background. */
function drawn(modules: Modules, { colours }: Terminal): string {
  const size = modules.length + QUIET * 2;
  const isDark = (x: number, y: number): boolean => modules[y - QUIET]?.[x - QUIET] === true;
  const isInk = (x: number, y: number): boolean => (colours ? isDark(x, y) : !isDark(x, y));
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const line = Array.from({ length: size }, (_, x) => halves(isInk(x, y), isInk(x, y + 1))).join('');
    lines.push(colours ? `\u001B[30;107m${line}\u001B[0m` : line);
  }
  return `${lines.join('\n')}\n`;
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
