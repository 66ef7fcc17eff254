import { Command, Option } from 'commander';
import { readParameters } from '../settings/chain_settings.ts';
import { chainNamed } from '../settings/named_chain.ts';
import { createGenesisCommand } from './genesis/create.ts';
import { meaningText } from './genesis/meaning.ts';

const EXAMPLES = `
Examples:
  $ pharos genesis create                                       asks for everything
  $ pharos genesis create --name my-chain --witnesses 7 --accounts accounts.csv --out genesis.json --keys keys
  $ pharos genesis check genesis.json                           what the file means

Exit codes: 0 done, 1 a file can't be read or written, 2 wrong usage, or no chain could begin with the file`;

/** `pharos genesis`: makes the file that a chain begins with, and says what one means. */
export function genesisCommand(): Command {
  return new Command('genesis')
    .description('make the file that a chain of your own begins with, or say what one means')
    .addHelpText('after', EXAMPLES)
    .addCommand(createGenesisCommand())
    .addCommand(checkCommand());
}

function checkCommand(): Command {
  return new Command('check')
    .description('say what a genesis file means: supply, accounts, witnesses, finality, and what is odd')
    .argument('<file>')
    .addOption(new Option('--profile <name>', 'words of the chain').default('default'))
    .action((file: string, { profile }: { readonly profile: string }) => {
      const chain = chainNamed({ profile, genesisFiles: [file], initialSigningKey: undefined });
      process.stdout.write(meaningText(readParameters(chain)));
    });
}
