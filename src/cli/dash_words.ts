import type { Command } from 'commander';

/** Stands for a word `--` while the command line is parsed; no argument of a program can contain it. */
const MARK = '\0--';

/**
 * Marks each `--` behind the first word of a command as a word of its own, such as a memo: Commander drops the first
 * one. A `--` before that word ends the flags, as everywhere.
 */
export function markDashWords(args: readonly string[], { options }: Command): string[] {
  const first = firstWord(args, options);
  return args.map((arg, at) => (arg === '--' && at > first ? MARK : arg));
}

/** The words as they were typed. */
export function unmarkedWords(words: readonly string[]): string[] {
  return words.map((word) => (word === MARK ? '--' : word));
}

/** Returns the position of the first word; behind the end when all are flags and their values, or `--` comes first. */
function firstWord(args: readonly string[], options: Command['options']): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') return args.length;
    if (!arg.startsWith('-')) return at;
    const option = options.find(({ long, short }) => arg === long || arg === short);
    const takesNext =
      option?.required === true || (option?.optional === true && args[at + 1]?.startsWith('-') === false);
    if (takesNext) at++;
  }
  return args.length;
}
