import type { Command } from 'commander';

const UNKNOWN = /unknown option '--([\w-]+)/;

/**
 * The error about an unknown option, with the option of the command that says the same in fewer or more words: what is
 * `--genesis-json` for a node is `--genesis` for an offline command. Commander itself finds mistyped letters alone.
 */
export function withOptionHint(error: string, command: Pick<Command, 'options'>): string {
  const [, unknown] = UNKNOWN.exec(error) ?? [];
  if (unknown === undefined || error.includes('Did you mean')) return error;
  const known = command.options.flatMap(({ long }) => long?.replace(/^--/, '') ?? []);
  const meant = known.find((name) => isLonger(name, unknown) || isLonger(unknown, name));
  return meant === undefined ? error : `${error.trimEnd()}\n(Did you mean --${meant}?)\n`;
}

function isLonger(name: string, than: string): boolean {
  return name.startsWith(`${than}-`);
}
