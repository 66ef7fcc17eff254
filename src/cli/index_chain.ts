import { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { openLog, type LogFormat } from '../base/log.ts';
import type { ChainSource } from '../sinks/chain_source.ts';
import { StreamSource } from '../sinks/nats/stream_source.ts';
import { Indexer } from '../sinks/postgres/indexer.ts';
import type { Endpoint } from '../settings/options.ts';
import { parseListening } from '../settings/read_config.ts';
import { readConnection } from '../settings/sink_settings.ts';
import { logFormatOption } from './log_format.ts';
import { completeAddress } from './index/database_address.ts';
import { openIndexPages } from './index/index_pages.ts';
import { NodeSource } from './index/node_source.ts';
import { serviceManager, type ServiceManager } from '../system/service_manager.ts';
import { needs } from './needed_flags.ts';

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
  readonly metricsEndpoint: string | undefined;
  readonly allowedHost: readonly string[] | undefined;
  readonly logFormat: LogFormat;
}

const EXAMPLES = `
Examples:
  $ createdb chain
  $ pharos index --postgres postgres:///chain
  $ pharos index --postgres 'postgres://indexer@db.example/chain?sslmode=verify-full' --url wss://node.example
  $ pharos index --postgres postgres:///chain --from nats://127.0.0.1:4222 --url ws://127.0.0.1:9193
  $ psql chain -c 'SELECT * FROM holders ORDER BY total DESC LIMIT 10'

It resumes where it was stopped, from a stream or a node. While the node, the NATS server or PostgreSQL is away, at the start too, or after one
of them was set back to an older copy, it tries again every few seconds. A record that it can't index is named with its block and operation,
and tried again every 30 s. Wrong settings end it with code 2; an irreversible block that the source undoes, with code 3. Ctrl-C ends it with 0.
scripts/operate/pharos-index.service runs it under systemd.

The address is as psql has it: without a host it is the socket
of this machine, PGHOST, PGUSER and their kin stand in for what it leaves out. A password is better in ~/.pgpass or PGPASSWORD than in the
address, which others on this machine can see.`;

/** `pharos index`: follows a chain into a PostgreSQL database. */
export function indexCommand(): Command {
  return new Command('index')
    .description('keep everything that happens on a chain in a PostgreSQL database, for questions in SQL')
    .requiredOption(
      '--postgres <url>',
      'an empty database, or one that this command has filled: postgres://user@host/database',
    )
    .option('--url <address>', 'ws or wss address of the node whose blocks are followed', 'ws://127.0.0.1:9193')
    .option(
      '--from <url>',
      'address of a NATS server, as in sink-nats; its event stream is followed, and --url only asked about the genesis while the database is empty, and whether it is a development chain before an irreversible block is undone; repeatable',
      oneMore,
    )
    .option('--stream <name>', 'name of the stream; the only one of the chain when left out')
    .option('--credentials <file>', 'as sink-nats-credentials')
    .option('--nkey <file>', 'as sink-nats-nkey')
    .option('--tls-ca <file>', 'as sink-nats-tls-ca')
    .option('--tls-cert <file>', 'as sink-nats-tls-cert')
    .option('--tls-key <file>', 'as sink-nats-tls-key')
    .option(
      '--metrics-endpoint <host:port>',
      'serve /health, /readyz, /livez and the Prometheus metrics of the index, asked by address, or by a name of --allowed-host; none when left out',
    )
    .option('--allowed-host <name>', 'Host that --metrics-endpoint answers besides addresses, repeatable', oneMore)
    .addOption(logFormatOption())
    .hook('preAction', needs(NEEDED))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: IndexFlags) => await index(flags));
}

const NEEDED = {
  ...Object.fromEntries(
    ['--stream', '--credentials', '--nkey', '--tls-ca', '--tls-cert', '--tls-key'].map((flag) => [flag, ['--from']]),
  ),
  '--allowed-host': ['--metrics-endpoint'],
};

function oneMore(value: string, before?: readonly string[]): readonly string[] {
  return [...(before ?? []), value];
}

async function index(flags: IndexFlags): Promise<void> {
  const { url: databaseUrl, passwordAdvice } = completeAddress(flags.postgres);
  const log = openLog({ level: 'notice', format: flags.logFormat }, 'index');
  const node = new NodeSource(flags.url, systemClock, log);
  const source: ChainSource = flags.from === undefined ? node : streamSource(flags.from, flags, node);
  const indexer = new Indexer({ source, databaseUrl, passwordAdvice, clock: systemClock, log });
  const endpoint = parseMetricsEndpoint(flags);
  const pages =
    endpoint &&
    (await openIndexPages({ ...endpoint, allowedHosts: flags.allowedHost ?? [] }, () => indexer.figures, systemClock));
  if (pages !== undefined) log.notice('metrics and health', 'index_pages_opened', { port: pages.port });
  const manager = serviceManager(process.env, systemClock, (why) => log.warning(why, 'service_manager_lost', {}));
  const stop = (): void => {
    indexer.stop();
    node.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    watched(manager, indexer);
    await indexer.run();
    log.notice('stopped', 'index_stopped', {});
  } finally {
    manager?.stopping();
    source.close();
    node.close();
    await pages?.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

/** To a service manager it is ready at once: what it waits for may not be up yet, and waiting is its work then. */
function watched(manager: ServiceManager | undefined, indexer: Indexer): void {
  manager?.ready({
    answers: () => Promise.resolve(),
    status: () => {
      const { block, lagBlocks, problem } = indexer.figures;
      return problem ?? `block ${block}, ${lagBlocks} behind`;
    },
  });
}

function parseMetricsEndpoint({ metricsEndpoint }: IndexFlags): Endpoint | undefined {
  if (metricsEndpoint === undefined) return undefined;
  const endpoint = parseListening(metricsEndpoint);
  if (endpoint === undefined)
    throw new Fault('configuration', `--metrics-endpoint: host:port expected, got "${metricsEndpoint}"`);
  return endpoint;
}

function streamSource(servers: readonly string[], flags: IndexFlags, facts: NodeSource): StreamSource {
  const connection = readConnection(servers, {
    'sink-nats-credentials': flags.credentials,
    'sink-nats-nkey': flags.nkey,
    'sink-nats-tls-ca': flags.tlsCa,
    'sink-nats-tls-cert': flags.tlsCert,
    'sink-nats-tls-key': flags.tlsKey,
  });
  return new StreamSource({ connection, stream: flags.stream, facts });
}
