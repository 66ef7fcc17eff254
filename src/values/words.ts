/** Longer ids and names are cut in the middle where there is little room. */
const SHORT_ENDS = 8;

/** `10000000.500000 COIN` with its thousands apart, and without zeros that say nothing: `10,000,000.5 COIN`. */
export function amountText(amount: string): string {
  const [, sign = '', whole = '', decimals = '', symbol = ''] = /^(-?)(\d+)(?:\.(\d+))?( .*)?$/.exec(amount) ?? [];
  if (whole === '') return amount;
  const kept = decimals.replace(/0+$/, '');
  return `${sign}${countText(whole)}${kept === '' ? '' : `.${kept}`}${symbol}`;
}

/** An amount in parts. */
interface AmountParts {
  readonly whole: string;
  /** With its point, and without the zeros at its end. */
  readonly fraction: string;
  /** With the point when nothing else is behind it. */
  readonly zeros: string;
  readonly symbol: string;
}

/** For columns whose decimal points stand below each other; undefined for what is no amount. */
export function amountParts(amount: string): AmountParts | undefined {
  const [, whole, fraction = '', zeros = '', symbol = ''] =
    /^(-?\d+)(\.\d*[1-9])?(\.?0+)?(?: (.*))?$/.exec(amount) ?? [];
  return whole === undefined ? undefined : { whole: amountText(whole), fraction, zeros, symbol };
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

/** Marks of a letter that are shown: no writing needs more, and a stack of them covers the lines above. */
const MARKS = /(\p{M}{4})\p{M}+/gu;

/** Cuts stacks of marks. */
export function unstackedText(text: string): string {
  return text.replaceAll(MARKS, '$1…');
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
