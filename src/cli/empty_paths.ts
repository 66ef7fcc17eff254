import type { Command } from 'commander';
import { Fault } from '../base/fault.ts';

const PATH = /<(file|folder|path)s?(?:\.\.\.)?>/;
/** Of a member in JSON, which `pharos call` takes: '' is the result itself. */
const NO_FILE = '--member';

/**
 * Refuses '' for a file or a folder, as a script with an unset variable passes it. It would be the current folder, or a
 * file without a name. Fault `configuration` names the flag or the argument.
 */
export function refuseEmptyPaths(command: Command): void {
  for (const option of command.options) {
    const [, kind] = PATH.exec(option.flags) ?? [];
    const name = option.attributeName();
    // A default of '' stands for another flag.
    if (kind === undefined || option.long === NO_FILE || command.getOptionValueSource(name) !== 'cli') continue;
    if (isEmpty(command.getOptionValue(name))) throw empty(option.long ?? option.flags, kind);
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    const [, kind] = PATH.exec(`<${argument.name()}>`) ?? [];
    if (kind !== undefined && isEmpty(command.processedArgs[index])) throw empty(`the argument ${kind}`, kind);
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === '';
}

function empty(place: string, kind: string): Fault {
  return new Fault(
    'configuration',
    `${place} is empty: name a ${kind === 'path' ? 'file' : kind}; a variable may be unset`,
  );
}
