#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { exitCodeOf, explain } from './exit_codes.ts';
import { devCommand } from './commands/dev.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { loadCommand } from './commands/load.ts';
import { runCommand } from './commands/run.ts';
import { verifyCommand } from './commands/verify.ts';
import { walletCommand } from './commands/wallet.ts';
import { PROGRAM_VERSION } from './program_version.ts';

const EXAMPLES = `
Examples:
  $ pharos dev                                     a development chain with funded accounts
  $ pharos run --config node.ini                   a node, settings from a file
  $ pharos import --genesis genesis.json --profile lineage --block-log block_log --data-dir data/imported
  $ pharos verify --data-dir data/node             checks a data folder
  $ pharos keys --brain-key "some words"           a key pair

Exit codes: 0 stopped cleanly, 1 failed while running, 2 wrong usage or configuration, 3 damaged data, 4 port in use`;

/** The whole command line: one command a file. */
function program(): Command {
  const pharos = new Command('pharos')
    .description('A blockchain node for the chain behind the Alexandria API.')
    .version(PROGRAM_VERSION, '-v, --version')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(pharos --help shows all commands)')
    .configureHelp({ helpWidth: 110 });
  for (const command of [runCommand(), devCommand(), importCommand(), verifyCommand(), keysCommand(), loadCommand(), walletCommand()]) pharos.addCommand(command);
  for (const command of [pharos, ...pharos.commands]) command.exitOverride();
  return pharos;
}

try {
  await program().parseAsync();
} catch (error) {
  // Commander has already said what is wrong; help and version are no errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`pharos: ${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
