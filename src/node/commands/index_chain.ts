import { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { openLog } from '../../base/log.ts';
import { Indexer } from '../../sinks/postgres/indexer.ts';
import { NodeSource } from '../index_chain/node_source.ts';

interface IndexFlags {
  readonly postgres: string;
  readonly url: string;
}

const EXAMPLES = `
Examples:
  $ createdb chain
  $ pharos index --postgres postgres:///chain
  $ pharos index --postgres postgres://indexer@db.example/chain --url wss://node.example
  $ psql chain -c 'SELECT * FROM holders ORDER BY total DESC LIMIT 10'

It goes on where it was stopped, whatever stopped it. A password is better in ~/.pgpass or PGPASSWORD than in the address,
which others on this machine can see.`;

/** `pharos index`: follows a chain into a PostgreSQL database. */
export function indexCommand(): Command {
  return new Command('index')
    .description('keep everything that happens on a chain in a PostgreSQL database, for questions in SQL')
    .requiredOption('--postgres <url>', 'an empty database, or one that this command has filled: postgres://user@host/database')
    .option('--url <address>', 'ws or wss address of the node whose blocks are followed', 'ws://127.0.0.1:9193')
    .addHelpText('after', EXAMPLES)
    .action(async ({ postgres, url }: IndexFlags) => await index(databaseAddress(postgres), url));
}

function databaseAddress(text: string): string {
  // The text is not shown, because it may hold a password.
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text.replace(/^(postgres(?:ql)?:\/\/)\//, '$1localhost/')))
    throw new Fault('configuration', '--postgres: an address such as postgres://user@host/database expected');
  return text;
}

async function index(databaseUrl: string, url: string): Promise<void> {
  const log = openLog('notice', 'index');
  const source = new NodeSource(url, systemClock);
  const stop = (): void => source.close();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    await new Indexer({ source, databaseUrl, clock: systemClock, log }).run();
    log.notice('stopped');
  } finally {
    source.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
