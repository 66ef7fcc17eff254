import { Command } from 'commander';
import { createCommand } from './witness/create.ts';
import { rotateKeyCommand } from './witness/rotate_key.ts';
import { feedCommand } from './witness/feed.ts';
import { finalityResetCommand } from './witness/finality_reset.ts';
import { journalCommand } from './witness/journal.ts';
import { pauseCommands } from './witness/pause.ts';
import { restartChainCommand } from './witness/restart_chain.ts';
import { switchCommand } from './witness/switch.ts';
import { statusCommand } from './witness/status.ts';
import { unlockCommand } from './witness/unlock.ts';
import { watchCommand } from './witness/watch.ts';

const EXAMPLES = `
Examples:
  $ pharos witness create alice --key-file signing.key     makes a witness of an account, with a new signing key
  $ pharos witness status alice                            how it does: slots, key, votes, price
  $ pharos witness watch alice || alert                    looks once, for cron
  $ pharos witness feed alice --from https://prices.example/coin --least 0.01 --most 10
  $ pharos witness rotate-key alice --key-file new.key
  $ pharos witness switch alice --key-file new.key         this machine takes over, with a new key
  $ pharos witness pause                                   makes no blocks until resume
  $ pharos witness restart-chain                           when the chain has stopped: the last resort
  $ pharos witness finality-reset                          votes although the votes of this epoch are lost: the last resort
  $ pharos witness journal                                 what this machine has signed
  $ pharos witness unlock                                  lets keys sign again once no other machine has them

Exit codes: 0 done, 1 no answer from the node or the source of a price, 2 wrong usage, 5 the node refused, 7 watch has found something`;

/** `pharos witness`: what the operator of a witness does. */
export function witnessCommand(): Command {
  const command = new Command('witness')
    .description('what the operator of a witness does')
    .addHelpText('after', EXAMPLES);
  const orders = [
    createCommand(),
    statusCommand(),
    watchCommand(),
    feedCommand(),
    rotateKeyCommand(),
    switchCommand(),
    ...pauseCommands(),
    restartChainCommand(),
    finalityResetCommand(),
  ];
  for (const each of [...orders, journalCommand(), unlockCommand()]) command.addCommand(each);
  return command;
}
