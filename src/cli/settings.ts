import { Command } from 'commander';
import { settingsFile } from '../settings/settings_file.ts';

/** `pharos settings`: prints a settings file with every key, its default and what it is for. */
export function settingsCommand(): Command {
  return new Command('settings')
    .description('print a settings file with every key and its default, to begin one of your own with')
    .addHelpText('after', '\nExample:\n  $ pharos settings > pharos.ini')
    .action(() => void process.stdout.write(settingsFile()));
}
