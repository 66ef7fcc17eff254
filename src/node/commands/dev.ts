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
import { limitOptions, limitsOf } from '../config/limit_options.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { onDisk } from '../system_error.ts';
import { writeWholeFile } from '../data_folder/whole_file.ts';
import { DEV_BALANCE, devAccounts, devGenesisText, devPublicKey, devSecret } from '../dev/dev_genesis.ts';
import { serve } from '../serve.ts';
import type { NodeSettings } from '../node_settings.ts';
import type { RunningNode } from '../start_node.ts';
import { defaultVerifierThreads } from '../threads/verifier_threads.ts';

interface DevOptions {
  readonly dataDir: string;
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
}

const EXAMPLES = `
Examples:
  $ pharos dev                                  blocks every 3 seconds, data kept in data/dev
  $ pharos dev --fresh --block-interval-ms 200  a new chain in a hurry
  $ pharos dev --maximum-block-size 50331648    large blocks for load tests

The limits of pharos run (--max-…) are taken too.`;

/** `pharos dev`: a development chain with one local witness and funded accounts. */
export function devCommand(): Command {
  const command = new Command('dev')
    .description('run a development chain: one local witness, funded accounts, everything on this machine')
    .option('--data-dir <folder>', 'where the chain is kept', 'data/dev')
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

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('a port from 0 to 65535 expected.');
  return Number(text);
}

async function runDev(options: DevOptions): Promise<void> {
  const profile = profileNamed(options.profile);
  const folder = await DataFolder.lock(join(options.dataDir, 'chain'), 'dev');
  const genesisText = releasingOnError(folder, () => openGenesis(options, profile, folder));
  await serve({ ...devSettings(options, genesisText), folder }, async (node) => {
    process.stdout.write(banner(node, profile));
    if (options.maximumBlockSize === undefined) return;
    const { voteForBlockSize } = await import('../dev/block_size_vote.ts');
    await voteForBlockSize(node.services, options.maximumBlockSize);
  });
}

/** The genesis of the chain in the folder; a new one when there is none, or with `fresh`. */
function openGenesis({ dataDir, fresh }: DevOptions, profile: Profile, folder: DataFolder): string {
  const file = join(dataDir, 'genesis.json');
  if (fresh) folder.startOver();
  const isMissing = !existsSync(file);
  if (isMissing && !fresh && folder.holdsChain)
    throw new Fault(
      'damaged_data',
      `${file} is missing, and the chain in ${folder.path} is known by it; put the file back, or start over with --fresh`,
    );
  if (isMissing || fresh) writeWholeFile(file, devGenesisText(profile, Math.trunc(systemClock.nowMs() / 1000)));
  return onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8'));
}

function releasingOnError<T>(folder: DataFolder, run: () => T): T {
  try {
    return run();
  } catch (error) {
    folder.release();
    throw error;
  }
}

function devSettings(options: DevOptions, genesisText: string): Omit<NodeSettings, 'folder'> {
  const { port, blockIntervalMs, profile, metricsPort, acceptHead, blocksKept } = options;
  return {
    acceptHead,
    writer: {
      chain: { profileName: profile, genesisText, initialSigningKey: undefined },
      durable: true,
      checkpoints: [],
      blocksKept,
      production: {
        witnesses: ['initminer'],
        secrets: [devSecret('initminer')],
        allowStale: true,
        requiredParticipation: 0,
        ownTime: true,
        everyMs: blockIntervalMs,
      },
      logLevel: 'warning',
    },
    endpoints: [{ host: '127.0.0.1', port }],
    methods: async () => (await import('../../rpc/methods.ts')).methodsOf(profileNamed(profile), { debug: true }),
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

/** Everything that a new user needs, on one screen. */
function banner(node: RunningNode, profile: Profile): string {
  const url = `http://127.0.0.1:${node.ports[0]}`;
  const names = ['initminer', ...devAccounts];
  const rows = names.map((name) => `  ${name.padEnd(10)} ${encodeWif(devSecret(name))}  ${devPublicKey(name, profile)}`);
  const call = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_account","params":{"account_name":"alice"}}';
  const metrics = node.metricsPort === undefined ? '' : `\n  metrics    http://127.0.0.1:${node.metricsPort}/metrics`;
  return `
Pharos development chain
  JSON-RPC   ${url}  (HTTP and WebSocket, served by ${node.httpServer})
  chain id   ${node.chainId}
  head       block ${node.headBlockNumber}${metrics}

Accounts, each with ${assetText({ amount: BigInt(DEV_BALANCE), symbol: profile.coinSymbol })} (initminer is the witness)
FOR DEVELOPMENT ONLY: the secret of each is the sha256 of its name, which everybody can compute
${rows.join('\n')}

Try it:
  curl -s ${url} -d '${call}'

Ctrl-C stops.
`;
}
