import { DECIMALS, SATOSHIS } from '../../values/asset.ts';

/** A value of a column. Amounts are bigints in units of the smallest coin; `json` is the text of a jsonb. */
export type Cell = string | number | boolean | bigint | null | readonly string[] | { readonly json: string };

/** Collects rows in the text format of COPY. */
export class CopyText {
  #text = '';
  #count = 0;

  get text(): string {
    return this.#text;
  }

  get count(): number {
    return this.#count;
  }

  add(...cells: readonly Cell[]): void {
    let line = '';
    for (let k = 0; k < cells.length; k++) line += (k === 0 ? '' : '\t') + cellText(cells[k] ?? null);
    this.#text += `${line}\n`;
    this.#count += 1;
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
const REPLACED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\ufffd' };

function escaped(text: string): string {
  // eslint-disable-next-line no-control-regex -- the same
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => REPLACED[character] ?? '') : text;
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
  const size = amount < 0n ? -amount : amount;
  const sign = amount < 0n ? '-' : '';
  if (size < SAFE) {
    const units = String(Number(size)).padStart(DECIMALS + 1, '0');
    return `${sign}${units.slice(0, -DECIMALS)}.${units.slice(-DECIMALS)}`;
  }
  return `${sign}${size / SATOSHIS}.${String(size % SATOSHIS).padStart(DECIMALS, '0')}`;
}

const SAFE = 2n ** 53n;

/** The amount that a numeric of six decimals has. */
export function amountOf(text: string): bigint {
  return BigInt(text.replace('.', ''));
}
