import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { defaultDialect } from '../../jsonrpc/dialect.ts';
import { parseTarget, type Target } from '../../p2p/addresses.ts';
import { notationOf } from '../../rpc/notation_of.ts';
import type { Mining } from '../../rpc/services.ts';
import type { Profile } from '../../values/profile.ts';
import { profileNamed } from '../chain_settings.ts';
import { positive, wholeNumber } from '../config/flag_values.ts';
import type { Endpoint } from '../config/options.ts';
import { parseListening, readConfig } from '../config/read_config.ts';
import { sinkOptions } from '../config/sink_options.ts';
import { sinkSettingsOf } from '../config/sink_settings.ts';
import { limitOptions } from '../config/limit_options.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { promiseOf } from '../data_folder/folder_promise.ts';
import { banner, type BannerChain } from '../dev/banner.ts';
import { Console } from '../dev/console.ts';
import { accountsIn, chainFolder, openDevChain, openJoinedChain, type DevPlace, type OwnDevChain } from '../dev/dev_folder.ts';
import { devPublicKey, MOST_DEV_ACCOUNTS } from '../dev/dev_genesis.ts';
import { DEFAULT_PORT, devSettings, miningOf, type DevOptions } from '../dev/dev_settings.ts';
import type { JoinedChain } from '../dev/joined_chain.ts';
import type { StateFile } from '../dev/state_file.ts';
import { serve } from '../serve.ts';
import type { RunningNode } from '../start_node.ts';

interface OwnDevOptions extends DevOptions {
  readonly dataDir?: string;
  readonly maximumBlockSize?: number;
  readonly fresh: boolean;
  readonly profile: string;
  readonly accounts?: number;
  readonly seed?: string;
  readonly silent: boolean;
  readonly listAccounts: boolean;
  readonly fork?: string;
  readonly state?: string;
}

const EXAMPLES = `
Examples:
  $ pharos dev                                  blocks every 3 seconds, data kept in data/dev
  $ pharos dev --fresh --block-interval-ms 200  a new chain in a hurry
  $ pharos dev --fresh --automine               a block as soon as there is a transaction
  $ pharos dev --no-mining                      a block when debug_api.produce_blocks asks for one
  $ pharos dev --fresh --accounts 50 --seed x   50 accounts, with keys of their own
  $ pharos dev --p2p-endpoint 0.0.0.0:9290      others may follow the chain
  $ pharos dev --join 192.0.2.1:9290 --port 0   follows that chain, from another machine or this one
  $ pharos dev --state dev.avro                 the chain of that file, which has it again after Ctrl-C
  $ pharos dev --fork state.avro                a chain of your own that begins where that snapshot ends
  $ pharos dev --maximum-block-size 50331648    large blocks for load tests

The limits of pharos run (--max-…) are taken too, and what it says of an event stream (--sink-nats-…).`;

/** `pharos dev`: a development chain with one local witness and funded accounts. */
export function devCommand(): Command {
  const command = new Command('dev')
    .description('run a development chain: one local witness, funded accounts, everything on this machine')
    .option('--data-dir <folder>', 'where the chain is kept; data/dev, data/joined with --join, and data/fork with --fork, when left out')
    .option('--port <number>', 'port for HTTP and WebSocket; 0 takes a free one', portOf, DEFAULT_PORT)
    .option('--accounts <count>', `how many funded accounts a new chain has, at most ${MOST_DEV_ACCOUNTS}; 10 when left out`, accountCount)
    .option('--seed <text>', 'what a new chain’s keys are made of besides the names of the accounts')
    .option('--block-interval-ms <ms>', 'milliseconds between blocks instead of the chain’s 3 seconds; its time runs ahead then', positive)
    .addOption(
      new Option('--automine', 'a block as soon as there is a transaction, and no others').conflicts(['mining', 'blockIntervalMs']),
    )
    .addOption(
      new Option('--no-mining', 'a block only when it is ordered, by debug_api.produce_blocks').conflicts(['automine', 'blockIntervalMs']),
    )
    .option('--silent', 'no line a block and a transaction', false)
    .option('--list-accounts', 'prints each account with its key at the start, not only the first three', false)
    .option(
      '--maximum-block-size <bytes>',
      'what the witness votes for, 131072 to 50331648; in force from the next round of 51 blocks',
      positive,
    )
    .option('--fresh', 'start over with a new chain', false)
    .option('--accept-head <number>', 'go on although blocks are missing: number of the last one that is there', wholeNumber)
    .option('--blocks-kept <count>', 'how many of the newest blocks are kept; all when left out', positive)
    .addOption(
      new Option(
        '--undo-blocks <count>',
        'how many of the newest blocks can be taken back; 10000 when left out, and with peers those that are reversible',
      )
        .argParser(wholeNumber)
        .conflicts(['p2pEndpoint', 'join']),
    )
    .option('--profile <name>', 'words of the chain', 'default')
    .option('--metrics-port <number>', 'port that shows figures for Prometheus; 0 takes a free one', portOf)
    .option('--http-cors <origin>', 'web pages that may call besides those of this machine, repeatable; * for all', oneMore)
    .option('--allowed-host <name>', 'Host that is answered besides those of this machine, repeatable', oneMore)
    .option('--p2p-endpoint <host:port>', 'where other nodes are let in, which follow this chain', endpointOf)
    .option('--join <host:port>', 'follows the development chain of another node instead of making one', targetOf)
    .option(
      '--fork <source>',
      'begins with the state of another chain: its snapshot, a file or an address, or a running node of this machine (http://127.0.0.1:PORT); every witness signs with a key of this node',
    )
    .addOption(
      new Option('--state <file>', 'a snapshot: loaded at the start if there is one, written anew at the stop').conflicts([
        'dataDir',
        'join',
      ]),
    )
    .addHelpText('after', EXAMPLES)
    .action(runDev);
  // For load tests; `pharos run --help` explains them.
  for (const [key, { doc }] of Object.entries(limitOptions))
    command.addOption(new Option(`--${key} <count>`, doc).argParser(positive).hideHelp());
  for (const [key, { kind, doc }] of Object.entries(sinkOptions)) {
    const option = new Option(kind === 'flag' ? `--${key} [value]` : `--${key} <value>`, doc);
    command.addOption(kind === 'texts' ? option.argParser(oneMore) : option.hideHelp());
  }
  return command;
}

/** The limits given as flags, by key. */
function givenLimits(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const attribute = (key: string): string => new Option(`--${key}`).attributeName();
  return Object.fromEntries(Object.keys(limitOptions).map((key) => [key, options[attribute(key)]]));
}

/** The event stream that flags ask for. */
function givenSink(options: Readonly<Record<string, unknown>>): ReturnType<typeof sinkSettingsOf> {
  const attribute = (key: string): string => new Option(`--${key}`).attributeName();
  const given = Object.keys(sinkOptions).map((key): [string, unknown] => [key, options[attribute(key)]]);
  const flags = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return sinkSettingsOf(readConfig({ iniFile: undefined, environment: {}, flags }).values);
}

function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function accountCount(text: string): number {
  const count = wholeNumber(text);
  return count > MOST_DEV_ACCOUNTS ? invalid(`at most ${MOST_DEV_ACCOUNTS} expected: a genesis of more is too long to be joined.`) : count;
}

function endpointOf(text: string): Endpoint {
  return parseListening(text) ?? invalid('host:port expected.');
}

function targetOf(text: string): Target {
  return parseTarget(text) ?? invalid('host:port or id@host:port expected.');
}

function invalid(message: string): never {
  throw new InvalidArgumentError(message);
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('a port from 0 to 65535 expected.');
  return Number(text);
}

async function runDev(options: OwnDevOptions): Promise<void> {
  const sink = givenSink({ ...options });
  // Before there is a folder: nothing is left behind where nobody answers.
  const fetched = options.join === undefined ? undefined : await fetchChain(options, options.join);
  const place = await placeOf(options, fetched);
  if (place.state?.remark !== undefined) process.stdout.write(`${place.state.remark}\n`);
  const { dataDir, state } = place;
  const folder = await lockFolder(dataDir);
  const chain = releasingOnError(folder, () =>
    fetched === undefined ? openDevChain(place, profileNamed(place.profile), folder) : openJoinedChain(place, fetched, folder),
  );
  try {
    const settings = devSettings({ ...options, sink, snapshotDir: join(dataDir, 'snapshots') }, chain, givenLimits({ ...options }));
    await sayingPort(options.port, async () =>
      serve({ ...settings, folder }, async (node) => {
        state?.started();
        await started(node, options, chain);
      }),
    );
    if (state !== undefined) await dump(state, chain);
  } catch (error) {
    state?.abandon();
    throw error;
  } finally {
    // What it said and nobody has read by then would keep the process for ever.
    systemClock.after(LAST_LINES_MS, () => process.exit(), false);
  }
}

async function dump(state: StateFile, chain: JoinedChain): Promise<void> {
  await state.dump(chain);
  process.stdout.write(`The chain is in ${state.path}.\n`);
}

interface PreparedPlace extends DevPlace {
  readonly profile: string;
  readonly state: StateFile | undefined;
}

/** Where the chain lies; what it begins with, if that is another one's state, is there by then. */
async function placeOf(options: OwnDevOptions, joined: JoinedChain | undefined): Promise<PreparedPlace> {
  const { join: target, fork, seed = '', fresh } = options;
  if (fork !== undefined) requireForkFlags(options);
  const state = options.state === undefined ? undefined : await openState(options.state, options);
  const dataDir =
    state?.dataDir ?? options.dataDir ?? (target !== undefined ? 'data/joined' : fork !== undefined ? 'data/fork' : 'data/dev');
  const place = { ...options, dataDir, state, profile: state?.profileName ?? options.profile };
  if (fork === undefined) {
    if (joined !== undefined) await requireState(joined, options, dataDir);
    return place;
  }
  // What the file has is the fork already.
  if (state?.profileName !== undefined && !fresh) return place;
  const { beginFork } = await import('../dev/fork_chain.ts');
  const profile = await beginFork({ source: fork, dataDir, fresh, seed, joined });
  return { ...place, fresh: false, profile: profile ?? place.profile };
}

async function requireState(joined: JoinedChain, { fresh }: OwnDevOptions, dataDir: string): Promise<void> {
  const { requireBeginning } = await import('../dev/joined_chain.ts');
  requireBeginning(joined, !fresh && promiseOf(chainFolder(dataDir)) !== undefined);
}

async function openState(path: string, { fresh, seed = '' }: OwnDevOptions): Promise<StateFile> {
  const { StateFile: File } = await import('../dev/state_file.ts');
  return await File.open(path, { fresh, seed });
}

function requireForkFlags({ accounts, maximumBlockSize }: OwnDevOptions): void {
  if (accounts !== undefined || maximumBlockSize !== undefined)
    throw new Fault(
      'configuration',
      'a fork has the accounts of its snapshot and the block size that its witnesses vote for: leave --accounts and --maximum-block-size out, and have debug_api.send_unsigned act for whom you need',
    );
}

async function started(node: RunningNode, options: OwnDevOptions, chain: OwnDevChain | JoinedChain): Promise<void> {
  const profile = profileNamed(chain.profileName);
  const { services } = node;
  process.stdout.write(banner(node, bannerChain(options, profile, chain)));
  if (!options.silent)
    node.follow(new Console({ rows: services.rows, notation: notationOf(services.words, '', defaultDialect), output: process.stdout }));
  if (options.maximumBlockSize === undefined) return;
  const { voteForBlockSize } = await import('../dev/block_size_vote.ts');
  await voteForBlockSize(services, options.maximumBlockSize, seedOf(chain, profile) ?? '');
}

function bannerChain(options: OwnDevOptions, profile: Profile, chain: OwnDevChain | JoinedChain): BannerChain {
  const mining = options.join === undefined ? miningLine(miningOf(options), options.blockIntervalMs) : 'made by the node that is joined';
  return {
    profile,
    names: accountsIn(chain.genesisText),
    seed: seedOf(chain, profile),
    mining,
    isMining: options.join !== undefined || miningOf(options) !== 'none',
    listsAll: options.listAccounts,
  };
}

function miningLine(mining: Mining, everyMs: number | undefined): string {
  if (mining === 'none') return 'when debug_api.produce_blocks orders them';
  if (mining === 'automine') return 'as soon as there is a transaction';
  return everyMs === undefined ? 'every 3 seconds' : `every ${everyMs} ms`;
}

/** What the keys are made of; of a joined chain only whether they are those of every development chain. */
function seedOf(chain: OwnDevChain | JoinedChain, profile: Profile): string | undefined {
  if ('seed' in chain) return chain.seed;
  return chain.genesisText.includes(devPublicKey('initminer', profile)) ? '' : undefined;
}

/** So long whoever reads slowly has for the last lines of a chain that has stopped. */
const LAST_LINES_MS = 1000;

/** The folder of the chain; a newcomer who starts a second one is told how. */
async function lockFolder(dataDir: string): Promise<DataFolder> {
  try {
    return await DataFolder.lock(chainFolder(dataDir), 'dev');
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'configuration') throw error;
    throw new Fault('configuration', `${error.message}; a second chain beside it: pharos dev --port 0 --data-dir data/second`, error);
  }
}

async function sayingPort(port: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'port_in_use' || !error.message.includes(`port ${port}`)) throw error;
    throw new Fault('port_in_use', `${error.message}, another program does; use --port NUMBER, or --port 0 for one that is free`, error);
  }
}

/** The chain that another node makes. */
async function fetchChain(options: OwnDevOptions, target: Target): Promise<JoinedChain> {
  const { blockIntervalMs, maximumBlockSize, automine, mining, accounts, seed } = options;
  const isForMaker = [blockIntervalMs, maximumBlockSize, automine, accounts, seed].some((each) => each !== undefined) || !mining;
  if (isForMaker)
    throw new Fault(
      'configuration',
      'who joins a chain makes no blocks: --block-interval-ms, --maximum-block-size, --automine, --no-mining, --accounts and --seed are for the other node',
    );
  const { fetchJoinedChain } = await import('../dev/joined_chain.ts');
  return await fetchJoinedChain(target);
}

function releasingOnError<T>(folder: DataFolder, run: () => T): T {
  try {
    return run();
  } catch (error) {
    folder.release();
    throw error;
  }
}
