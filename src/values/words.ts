/** Longer ids and names are cut in the middle where there is little room. */
const SHORT_ENDS = 8;

/** `10000000.500000 COIN` with its thousands apart, and without zeros that say nothing: `10,000,000.5 COIN`. */
export function amountText(amount: string): string {
  const [, sign = '', whole = '', decimals = '', symbol = ''] = /^(-?)(\d+)(?:\.(\d+))?( .*)?$/.exec(amount) ?? [];
  if (whole === '') return amount;
  const kept = decimals.replace(/0+$/, '');
  return `${sign}${countText(whole)}${kept === '' ? '' : `.${kept}`}${symbol}`;
}

/** An amount in parts, for columns whose decimal points stand below each other; undefined for what is none. */
export function amountParts(
  amount: string,
): { readonly whole: string; readonly fraction: string; readonly symbol: string } | undefined {
  const [, whole, fraction = '', symbol = ''] = /^(-?[\d,]+)(\.\d+)?(?: (.*))?$/.exec(amountText(amount)) ?? [];
  return whole === undefined ? undefined : { whole, fraction, symbol };
}

/** The same without decimals, where the size is what matters: `10,000,000 COIN`. */
export function wholeText(amount: string): string {
  return amountText(amount.replace(/\.\d+/, ''));
}

/** A whole number with its thousands apart, by a comma unless another separator is given. */
export function countText(count: number | bigint | string, separator = ','): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, separator);
}

/** Long ids by their ends. */
export function shortText(text: string): string {
  return text.length <= 2 * SHORT_ENDS + 1 ? text : `${text.slice(0, SHORT_ENDS)}…${text.slice(-SHORT_ENDS)}`;
}

/** `1 block`, `2 blocks`. */
export function counted(count: number | bigint, noun: string, nouns = `${noun}s`): string {
  return `${countText(count)} ${Number(count) === 1 ? noun : nouns}`;
}

/** Cuts a text that is longer than `most`, and no letter of two code units in the middle. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most)}…`;
}

/**
 * Closes the bidirectional isolates that a text opens, and opens those that it closes, line by line. Browsers end an
 * element's own isolate by such characters as well: unbalanced ones would reach into the text around it.
 */
export function balancedText(text: string): string {
  return text.replaceAll(/[^\n\r\u0085\u2029]+/g, (line) => {
    let [open, unopened] = [0, 0];
    for (const [character] of line.matchAll(/[\u2066-\u2069]/g)) {
      if (character !== '\u2069') open++;
      else if (open > 0) open--;
      else unopened++;
    }
    return `${'\u2068'.repeat(unopened)}${line}${'\u2069'.repeat(open)}`;
  });
}
