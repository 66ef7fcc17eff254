import { InvalidArgumentError } from 'commander';

/** Parses the value of a flag as a positive whole number below a billion. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a positive whole number expected.');
  return Number(text);
}

/** The same, or zero. */
export function wholeNumber(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) throw new InvalidArgumentError('a whole number, 0 or more, expected.');
  return Number(text);
}
