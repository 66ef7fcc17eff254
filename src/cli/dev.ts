import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { defaultDialect } from '../jsonrpc/envelope/dialect.ts';
import { parseTarget, type Target } from '../wire/addresses.ts';
import { makeEncoding } from '../rpc/make_encoding.ts';
import type { Mining } from '../rpc/mining.ts';
import { hardforkNames, planProblem, type PlannedHardfork } from '../state/hardfork_plan.ts';
import type { Profile } from '../values/profile.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { positive, wholeNumber } from '../settings/flag_values.ts';
import { options as nodeOptions, type Endpoint } from '../settings/options.ts';
import { parseListening, readConfig } from '../settings/read_config.ts';
import { sinkOptions } from '../settings/sink_options.ts';
import { readNatsSettings } from '../settings/sink_settings.ts';
import { limitOptions } from '../settings/limit_options.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { bytesOfFiles } from '../data_folder/folder_size.ts';
import { readPromise } from '../data_folder/folder_promise.ts';
import { banner, type BannerChain } from '../dev_chain/banner.ts';
import { Console } from '../dev_chain/console.ts';
import {
  listAccounts,
  chainFolder,
  openDevChain,
  openJoinedChain,
  type DevPlace,
  type OwnDevChain,
} from '../dev_chain/dev_folder.ts';
import { devPublicKey, listDevWitnesses, MOST_DEV_ACCOUNTS, MOST_DEV_WITNESSES } from '../dev_chain/dev_genesis.ts';
import { DEFAULT_PORT, devSettings, readMining, type DevOptions } from '../dev_chain/dev_settings.ts';
import type { JoinedChain } from '../dev_chain/joined_chain.ts';
import type { StateFile } from '../dev_chain/state_file.ts';
import { serve } from '../node/serve.ts';
import type { RunningNode } from '../node/start_node.ts';

interface OwnDevOptions extends DevOptions {
  readonly dataDir?: string;
  readonly maximumBlockSize?: number;
  readonly fresh: boolean;
  readonly profile: string;
  readonly accounts?: number;
  readonly witnesses?: number;
  readonly hardfork?: readonly PlannedHardfork[];
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
  $ pharos dev --fresh --witnesses 7            seven witnesses, all of this node, share the slots
  $ pharos dev --fresh --hardfork bandwidth@100 a hardfork that block 100 applies; also with --fork
  $ pharos dev --p2p-endpoint 0.0.0.0:9290      others may follow the chain
  $ pharos dev --join 192.0.2.1:9290 --port 0   follows that chain, from another machine or this one
  $ pharos dev --state dev.avro                 the chain of that file, which has it again after Ctrl-C
  $ pharos dev --fork state.avro                a chain of your own that begins where that snapshot ends
  $ pharos dev --maximum-block-size 50331648    large blocks for load tests

The limits of pharos run (--max-…) are taken too, and what it says of an event stream (--sink-nats-…).`;

/** `pharos dev`: a development chain with one local witness and funded accounts. */
export function devCommand(): Command {
  const described = new Command('dev').description(
    'run a development chain: one local witness, funded accounts, everything on this machine',
  );
  const command = withNewChain(described)
    .option(
      '--data-dir <folder>',
      'where the chain is kept; data/dev, data/joined with --join, and data/fork with --fork, when left out',
    )
    .option('--port <number>', 'port for HTTP and WebSocket; 0 takes a free one', parsePort, DEFAULT_PORT)
    .option(
      '--block-interval-ms <ms>',
      'milliseconds between blocks instead of the chain’s 3 seconds; its time runs ahead then',
      positive,
    )
    .addOption(
      new Option('--automine', 'a block as soon as there is a transaction, and no others').conflicts([
        'mining',
        'blockIntervalMs',
      ]),
    )
    .addOption(
      new Option('--no-mining', 'a block only when it is ordered, by debug_api.produce_blocks').conflicts([
        'automine',
        'blockIntervalMs',
      ]),
    )
    .option('--silent', 'no line a block and a transaction', false)
    .option('--list-accounts', 'prints each account with its key at the start, not only the first three', false)
    .option(
      '--maximum-block-size <bytes>',
      'what the witness votes for, 131072 to 50331648; in force from the next round of 51 blocks',
      positive,
    )
    .option('--fresh', 'start over with a new chain', false)
    .option(
      '--accept-head <number>',
      'go on although blocks are missing: number of the last one that is there',
      wholeNumber,
    )
    .option('--blocks-kept <count>', 'how many of the newest blocks are kept; all when left out', positive)
    .addOption(
      new Option(
        '--undo-blocks <count>',
        'how many of the newest blocks can be taken back; 10000 when left out, and with peers those that are reversible',
      )
        .argParser(wholeNumber)
        .conflicts(['p2pEndpoint', 'join']),
    )
    .option('--profile <name>', 'symbols of the chain', 'default')
    .option('--metrics-port <number>', 'port that shows figures for Prometheus; 0 takes a free one', parsePort)
    .option(
      '--http-cors <origin>',
      'web pages that may call besides those of this machine, repeatable; * for all',
      oneMore,
    )
    .option('--allowed-host <name>', 'Host that is answered besides those of this machine, repeatable', oneMore)
    .option('--webserver-http-server <uws|node>', nodeOptions['webserver-http-server'].doc)
    .option('--webserver-uws-module <folder>', nodeOptions['webserver-uws-module'].doc)
    .option('--webserver-unix-endpoint <path>', nodeOptions['webserver-unix-endpoint'].doc)
    .option('--p2p-endpoint <host:port>', 'where other nodes are let in, which follow this chain', parseEndpointFlag)
    .option(
      '--join <host:port>',
      'follows the development chain of another node instead of making one',
      parseTargetFlag,
    )
    .option(
      '--fork <source>',
      'begins with the state of another chain: its snapshot, a file or an address, or a running node of this machine (http://127.0.0.1:PORT); every witness signs with a key of this node',
    )
    .addOption(
      new Option(
        '--state <file>',
        'a snapshot: loaded at the start if there is one, written anew at the stop',
      ).conflicts(['dataDir', 'join']),
    )
    .addHelpText('after', EXAMPLES)
    .action(runDev);
  return withHiddenOptions(command);
}

/** Adds the flags of a new chain, which keeps their values. */
function withNewChain(command: Command): Command {
  return command
    .option(
      '--accounts <count>',
      `how many funded accounts a new chain has, at most ${MOST_DEV_ACCOUNTS}; 10 when left out`,
      accountCount,
    )
    .option(
      '--witnesses <count>',
      `witnesses of a new chain, 1 to ${MOST_DEV_WITNESSES}, all of this node`,
      witnessCount,
    )
    .addOption(
      new Option(
        '--hardfork <name@block>',
        `hardfork that this block of a new chain or fork applies, repeatable; there are ${hardforkNames.join(', ')}`,
      )
        .argParser(oneMoreHardfork)
        .conflicts('join'),
    )
    .option('--seed <text>', 'what a new chain’s keys are made of besides the names of the accounts');
}

function withHiddenOptions(command: Command): Command {
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
function givenSink(options: Readonly<Record<string, unknown>>): ReturnType<typeof readNatsSettings> {
  const attribute = (key: string): string => new Option(`--${key}`).attributeName();
  const given = Object.keys(sinkOptions).map((key): [string, unknown] => [key, options[attribute(key)]]);
  const flags = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return readNatsSettings(readConfig({ iniFile: undefined, environment: {}, flags }).values);
}

function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function oneMoreHardfork(text: string, before: readonly PlannedHardfork[] = []): readonly PlannedHardfork[] {
  const [, name, block] = /^([^@]+)@(0|[1-9]\d{0,8})$/.exec(text) ?? [];
  if (name === undefined || block === undefined) return invalid('NAME@BLOCK expected, such as bandwidth@100.');
  const planned = [...before, { name, block: Number(block) }];
  const problem = planProblem(planned, { block: 1, time: undefined });
  return problem === undefined ? planned : invalid(`${problem}.`);
}

function accountCount(text: string): number {
  const count = wholeNumber(text);
  return count > MOST_DEV_ACCOUNTS
    ? invalid(`at most ${MOST_DEV_ACCOUNTS} expected: a genesis of more is too long to be joined.`)
    : count;
}

function witnessCount(text: string): number {
  const count = positive(text);
  return count > MOST_DEV_WITNESSES ? invalid(`at most ${MOST_DEV_WITNESSES} expected.`) : count;
}

function parseEndpointFlag(text: string): Endpoint {
  return parseListening(text) ?? invalid('host:port expected.');
}

function parseTargetFlag(text: string): Target {
  return parseTarget(text) ?? invalid('host:port or id@host:port expected.');
}

function invalid(message: string): never {
  throw new InvalidArgumentError(message);
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('a port from 0 to 65535 expected.');
  return Number(text);
}

async function runDev(options: OwnDevOptions): Promise<void> {
  const sink = givenSink({ ...options });
  // Before there is a folder: nothing is left behind where nobody answers.
  const fetched = options.join === undefined ? undefined : await fetchChain(options, options.join);
  const place = await preparePlace(options, fetched);
  if (place.state?.remark !== undefined) process.stdout.write(`${place.state.remark}\n`);
  const { dataDir, state } = place;
  const folder = await lockFolder(dataDir);
  const chain = releasingOnError(folder, () =>
    fetched === undefined
      ? openDevChain(place, profileNamed(place.profile), folder)
      : openJoinedChain(place, fetched, folder),
  );
  try {
    const settings = devSettings(
      { ...options, sink, snapshotDir: join(dataDir, 'snapshots'), dataBytes: await bytesOfFiles(dataDir) },
      chain,
      givenLimits({ ...options }),
    );
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

/** Prepares the folder of the chain; when it begins with another one's state, that state is there afterwards. */
async function preparePlace(options: OwnDevOptions, joined: JoinedChain | undefined): Promise<PreparedPlace> {
  const { join: target, fork, seed = '', fresh } = options;
  if (fork !== undefined) requireForkFlags(options);
  const state = options.state === undefined ? undefined : await openState(options.state, options);
  const dataDir =
    state?.dataDir ??
    options.dataDir ??
    (target !== undefined ? 'data/joined' : fork !== undefined ? 'data/fork' : 'data/dev');
  const hardforks = options.hardfork;
  const place = { ...options, hardforks, dataDir, state, profile: state?.profileName ?? options.profile };
  if (fork === undefined) {
    if (joined !== undefined) await requireState(joined, options, dataDir);
    return place;
  }
  // What the file has is the fork already.
  if (state?.profileName !== undefined && !fresh) return place;
  const { beginFork } = await import('../dev_chain/fork_chain.ts');
  const profile = await beginFork({ source: fork, dataDir, fresh, seed, joined, hardforks });
  return { ...place, fresh: false, profile: profile ?? place.profile };
}

async function requireState(joined: JoinedChain, { fresh }: OwnDevOptions, dataDir: string): Promise<void> {
  const { requireBeginning } = await import('../dev_chain/joined_chain.ts');
  requireBeginning(joined, !fresh && readPromise(chainFolder(dataDir)) !== undefined);
}

async function openState(path: string, { fresh, seed = '' }: OwnDevOptions): Promise<StateFile> {
  const { StateFile: File } = await import('../dev_chain/state_file.ts');
  return await File.open(path, { fresh, seed });
}

function requireForkFlags({ accounts, witnesses, maximumBlockSize }: OwnDevOptions): void {
  if (accounts !== undefined || witnesses !== undefined || maximumBlockSize !== undefined)
    throw new Fault(
      'configuration',
      'a fork has the accounts of its snapshot and the block size that its witnesses vote for: leave --accounts, --witnesses and --maximum-block-size out, and have debug_api.send_unsigned act for whom you need',
    );
}

async function started(node: RunningNode, options: OwnDevOptions, chain: OwnDevChain | JoinedChain): Promise<void> {
  const profile = profileNamed(chain.profileName);
  const { services } = node;
  process.stdout.write(banner(node, bannerChain(options, profile, chain)));
  if (!options.silent)
    node.follow(
      new Console({
        rows: services.rows,
        encoding: makeEncoding(services.symbols, '', defaultDialect),
        output: process.stdout,
      }),
    );
  // A fork's witnesses are those of the other chain.
  const isOwn = options.join === undefined && services.parameters.fork === undefined;
  const witnesses = isOwn ? listDevWitnesses(chain.genesisText) : [];
  if (witnesses.length > 0) {
    const { makeDevWitnesses } = await import('../dev_chain/dev_witnesses.ts');
    await makeDevWitnesses(services, witnesses, shownSeed(chain, profile) ?? '');
  }
  if (options.maximumBlockSize === undefined) return;
  const { voteForBlockSize } = await import('../dev_chain/block_size_vote.ts');
  await voteForBlockSize(services, options.maximumBlockSize, shownSeed(chain, profile) ?? '');
}

function bannerChain(options: OwnDevOptions, profile: Profile, chain: OwnDevChain | JoinedChain): BannerChain {
  const mining =
    options.join === undefined
      ? miningLine(readMining(options), options.blockIntervalMs)
      : 'made by the node that is joined';
  return {
    profile,
    names: listAccounts(chain.genesisText),
    seed: shownSeed(chain, profile),
    mining,
    isMining: options.join !== undefined || readMining(options) !== 'none',
    listsAll: options.listAccounts,
  };
}

function miningLine(mining: Mining, everyMs: number | undefined): string {
  if (mining === 'none') return 'when debug_api.produce_blocks orders them';
  if (mining === 'automine') return 'as soon as there is a transaction';
  return everyMs === undefined ? 'every 3 seconds' : `every ${everyMs} ms`;
}

/** Returns the seed of the keys; for a joined chain it only tells whether they are those of every development chain. */
function shownSeed(chain: OwnDevChain | JoinedChain, profile: Profile): string | undefined {
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
    throw new Fault(
      'configuration',
      `${error.message}; a second chain beside it: pharos dev --port 0 --data-dir data/second`,
      error,
    );
  }
}

async function sayingPort(port: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'port_in_use' || !error.message.endsWith(`port ${port}`))
      throw error;
    throw new Fault(
      'port_in_use',
      `${error.message}, another program does; use --port NUMBER, or --port 0 for one that is free`,
      error,
    );
  }
}

/** The chain that another node makes. */
async function fetchChain(options: OwnDevOptions, target: Target): Promise<JoinedChain> {
  const { blockIntervalMs, maximumBlockSize, automine, mining, accounts, seed } = options;
  const isForMaker =
    [blockIntervalMs, maximumBlockSize, automine, accounts, seed].some((each) => each !== undefined) || !mining;
  if (isForMaker)
    throw new Fault(
      'configuration',
      'who joins a chain makes no blocks: --block-interval-ms, --maximum-block-size, --automine, --no-mining, --accounts and --seed are for the other node',
    );
  const { fetchJoinedChain } = await import('../dev_chain/joined_chain.ts');
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
