import type { Command } from 'commander';

/** Flags for the path of a signing journal, and for the form of its keys and slots. */
export interface JournalFlags {
  readonly signingJournal: string;
  readonly keyPrefix: string;
  readonly blockInterval: string;
}

/** Adds them to a command. */
export function journalFlags(command: Command): Command {
  return command
    .option(
      '--signing-journal <file>',
      'the journal: beside the data folder unless the setting says otherwise',
      'data/node.signed',
    )
    .option('--key-prefix <letters>', 'what keys of the chain begin with', 'PHR')
    .option('--block-interval <seconds>', 'how long a slot of the chain is', '3');
}
