import { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { openLog, type Log } from '../../base/log.ts';
import type { ChainSource } from '../../sinks/chain_source.ts';
import { StreamSource } from '../../sinks/nats/stream_source.ts';
import { Indexer } from '../../sinks/postgres/indexer.ts';
import { connectionOf } from '../config/sink_settings.ts';
import { completeAddress } from '../index_chain/database_address.ts';
import { NodeSource } from '../index_chain/node_source.ts';

interface IndexFlags {
  readonly postgres: string;
  readonly from: readonly string[] | undefined;
  readonly url: string;
  readonly stream: string | undefined;
  readonly credentials: string | undefined;
  readonly nkey: string | undefined;
  readonly tlsCa: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

const EXAMPLES = `
Examples:
  $ createdb chain
  $ pharos index --postgres postgres:///chain
  $ pharos index --postgres 'postgres://indexer@db.example/chain?sslmode=verify-full' --url wss://node.example
  $ pharos index --postgres postgres:///chain --from nats://127.0.0.1:4222 --url ws://127.0.0.1:9193
  $ psql chain -c 'SELECT * FROM holders ORDER BY total DESC LIMIT 10'

It goes on where it was stopped, whatever stopped it, from a stream or a node. The address is as psql has it: without a host it is the socket
of this machine, PGHOST, PGUSER and their kin stand in for what it leaves out. A password is better in ~/.pgpass or PGPASSWORD than in the
address, which others on this machine can see.`;

/** `pharos index`: follows a chain into a PostgreSQL database. */
export function indexCommand(): Command {
  return new Command('index')
    .description('keep everything that happens on a chain in a PostgreSQL database, for questions in SQL')
    .requiredOption('--postgres <url>', 'an empty database, or one that this command has filled: postgres://user@host/database')
    .option('--url <address>', 'ws or wss address of the node whose blocks are followed', 'ws://127.0.0.1:9193')
    .option(
      '--from <url>',
      'address of a NATS server, as in sink-nats; its event stream is followed, and --url only asked about the genesis while the database is empty; repeatable',
      oneMore,
    )
    .option('--stream <name>', 'name of the stream; the only one of the chain when left out')
    .option('--credentials <file>', 'as sink-nats-credentials')
    .option('--nkey <file>', 'as sink-nats-nkey')
    .option('--tls-ca <file>', 'as sink-nats-tls-ca')
    .option('--tls-cert <file>', 'as sink-nats-tls-cert')
    .option('--tls-key <file>', 'as sink-nats-tls-key')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: IndexFlags) => await index(flags));
}

function oneMore(value: string, before?: readonly string[]): readonly string[] {
  return [...(before ?? []), value];
}

async function index(flags: IndexFlags): Promise<void> {
  const databaseUrl = completeAddress(flags.postgres);
  const log = openLog('notice', 'index');
  const node = new NodeSource(flags.url, systemClock, log);
  const source: ChainSource = flags.from === undefined ? node : streamSource(flags.from, flags, node, log);
  const indexer = new Indexer({ source, databaseUrl, clock: systemClock, log });
  const stop = (): void => {
    indexer.stop();
    node.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    await indexer.run();
    log.notice('stopped');
  } finally {
    source.close();
    node.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

function streamSource(servers: readonly string[], flags: IndexFlags, facts: NodeSource, log: Log): StreamSource {
  const connection = connectionOf(servers, {
    'sink-nats-credentials': flags.credentials,
    'sink-nats-nkey': flags.nkey,
    'sink-nats-tls-ca': flags.tlsCa,
    'sink-nats-tls-cert': flags.tlsCert,
    'sink-nats-tls-key': flags.tlsKey,
  });
  return new StreamSource({ connection, stream: flags.stream, facts, clock: systemClock, log });
}
