import { Fault } from '../base/fault.ts';

/** The most numbers in one range: about as many as a chain produces blocks in a year. */
const MOST_NUMBERS = 10_512_000;

/** The numbers in a text such as `1-200,250,300`, in that order. Fault `configuration` names the flag. */
export function parseBlockNumbers(text: string, flag: string): number[] {
  return text.split(',').flatMap((part) => {
    const match = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part);
    const first = Number(match?.[1]);
    const last = Number(match?.[2] ?? match?.[1]);
    const count = last - first + 1;
    if (match === null || first < 1 || count < 1 || count > MOST_NUMBERS)
      throw new Fault('configuration', `${flag}: block numbers such as 1-200,250 expected, got "${text}"`);
    return Array.from({ length: count }, (_, index) => first + index);
  });
}
