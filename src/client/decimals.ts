/** Decimals of every amount, whatever its symbol. */
const DECIMALS = 6;
/** No sign, exponent or separator of thousands: a text that can be read in two ways is none. */
const NUMBER = /^(\d{1,40})(?:\.(\d{1,6}))?$/;

/** The millionths in a decimal number such as `1.5`; undefined for another text. */
export function parseMillionths(decimal: string): bigint | undefined {
  const [, whole, fraction = ''] = NUMBER.exec(decimal) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** A number of millionths, not below 0, with all six decimals: 1500000 is `1.500000`. */
export function millionthsText(millionths: bigint | string): string {
  const digits = String(millionths).padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
