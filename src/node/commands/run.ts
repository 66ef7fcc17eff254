import { Command, Option as Flag } from 'commander';
import { Fault } from '../../base/fault.ts';
import { logLevelOf, openLog, type LogLevel } from '../../base/log.ts';
import { decodeWif } from '../../crypto/wif.ts';
import { chosenHttpServer } from '../../jsonrpc/http/listen.ts';
import type { PrivateKeyMethods } from '../../jsonrpc/private_keys.ts';
import { isNetwork } from '../../jsonrpc/http/clients.ts';
import { isLoopback } from '../../jsonrpc/http/loopback.ts';
import { PUBLIC_CALLS_PER_SECOND, type Limits } from '../../jsonrpc/limits.ts';
import { profileNamed } from '../chain_settings.ts';
import { limitsOf } from '../config/limit_options.ts';
import { chainSettingsOf } from '../config/chain_settings_of.ts';
import { snapshotSettingsOf } from '../config/snapshot_settings.ts';
import { exposedKeys } from '../config/exposed_keys.ts';
import { isOptionKey, options, type Endpoint, type OptionValues } from '../config/options.ts';
import { p2pSettingsOf } from '../config/p2p_settings.ts';
import { readConfig } from '../config/read_config.ts';
import { sinkSettingsOf } from '../config/sink_settings.ts';
import { besideDataDir, dataDirOf, standbySettingsOf } from '../config/standby_settings.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { serve } from '../serve.ts';
import type { NodeSettings } from '../node_settings.ts';
import type { RunningNode } from '../start_node.ts';
import { signingKeysIn } from '../signing_keys.ts';
import type { ProductionSettings } from '../threads/messages.ts';
import { SAFE_PARTICIPATION } from '../../witness/required_participation.ts';
import { defaultVerifierThreads } from '../threads/verifier_threads.ts';

/** `pharos run`: a node with settings from a file, the environment and flags. */
export function runCommand(): Command {
  const command = new Command('run')
    .description('run a node')
    .option('-c, --config <file>', 'INI file with settings; each can also be given as PHAROS_… or as a flag');
  for (const [key, option] of Object.entries(options)) {
    // Shown in the text only: a default of the flag itself would override the file and the environment.
    const doc = 'initial' in option ? `${option.doc} (default: ${option.initial})` : option.doc;
    const flag = new Flag(option.kind === 'flag' ? `--${key} [value]` : `--${key} <value>`, doc);
    if ('withoutEffect' in option) flag.hideHelp();
    command.addOption(
      option.kind === 'texts' ? flag.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]) : flag,
    );
  }
  return command.action(async (flags: Readonly<Record<string, unknown>>) => {
    await runNode(flags);
  });
}

async function runNode(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { config, ...rest } = flags;
  const byKey = Object.entries(rest).map(([name, value]): [string, unknown] => [keyOfFlag(name), value]);
  const { values, notices } = readConfig({
    iniFile: typeof config === 'string' ? config : undefined,
    environment: process.env,
    flags: Object.fromEntries(byKey.filter(([key, value]) => isOptionKey(key) && value !== undefined)),
  });
  const log = openLog(levelOf(values), 'front');
  for (const notice of [...notices, ...exposedKeys(flags)]) log.warning(notice);
  if (values.snapshot !== undefined) await (await import('../snapshot/begin_as_said.ts')).beginAsSaid(values, log);
  const settings = await nodeSettings(values, log);
  if (settings.p2p !== undefined) warnOfLowParticipation(settings.writer.production, log);
  await refuseImpersonator(settings, values);
  const folder = await DataFolder.lock(dataDirOf(values), 'run');
  await serve({ ...settings, folder }, (node) => {
    if (node.services.parameters.impersonator !== undefined) log.warning(IMPERSONATED);
    if (node.network !== undefined) log.notice(networkLine(node.network));
    log.notice(
      `chain ${node.chainId}, head block ${node.headBlockNumber}, listening on ${node.ports.join(', ')}, served by ${node.httpServer}`,
    );
  });
  log.notice('stopped: everything is on the disk');
}

/** A witness with peers makes blocks that strangers may take for money. */
async function refuseImpersonator({ p2p, writer }: Pick<NodeSettings, 'p2p' | 'writer'>, values: OptionValues): Promise<void> {
  if (p2p === undefined || writer.production === undefined || values['accept-impersonator'] === true) return;
  const { parametersOf } = await import('../chain_settings.ts');
  if (parametersOf(writer.chain).impersonator === undefined) return;
  fail(
    'genesis-json: it names an impersonator, whose key acts for every account; a witness with peers produces for such a chain only with accept-impersonator, which says that it is a development chain',
  );
}

const IMPERSONATED =
  'ANYBODY CAN SPEND EVERYTHING ON THIS CHAIN who has the key that its genesis names as impersonator: it acts for every account, so this is a development chain and nothing else';

function warnOfLowParticipation(settings: ProductionSettings | undefined, log: NodeSettings['log']): void {
  const { requiredParticipation: said = SAFE_PARTICIPATION } = settings ?? {};
  if (said >= SAFE_PARTICIPATION) return;
  log.warning(
    `required-participation is ${said / 100}: when the network parts, this part may go on alone and split from the chain for good; 67 is safe`,
  );
}

function networkLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return `node ${id}, ${listensOn === undefined ? 'no port for peers' : `peers on ${listensOn}`}`;
}

const MEBIBYTE = 1024 * 1024;

/** Undoes Commander's change of `data-dir` into `dataDir`. */
function keyOfFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function levelOf(values: OptionValues): LogLevel {
  const text = values['log-level'] ?? 'info';
  return logLevelOf(text) ?? fail(`log-level: debug, info, notice, warning or error expected, got "${text}"`);
}

async function nodeSettings(values: OptionValues, log: NodeSettings['log']): Promise<Omit<NodeSettings, 'folder'>> {
  const endpoints = [values['webserver-http-endpoint'], values['webserver-ws-endpoint']].filter((endpoint) => endpoint !== undefined);
  const [first] = endpoints;
  const p2p = withSwitches(p2pSettingsOf(values), values);
  const produced = await production(values, p2p);
  const cacheMib = values['database-cache-mib'];
  const isOnePort = endpoints.length === 2 && endpoints.every(({ host, port }) => host === first?.host && port === first.port);
  return {
    acceptHead: values['accept-head'],
    cacheBytes: cacheMib === undefined ? undefined : cacheMib * MEBIBYTE,
    writer: {
      chain: chainSettingsOf(values),
      durable: (values.sync ?? 'every-block') === 'every-block',
      checkpoints: (values.checkpoint ?? []).map(checkpointOf),
      blocksKept: blocksKeptOf(values),
      production: produced,
      logLevel: levelOf(values),
    },
    p2p,
    sink: sinkSettingsOf(values),
    snapshots: snapshotSettingsOf(values),
    endpoints: isOnePort ? endpoints.slice(0, 1) : endpoints,
    methods: async () =>
      (await import('../served_methods.ts')).servedMethods(
        profileNamed(values.profile ?? 'default'),
        values.plugin ?? [],
        p2p !== undefined,
        produced !== undefined,
      ),
    limits: limitsFor(values),
    metricsEndpoint: values['metrics-endpoint'],
    verifierThreads: values['webserver-thread-pool-size'] ?? defaultVerifierThreads(),
    httpServer: chosenHttpServer({ named: values['webserver-http-server'], uwsModule: values['webserver-uws-module'] }),
    corsOrigins: values['http-cors'] ?? [],
    allowedHosts: values['allowed-host'] ?? [],
    guardsMemos: isOn('memo-guard', values),
    explorer: isOn('explorer', values),
    tellsHead: tellsHead(values),
    readyLag: { blocks: positive('ready-lag-blocks', values), seconds: positive('ready-lag-seconds', values) },
    trustedProxies: trustedProxies(values),
    privateKeyMethods: privateKeyMethods(values),
    adminEndpoint: adminEndpoint(values),
    log,
  };
}

/** A standby alone takes switches of peers. */
function withSwitches(p2p: NodeSettings['p2p'], { 'standby-for': standbyFor }: OptionValues): NodeSettings['p2p'] {
  return p2p && { ...p2p, takesSwitches: standbyFor !== undefined };
}

/** A limit that is said holds for everybody; the one that isn't, for clients of other machines. */
function limitsFor(values: OptionValues): Limits {
  const limits = limitsOf(values);
  const isSaid = values['max-calls-per-second'] !== undefined;
  return isSaid ? { ...limits, countsLocalCalls: true } : { ...limits, callsPerSecond: PUBLIC_CALLS_PER_SECOND };
}

function isOn(key: 'memo-guard' | 'explorer', { [key]: text = 'on' }: OptionValues): boolean {
  return text === 'on' || text === 'off' ? text === 'on' : fail(`${key}: on or off expected, got "${text}"`);
}

function tellsHead({ 'head-header': text = 'asked' }: OptionValues): boolean {
  return text === 'asked' || text === 'always' ? text === 'always' : fail(`head-header: asked or always expected, got "${text}"`);
}

function trustedProxies({ 'trusted-proxy': networks = [] }: OptionValues): readonly string[] {
  for (const network of networks)
    if (!isNetwork(network)) fail(`trusted-proxy: an address or a network such as 10.0.0.0/8 expected, got ${network}`);
  return networks;
}

function privateKeyMethods({ 'private-key-methods': text = 'local' }: OptionValues): PrivateKeyMethods {
  return text === 'local' || text === 'always' || text === 'never'
    ? text
    : fail(`private-key-methods: local, always or never expected, got "${text}"`);
}

function adminEndpoint({ 'admin-endpoint': endpoint }: OptionValues): Endpoint | undefined {
  if (endpoint !== undefined && !isLoopback(endpoint.host))
    fail(`admin-endpoint: an address of this machine only, such as 127.0.0.1, expected, got ${endpoint.host}`);
  return endpoint;
}

function positive(key: 'ready-lag-blocks' | 'ready-lag-seconds', { [key]: count }: OptionValues): number | undefined {
  return count === 0 ? fail(`${key}: a positive number expected`) : count;
}

function blocksKeptOf({ 'blocks-kept': count }: OptionValues): number | undefined {
  return count === 0 ? fail('blocks-kept: a positive number expected; leave it out to keep all blocks') : count;
}

function checkpointOf(text: string): readonly [number, string] {
  const match = /^\[\s*(\d{1,10})\s*,\s*"([0-9a-f]{40})"\s*\]$/.exec(text);
  return match === null ? fail(`checkpoint: [block number, "block id"] expected, got ${text}`) : [Number(match[1]), match[2] ?? ''];
}

const FULL_PARTICIPATION_PERCENT = 100;

async function production(values: OptionValues, p2p: NodeSettings['p2p']): Promise<ProductionSettings | undefined> {
  const { 'standby-for': standbyFor } = values;
  const witnesses = [...(values.witness ?? []), ...(standbyFor === undefined ? [] : [standbyFor])];
  // A private net's only past slots are those since its built-in genesis, all of them missed.
  const isPrivateNet = values['initminer-mining-pubkey'] !== undefined;
  const percent = values['required-participation'] ?? (isPrivateNet ? 0 : undefined);
  if (percent !== undefined && percent > FULL_PARTICIPATION_PERCENT)
    fail(`required-participation: 0 to 100 percent expected, got ${percent}`);
  const said = (values['private-key'] ?? []).map(
    (wif, index) => decodeWif(wif) ?? fail(`private-key: the ${index + 1}. value is not a WIF key`),
  );
  const filed = await signingKeysIn(values['private-key-file'] ?? [], values['private-key-password-file']);
  const secrets = [...said, ...filed];
  const signerSocket = values['signer-socket'];
  if (signerSocket !== undefined && secrets.length > 0)
    fail('signer-socket: the signer holds the keys; leave out private-key and private-key-file');
  // Keys without a witness are a mistake that production reports.
  if (witnesses.length === 0 && secrets.length === 0) return undefined;
  return {
    witnesses,
    secrets,
    allowStale: values['enable-stale-production'] === true,
    requiredParticipation: percent === undefined ? undefined : percent * 100,
    acceptsLowParticipation: isPrivateNet || values['accept-low-participation'] === true,
    ownTime: false,
    everyMs: undefined,
    hasPeers: p2p !== undefined,
    hasSeeds: p2p !== undefined && p2p.seeds.length > 0,
    signerSocket,
    standby: standbySettingsOf(values, p2p?.seeds),
    signingJournal: values['signing-journal'] ?? besideDataDir(values, '.signed'),
  };
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
