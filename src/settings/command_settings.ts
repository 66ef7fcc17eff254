import { Option as Flag, type Command } from 'commander';
import { isOptionKey, options } from './options.ts';
import { readConfig, type Config } from './read_config.ts';
import { readFileSync, statSync } from 'node:fs';

/** Read or written by others than its owner. */
const OF_OTHERS = 0o077;

/** Lists places at which others on this machine can see keys that sign blocks, each with what to do about it. */
function exposedKeys({ privateKey, config }: Readonly<Record<string, unknown>>): string[] {
  const notices: string[] = [];
  if (privateKey !== undefined)
    notices.push('private-key on the command line is shown to everybody on this machine by ps: use private-key-file');
  if (typeof config === 'string' && hasKey(config) && (statSync(config).mode & OF_OTHERS) !== 0)
    notices.push(
      `${config} has a private key, and others on this machine may read it: chmod 600 ${config}, or use private-key-file`,
    );
  return notices;
}

function hasKey(path: string): boolean {
  return /^[ \t]*private-key[ \t]*=/m.test(readFileSync(path, 'utf8'));
}

/** Adds a flag for each setting of a node, and one for a file with settings. */
export function settingsFlags(command: Command): Command {
  command.option('-c, --config <file>', 'INI file with settings; each can also be given as PHAROS_… or as a flag');
  for (const [key, option] of Object.entries(options)) {
    // Shown in the text only: a default of the flag itself would override the file and the environment.
    const doc = 'initial' in option ? `${option.doc} (default: ${option.initial})` : option.doc;
    const flag = new Flag(option.kind === 'flag' ? `--${key} [value]` : `--${key} <value>`, doc);
    if ('withoutEffect' in option) flag.hideHelp();
    command.addOption(
      option.kind === 'texts'
        ? flag.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
        : flag,
    );
  }
  return command;
}

/** The settings that the flags, the environment and the named file say. Fault `configuration`. */
export function settingsSaid(flags: Readonly<Record<string, unknown>>): Config {
  const { config, ...rest } = flags;
  const byKey = Object.entries(rest).map(([name, value]): [string, unknown] => [keyOfFlag(name), value]);
  const { values, notices } = readConfig({
    iniFile: typeof config === 'string' ? config : undefined,
    environment: process.env,
    flags: Object.fromEntries(byKey.filter(([key, value]) => isOptionKey(key) && value !== undefined)),
  });
  return { values, notices: [...notices, ...exposedKeys(flags)] };
}

/** Undoes Commander's change of `data-dir` into `dataDir`. */
function keyOfFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
