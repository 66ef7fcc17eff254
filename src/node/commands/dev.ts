import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Fault } from '../../base/fault.ts';
import { openLog } from '../../base/log.ts';
import { systemClock } from '../../base/clock.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { assetText } from '../../values/asset.ts';
import type { Profile } from '../../values/profile.ts';
import { profileNamed } from '../chain_settings.ts';
import { positive, wholeNumber } from '../config/flag_values.ts';
import { OWN_MACHINE } from '../../jsonrpc/http/origins.ts';
import { usualLimits } from '../../p2p/network_settings.ts';
import { parseTarget, type Target } from '../../p2p/addresses.ts';
import type { Endpoint } from '../config/options.ts';
import { parseListening } from '../config/read_config.ts';
import { limitOptions, limitsOf } from '../config/limit_options.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { onDisk } from '../system_error.ts';
import { writeWholeFile } from '../data_folder/whole_file.ts';
import { DEV_BALANCE, devAccounts, devGenesisText, devPublicKey, devSecret } from '../dev/dev_genesis.ts';
import type { JoinedChain } from '../dev/joined_chain.ts';
import type { P2pSettings } from '../network/network_messages.ts';
import { serve } from '../serve.ts';
import type { NodeSettings } from '../node_settings.ts';
import type { RunningNode } from '../start_node.ts';
import { defaultVerifierThreads } from '../threads/verifier_threads.ts';

const MEBIBYTE = 1024 * 1024;

interface DevOptions {
  readonly dataDir?: string;
  readonly port: number;
  readonly blockIntervalMs?: number;
  readonly maximumBlockSize?: number;
  readonly fresh: boolean;
  readonly profile: string;
  readonly metricsPort?: number;
  readonly acceptHead?: number;
  readonly httpCors?: readonly string[];
  readonly allowedHost?: readonly string[];
  readonly blocksKept?: number;
  readonly p2pEndpoint?: Endpoint;
  readonly join?: Target;
}

const EXAMPLES = `
Examples:
  $ pharos dev                                  blocks every 3 seconds, data kept in data/dev
  $ pharos dev --fresh --block-interval-ms 200  a new chain in a hurry
  $ pharos dev --p2p-endpoint 0.0.0.0:9290      others may follow the chain
  $ pharos dev --join 192.0.2.1:9290 --port 0   follows that chain, from another machine or this one
  $ pharos dev --maximum-block-size 50331648    large blocks for load tests

The limits of pharos run (--max-…) are taken too.`;

/** `pharos dev`: a development chain with one local witness and funded accounts. */
export function devCommand(): Command {
  const command = new Command('dev')
    .description('run a development chain: one local witness, funded accounts, everything on this machine')
    .option('--data-dir <folder>', 'where the chain is kept; data/dev, and data/joined with --join, when left out')
    .option('--port <number>', 'port for HTTP and WebSocket; 0 takes a free one', portOf, 9193)
    .option('--block-interval-ms <ms>', 'milliseconds between blocks instead of the chain’s 3 seconds; its time runs ahead then', positive)
    .option(
      '--maximum-block-size <bytes>',
      'what the witness votes for, 131072 to 50331648; in force from the next round of 51 blocks',
      positive,
    )
    .option('--fresh', 'start over with a new chain', false)
    .option('--accept-head <number>', 'go on although blocks are missing: number of the last one that is there', wholeNumber)
    .option('--blocks-kept <count>', 'how many of the newest blocks are kept; all when left out', positive)
    .option('--profile <name>', 'words of the chain', 'default')
    .option('--metrics-port <number>', 'port that shows figures for Prometheus; 0 takes a free one', portOf)
    .option('--http-cors <origin>', 'web pages that may call besides those of this machine, repeatable; * for all', oneMore)
    .option('--allowed-host <name>', 'Host that is answered besides those of this machine, repeatable', oneMore)
    .option('--p2p-endpoint <host:port>', 'where other nodes are let in, which follow this chain', endpointOf)
    .option('--join <host:port>', 'follows the development chain of another node instead of making one', targetOf)
    .addHelpText('after', EXAMPLES)
    .action(runDev);
  // For load tests; `pharos run --help` explains them.
  for (const [key, { doc }] of Object.entries(limitOptions))
    command.addOption(new Option(`--${key} <count>`, doc).argParser(positive).hideHelp());
  return command;
}

/** The limits given as flags, by key. */
function givenLimits(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const attribute = (key: string): string => new Option(`--${key}`).attributeName();
  return Object.fromEntries(Object.keys(limitOptions).map((key) => [key, options[attribute(key)]]));
}

function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
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

async function runDev(options: DevOptions): Promise<void> {
  const { join: target, dataDir = target === undefined ? 'data/dev' : 'data/joined' } = options;
  const place: Place = { ...options, dataDir };
  // Before there is a folder: nothing is left behind where nobody answers.
  const fetched = target === undefined ? undefined : await fetchChain(place, target);
  const folder = await DataFolder.lock(join(dataDir, 'chain'), 'dev');
  const chain = releasingOnError(folder, () =>
    fetched === undefined ? openGenesis(place, profileNamed(options.profile), folder) : joinChain(place, fetched, folder),
  );
  await serve({ ...devSettings(options, chain), folder }, async (node) => {
    process.stdout.write(banner(node, profileNamed(chain.profileName)));
    if (options.maximumBlockSize === undefined) return;
    const { voteForBlockSize } = await import('../dev/block_size_vote.ts');
    await voteForBlockSize(node.services, options.maximumBlockSize);
  });
}

type Place = Pick<DevOptions, 'fresh' | 'blockIntervalMs' | 'maximumBlockSize' | 'profile'> & { readonly dataDir: string };

/** The chain that another node makes. */
async function fetchChain(making: Place, target: Target): Promise<JoinedChain> {
  if (making.blockIntervalMs !== undefined || making.maximumBlockSize !== undefined)
    throw new Fault(
      'configuration',
      'who joins a chain makes no blocks: --block-interval-ms and --maximum-block-size are for the other node',
    );
  const { fetchJoinedChain } = await import('../dev/joined_chain.ts');
  return await fetchJoinedChain(target);
}

/** Goes on with a joined chain, or begins to. */
function joinChain({ dataDir, fresh }: Place, chain: JoinedChain, folder: DataFolder): JoinedChain {
  if (fresh) folder.startOver();
  const file = join(dataDir, 'genesis.json');
  const isAnother =
    folder.holdsChain && (!existsSync(file) || onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) !== chain.genesisText);
  if (isAnother)
    throw new Fault('configuration', `another chain lies in ${dataDir}: follow this one in another --data-dir, or start over with --fresh`);
  writeWholeFile(file, chain.genesisText);
  return chain;
}

/** The genesis of the chain in the folder; a new one when there is none, or with `fresh`. */
function openGenesis({ dataDir, fresh }: Place, profile: Profile, folder: DataFolder): JoinedChain {
  const file = join(dataDir, 'genesis.json');
  if (fresh) folder.startOver();
  const isMissing = !existsSync(file);
  if (isMissing && !fresh && folder.holdsChain)
    throw new Fault(
      'damaged_data',
      `${file} is missing, and the chain in ${folder.path} is known by it; put the file back, or start over with --fresh`,
    );
  if (isMissing || fresh) writeWholeFile(file, devGenesisText(profile, Math.trunc(systemClock.nowMs() / 1000)));
  return { profileName: profile.name, genesisText: onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) };
}

function releasingOnError<T>(folder: DataFolder, run: () => T): T {
  try {
    return run();
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** A development chain's peers are of the same user: few, and as many as he starts on one machine. */
function networkOf({ p2pEndpoint, join: target }: DevOptions): P2pSettings | undefined {
  if (p2pEndpoint === undefined && target === undefined) return undefined;
  const seeds = target === undefined ? [] : [target];
  return {
    ...{ endpoint: p2pEndpoint, publicEndpoints: [], seeds, trusted: [], allowed: [], maxConnections: 40, targetPeers: 8 },
    ...{ exchangesPeers: false, takesTransactions: true, syncRate: 64 * MEBIBYTE, limits: usualLimits, poolBytes: 64 * MEBIBYTE },
  };
}

/** The only witness makes blocks here, unless they are made by the node that is joined. */
function productionOf({ join: target, blockIntervalMs: everyMs }: DevOptions): NodeSettings['writer']['production'] {
  if (target !== undefined) return undefined;
  const secrets = [devSecret('initminer')];
  return { witnesses: ['initminer'], secrets, allowStale: true, requiredParticipation: 0, ownTime: true, everyMs };
}

function devSettings(options: DevOptions, { profileName, genesisText }: JoinedChain): Omit<NodeSettings, 'folder'> {
  const { port, metricsPort, acceptHead, blocksKept } = options;
  const p2p = networkOf(options);
  const kinds = { debug: options.join === undefined, network: p2p !== undefined };
  return {
    p2p,
    ownsTime: true,
    // Who joins wants to see how far it is.
    networkLogLevel: options.join === undefined ? 'warning' : 'notice',
    acceptHead,
    writer: {
      chain: { profileName, genesisText, initialSigningKey: undefined },
      durable: true,
      checkpoints: [],
      blocksKept,
      production: productionOf(options),
      logLevel: 'warning',
    },
    endpoints: [{ host: '127.0.0.1', port }],
    methods: async () => (await import('../../rpc/methods.ts')).methodsOf(profileNamed(profileName), kinds),
    metricsEndpoint: metricsPort === undefined ? undefined : { host: '127.0.0.1', port: metricsPort },
    limits: limitsOf(givenLimits({ ...options })),
    verifierThreads: defaultVerifierThreads(),
    corsOrigins: [OWN_MACHINE, ...(options.httpCors ?? [])],
    allowedHosts: options.allowedHost ?? [],
    privateKeyMethods: 'local',
    trustedProxies: [],
    log: openLog('warning', 'front'),
  };
}

function peersLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return listensOn === undefined
    ? `node ${id}, follows another one`
    : `node ${id}, peers on ${listensOn}: pharos dev --join HOST:${listensOn}`;
}

/** Everything that a new user needs, on one screen. */
function banner(node: RunningNode, profile: Profile): string {
  const url = `http://127.0.0.1:${node.ports[0]}`;
  const names = ['initminer', ...devAccounts];
  const rows = names.map((name) => `  ${name.padEnd(10)} ${encodeWif(devSecret(name))}  ${devPublicKey(name, profile)}`);
  const call = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_account","params":{"account_name":"alice"}}';
  const metrics = node.metricsPort === undefined ? '' : `\n  metrics    http://127.0.0.1:${node.metricsPort}/metrics`;
  const peers = node.network === undefined ? '' : `\n  peers      ${peersLine(node.network)}`;
  return `
Pharos development chain
  JSON-RPC   ${url}  (HTTP and WebSocket, served by ${node.httpServer})
  chain id   ${node.chainId}
  head       block ${node.headBlockNumber}${metrics}${peers}

Accounts, each with ${assetText({ amount: BigInt(DEV_BALANCE), symbol: profile.coinSymbol })} (initminer is the witness)
FOR DEVELOPMENT ONLY: the secret of each is the sha256 of its name, which everybody can compute
${rows.join('\n')}

Try it:
  curl -s ${url} -d '${call}'

Ctrl-C stops.
`;
}
