import { InvalidArgumentError } from 'commander';

/** The positive whole number, below a billion, that the value of a flag says. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a positive whole number expected.');
  return Number(text);
}
