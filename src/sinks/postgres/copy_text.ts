import { DECIMALS, SATOSHIS } from '../../values/asset.ts';

/** A value of a column. Amounts are bigints in units of the smallest coin; `json` is the text of a jsonb. */
export type Cell = string | number | boolean | bigint | null | readonly string[] | { readonly json: string };

/** Most tables get few rows at once. */
const FIRST_BYTES = 16 * 1024;
/** Of a unit of a text in UTF-8. */
const WIDEST_BYTES = 3;

/**
 * Collects rows in the text format of COPY: as bytes, because texts of so many pieces keep the garbage collector busy.
 */
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
      return escaped(storableText(cell));
    case 'bigint':
      return amountText(cell);
    case 'boolean':
      return cell ? 't' : 'f';
    default:
      if (cell === null) return '\\N';
      return 'json' in cell ? escaped(storableJson(cell.json)) : escaped(arrayText(cell));
  }
}

/**
 * A text of PostgreSQL holds neither NUL nor bytes that are no UTF-8. U+FFFD and two hex digits stand for such a byte,
 * and U+FFFD twice for itself, so that no two texts become one. The function `text_bytes` of the schema reads it
 * (schema/version_7.ts).
 */
const MARK = '\ufffd';
const marked = new Map([
  ['\0', `${MARK}00`],
  [MARK, MARK + MARK],
]);

// eslint-disable-next-line no-control-regex -- what COPY would misread, and what no text of PostgreSQL can be
const SPECIAL = /[\\\t\n\r\0\ufffd\ud800-\udfff]/;
/** Also half of a surrogate pair: a byte, as texts of any bytes have it in memory. */
// eslint-disable-next-line no-control-regex -- the same
const UNSTORABLE = /[\0\ufffd\ud800-\udfff]/gu;
/** The backslash first, because the others bring some. */
const WRITTEN: readonly (readonly [character: string, written: string])[] = [
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
];
/** Below, a pattern is quicker than a search for each character; above, the searches are ten times as quick. */
const SHORT_UNITS = 64;

/** The last long text: that of a document stands in a row twice. */
let last = { text: '', escaped: '' };

function escaped(text: string): string {
  if (text.length < SHORT_UNITS) return SPECIAL.test(text) ? escapeCharacter(text) : text;
  if (text !== last.text) last = { text, escaped: escapeCharacter(text) };
  return last.escaped;
}

function escapeCharacter(text: string): string {
  let escapedText = text;
  for (const [character, written] of WRITTEN)
    if (escapedText.includes(character)) escapedText = escapedText.replaceAll(character, written);
  return escapedText;
}

/** A text as the database holds it. */
function storableText(text: string): string {
  const isStorable =
    text.length < SHORT_UNITS
      ? !SPECIAL.test(text)
      : text.isWellFormed() && !text.includes('\0') && !text.includes(MARK);
  return isStorable ? text : text.replace(UNSTORABLE, (character) => marked.get(character) ?? markedByte(character));
}

function markedByte(half: string): string {
  return MARK + (half.charCodeAt(0) & 0xff).toString(16).padStart(2, '0');
}

const ESCAPE_OR_MARK = /\\(?:u[0-9a-f]{4}|[^])|\ufffd/gi;

/** The same for the texts in JSON, where an escape may stand for either character. */
function storableJson(json: string): string {
  if (!json.includes('\\u') && !json.includes(MARK)) return json;
  return json.replace(
    ESCAPE_OR_MARK,
    (found) => marked.get(found.length === 6 ? String.fromCharCode(parseInt(found.slice(2), 16)) : found) ?? found,
  );
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
export function parseAmount(text: string): bigint {
  return BigInt(text.replace('.', ''));
}
