import { InvalidArgumentError } from 'commander';

/** The positive whole number, below a billion, that the value of a flag says. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a positive whole number expected.');
  return Number(text);
}

/** The same, or zero. */
export function wholeNumber(text: string): number {
  return text === '0' ? 0 : positive(text);
}
