import type { Command } from 'commander';
import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';

/** Flags that would be left unheard without one of others, such as `--log` without `--bundle`. */
type NeededFlags = Readonly<Record<string, readonly string[]>>;

/**
 * For the hook `preAction` of a command: refuses such a flag before anything is done. Fault `configuration` names the
 * flag and what it needs.
 */
export function needs(needed: NeededFlags): (command: Command, acting: Command) => void {
  return (command, acting) => {
    // The hook also runs for the commands below this one.
    if (acting !== command) return;
    for (const [flag, others] of Object.entries(needed))
      if (isGiven(command, flag) && !others.some((other) => isGiven(command, other)))
        throw new Fault('configuration', `${flag} says nothing without ${others.join(' or ')}`);
  };
}

function isGiven(command: Command, flag: string): boolean {
  const option = command.options.find(({ long }) => long === flag);
  return command.getOptionValueSource(present(option, `option ${flag}`).attributeName()) === 'cli';
}
