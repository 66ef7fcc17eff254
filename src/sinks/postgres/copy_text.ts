import { DECIMALS, SATOSHIS } from '../../values/asset.ts';

/** A value of a column. Amounts are bigints in units of the smallest coin; `json` is the text of a jsonb. */
export type Cell = string | number | boolean | bigint | null | readonly string[] | { readonly json: string };

/** Most tables get few rows at once. */
const FIRST_BYTES = 16 * 1024;
/** Of a unit of a text in UTF-8. */
const WIDEST_BYTES = 3;

/** Collects rows in the text format of COPY: as bytes, because texts of so many pieces keep the garbage collector busy. */
export class CopyText {
  #room = Buffer.allocUnsafe(FIRST_BYTES);
  #end = 0;
  #count = 0;

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#end);
  }

  get count(): number {
    return this.#count;
  }

  add(...cells: readonly Cell[]): void {
    let line = '';
    for (let k = 0; k < cells.length; k++) line += (k === 0 ? '' : '\t') + cellText(cells[k] ?? null);
    line += '\n';
    this.#reserve(line.length * WIDEST_BYTES);
    this.#end += this.#room.write(line, this.#end);
    this.#count += 1;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#room.length) return;
    const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length));
    room.set(this.bytes);
    this.#room = room;
  }
}

function cellText(cell: Cell): string {
  switch (typeof cell) {
    case 'number':
      return String(cell);
    case 'string':
      return escaped(cell);
    case 'bigint':
      return amountText(cell);
    case 'boolean':
      return cell ? 't' : 'f';
    default:
      if (cell === null) return '\\N';
      return 'json' in cell ? escaped(withoutNul(cell.json)) : escaped(arrayText(cell));
  }
}

// eslint-disable-next-line no-control-regex -- what COPY would misread
const SPECIAL = /[\\\t\n\r\0]/;
/** The backslash first, because the others bring some. */
const WRITTEN: readonly (readonly [character: string, written: string])[] = [
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\0', '\ufffd'],
];
/** Below, a pattern is quicker than a search for each character; above, the searches are ten times as quick. */
const SHORT_UNITS = 64;

/** The last long text: that of a document stands in a row twice. */
let last = { text: '', escaped: '' };

function escaped(text: string): string {
  if (text.length < SHORT_UNITS) return SPECIAL.test(text) ? escapedAt(text) : text;
  if (text !== last.text) last = { text, escaped: escapedAt(text) };
  return last.escaped;
}

function escapedAt(text: string): string {
  let escapedText = text;
  for (const [character, written] of WRITTEN) if (escapedText.includes(character)) escapedText = escapedText.replaceAll(character, written);
  return escapedText;
}

/** A jsonb can't hold the character 0; an even number of backslashes before u0000 is text. */
function withoutNul(json: string): string {
  return json.includes('\\u0000') ? json.replace(/\\(?:u0000|[^])/g, (escape) => (escape === '\\u0000' ? '\\ufffd' : escape)) : json;
}

/** Names have no characters that would need more care. */
function arrayText(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Coins with all decimals, such as -0.000001. */
export function amountText(amount: bigint): string {
  if (amount === 0n) return NOTHING; // what most operations change of most accounts
  const size = amount < 0n ? -amount : amount;
  const sign = amount < 0n ? '-' : '';
  if (size < SAFE) {
    const units = String(Number(size)).padStart(DECIMALS + 1, '0');
    return `${sign}${units.slice(0, -DECIMALS)}.${units.slice(-DECIMALS)}`;
  }
  return `${sign}${size / SATOSHIS}.${String(size % SATOSHIS).padStart(DECIMALS, '0')}`;
}

const SAFE = 2n ** 53n;
const NOTHING = `0.${'0'.repeat(DECIMALS)}`;

/** The amount that a numeric of six decimals has. */
export function amountOf(text: string): bigint {
  return BigInt(text.replace('.', ''));
}
