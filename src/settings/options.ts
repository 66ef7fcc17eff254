import { logFormats } from '../base/log.ts';
import { ROW_CACHE_MIB } from '../chain/chain_options.ts';
import { YOUNG_GENERATION_MIB } from '../system/thread_memory.ts';
import { limitOptions } from './limit_options.ts';
import { networkOptions } from './network_options.ts';
import { sinkOptions } from './sink_options.ts';

/** The form of an option's value as text, and the type that the program gets. */
export type OptionKind = 'text' | 'texts' | 'flag' | 'count' | 'endpoint' | 'endpoint_or_unix' | 'choice';

/**
 * The parts that read settings, each with the file that does so. A setting has one reader, and `SettingsOf` gives a
 * reader no other settings. Only `pharos doctor` sees all of them: it explains them.
 */
export const readers = {
  chain: 'settings/read_chain_settings.ts',
  front: 'node/front.ts',
  limits: 'settings/limit_options.ts',
  log: 'settings/log_settings.ts',
  memory: 'settings/memory_settings.ts',
  methods: 'settings/served_methods.ts',
  p2p: 'settings/p2p_settings.ts',
  production: 'settings/production_settings.ts',
  run: 'cli/run.ts',
  servers: 'settings/server_settings.ts',
  sink: 'settings/sink_settings.ts',
  snapshots: 'settings/snapshot_settings.ts',
  standby: 'settings/standby_settings.ts',
  store: 'settings/store_settings.ts',
  traces: 'settings/trace_settings.ts',
  verifiers: 'settings/verifier_settings.ts',
  writer: 'settings/writer_settings.ts',
} as const;

export type Reader = keyof typeof readers;

/** One setting of the node: the same key in the INI file, in the environment (`PHAROS_…`) and as a flag. */
export interface Option {
  readonly kind: OptionKind;
  /** The part that reads it; absent for options without effect. */
  readonly reader?: Reader;
  readonly doc: string;
  /** The default, as written in the INI file; absent when the setting has none. */
  readonly initial?: string;
  /** The words that a choice takes. */
  readonly words?: readonly string[];
  /** Set where a value has a secret in it: nothing shows it. */
  readonly secret?: 'whole' | 'login';
  /**
   * Set for options of the lineage that this node doesn't use: they are accepted, with a notice that they have no
   * effect.
   */
  readonly withoutEffect?: string;
}

const NO_STATE_FILE = 'RocksDB keeps the state and grows as it needs';

/** All keys. Names and meanings are the lineage's where the lineage has the option (rpc_conventions.md#names-of-settings). */
export const options = {
  'data-dir': { kind: 'text', reader: 'store', doc: 'folder of the database', initial: 'data/node' },
  'database-cache-mib': {
    kind: 'count',
    reader: 'store',
    doc: "mebibytes of the database's files to keep in memory, their indexes and filters included; an eighth of the machine's memory, from 256 to 720, when left out",
  },
  'young-generation-mib': {
    kind: 'count',
    reader: 'memory',
    doc: 'mebibytes for the young generation (new values) of the writer, of each verifier and of the event stream: less takes less memory under load, and copies values more often',
    initial: String(YOUNG_GENERATION_MIB),
  },
  profile: { kind: 'text', reader: 'chain', doc: 'symbols of the chain: default or lineage', initial: 'default' },
  'genesis-json': {
    kind: 'text',
    reader: 'chain',
    doc: 'genesis file; the chain id is the sha256 of its bytes; genesis.json in the data-dir when left out',
  },
  'initminer-mining-pubkey': {
    kind: 'text',
    reader: 'chain',
    doc: 'public key that makes the chain a private net; without genesis-json its genesis is built in, and the key signs the first blocks',
  },
  'initminer-account-pubkey': {
    kind: 'text',
    reader: 'chain',
    doc: 'public key of initminer in a private net that has no genesis-json; the mining key when left out',
  },
  'initial-signing-key': {
    kind: 'text',
    reader: 'chain',
    doc: "public key that signs the first witness's blocks, instead of the profile's",
  },
  plugin: { kind: 'texts', reader: 'methods', doc: 'method groups to serve; all when left out' },
  'webserver-http-endpoint': {
    kind: 'endpoint',
    reader: 'servers',
    doc: 'host:port for JSON-RPC over HTTP and WebSocket',
    initial: '127.0.0.1:9193',
  },
  'webserver-ws-endpoint': {
    kind: 'endpoint',
    reader: 'servers',
    doc: 'a second host:port, where another one is wanted for WebSocket',
  },
  'webserver-unix-endpoint': {
    kind: 'text',
    reader: 'servers',
    doc: 'path of a Unix socket that answers JSON-RPC over HTTP and WebSocket, too: its user and its group may open it (mode 0660), and are programs of this machine whatever stands before the ports; commands use it by default; none when left out',
  },
  'webserver-http-server': {
    kind: 'text',
    reader: 'servers',
    doc: 'uws or node, what speaks HTTP: uWebSockets.js, which is faster, or node:http, which takes HTTP/1.0 and keeps idle connections for idle-ms, as proxies need; node with trusted-proxy and where uWebSockets.js has no binary, otherwise uws',
  },
  'webserver-uws-module': {
    kind: 'text',
    reader: 'servers',
    doc: 'folder of another release of uWebSockets.js, from its authors, that serves instead of the installed one',
  },
  'http-cors': {
    kind: 'texts',
    reader: 'servers',
    doc: 'Origin of web pages that may call, such as https://wallet.example, repeatable; localhost for pages of this machine, * for all; none when left out',
  },
  'allowed-host': {
    kind: 'texts',
    reader: 'servers',
    doc: 'Host headers that are answered besides the endpoint’s own',
  },
  'trusted-proxy': {
    kind: 'texts',
    reader: 'servers',
    doc: 'address or network, such as 10.0.0.0/8, of a proxy that is believed whom it speaks for by X-Forwarded-For or Forwarded, repeatable; none when left out',
  },
  'http-compression': {
    kind: 'choice',
    reader: 'servers',
    words: ['on', 'off'],
    doc: 'on or off: whether answers of 1 KiB and more are compressed for programs of other machines that accept br or gzip; never with trusted-proxy, because the proxy does that',
    initial: 'on',
  },
  'private-key-methods': {
    kind: 'choice',
    reader: 'servers',
    words: ['local', 'always', 'never', 'unix'],
    doc: 'local, always, never or unix: who may call methods that take a private key; local are programs of this machine that come through no proxy, and a proxy that forwards bytes only can not be seen: say never behind one, or unix, which takes them and the administration by webserver-unix-endpoint alone',
    initial: 'local',
  },
  'admin-endpoint': {
    kind: 'endpoint_or_unix',
    reader: 'servers',
    doc: 'host:port on loopback, the only port that answers methods that take a private key and those of the administration, or unix: no port does; all ports do when left out, and webserver-unix-endpoint in any case',
  },
  explorer: {
    kind: 'choice',
    reader: 'front',
    words: ['on', 'off'],
    doc: 'on or off: whether a browser that opens the address of the node is shown pages about the chain',
    initial: 'on',
  },
  'ready-lag-blocks': {
    kind: 'count',
    reader: 'servers',
    doc: 'how many blocks of its peers a node may lack and yet be ready (GET /readyz); what is on its way counts',
    initial: '1',
  },
  'ready-lag-seconds': {
    kind: 'count',
    reader: 'servers',
    doc: 'how old the head of a ready node may be; ten block intervals when left out',
  },
  'head-header': {
    kind: 'choice',
    reader: 'front',
    words: ['asked', 'always'],
    doc: 'asked or always: which answers by HTTP have a header X-Pharos-Head with number and id of the head; asked are those to a request with X-Pharos-Min-Head, and one with every answer costs a part of a small read',
    initial: 'asked',
  },
  'memo-guard': {
    kind: 'choice',
    reader: 'verifiers',
    words: ['on', 'off'],
    doc: 'on or off: refuse transactions whose memo, document, metadata or URL contains a private key of the sender, and memos that are its password; costs a part of the work for transfers with memos',
    initial: 'on',
  },
  'webserver-thread-pool-size': {
    kind: 'count',
    reader: 'verifiers',
    doc: 'verifier threads; one less than the cores, at least one, when left out',
  },
  witness: { kind: 'texts', reader: 'production', doc: 'witness to produce blocks for, repeatable' },
  'private-key': { kind: 'texts', reader: 'production', secret: 'whole', doc: 'WIF key that signs blocks, repeatable' },
  'private-key-file': {
    kind: 'texts',
    reader: 'production',
    doc: 'file with a key that signs blocks, readable by its owner only: a WIF, or encrypted as pharos keys --key-file does; repeatable',
  },
  'private-key-password-file': {
    kind: 'text',
    reader: 'production',
    doc: 'file whose first line is the password of encrypted key files; asked for at the terminal when left out',
  },
  'signer-socket': {
    kind: 'text',
    reader: 'production',
    doc: 'Unix socket of a pharos signer, which holds key and signing journal in place of this node',
  },
  'enable-stale-production': {
    kind: 'flag',
    reader: 'production',
    doc: 'produce although the head is old; when it is older than a minute and none of p2p-seed-node answers, after a minute of waiting',
    initial: 'false',
  },
  'required-participation': {
    kind: 'count',
    reader: 'production',
    doc: 'percent of slots that must be filled before this node produces; unless said 67, and 0 in a private net; 75 on a chain without votes, as long as blocks are final a round later even if one witness makes them all (genesis: confirmations_from_block)',
  },
  'accept-low-participation': {
    kind: 'flag',
    reader: 'production',
    doc: 'required-participation may be below 60 on a chain without votes where blocks are final a round later, although a parted network then splits for good',
    initial: 'false',
  },
  'accept-impersonator': {
    kind: 'flag',
    reader: 'run',
    doc: 'this witness may produce for a chain whose genesis names an impersonator, whose key acts for every account, although the node has peers: a development chain',
    initial: 'false',
  },
  'signing-journal': {
    kind: 'text',
    reader: 'production',
    doc: 'file that says what was signed, so that no slot is signed twice, whatever becomes of the database; the data-dir with .signed behind it when left out',
  },
  'standby-for': {
    kind: 'text',
    reader: 'standby',
    doc: 'witness that this node stands by for, with a key of its own: it takes over when that one misses two slots in a row while the others go on',
  },
  'standby-node': {
    kind: 'texts',
    reader: 'standby',
    doc: 'KEY@id: public signing key and node id of a standby, which may take over from the witness of this node; repeatable',
  },
  checkpoint: {
    kind: 'texts',
    reader: 'writer',
    doc: '[block number, "block id"]: the block at that height must have that id, repeatable; up to the highest one nobody verifies who signed the transactions of blocks that peers give',
  },
  sync: {
    kind: 'text',
    reader: 'writer',
    doc: 'every-block: a block is on the disk before it is announced; never: the system decides',
    initial: 'every-block',
  },
  'row-cache-mib': {
    kind: 'count',
    reader: 'writer',
    doc: 'mebibytes of decoded rows that the writer keeps, some 90 000 with 64; one that is not kept is read again, which makes a transaction up to a tenth dearer where more accounts are in use',
    initial: String(ROW_CACHE_MIB),
  },
  'blocks-kept': {
    kind: 'count',
    reader: 'writer',
    doc: 'how many of the newest blocks are kept, with the histories of accounts in them; those that are not irreversible yet are kept in any case; all when left out',
  },
  'finality-checkpoint': {
    kind: 'text',
    reader: 'writer',
    doc: 'NUMBER:ID of a block that ends an epoch, or a checkpoint as pharos checkpoint prints it: the next epoch begins with it, without the votes that are missing; the last resort when an epoch has lost its voters for good, the same in the settings of every node; a checkpoint takes the place of peers who confirm the block of a snapshot, too',
  },
  'finality-epochs-kept': {
    kind: 'count',
    reader: 'writer',
    doc: 'of how many of the newest epochs the certificates of finality are all kept, on a chain with finality; of older ones every 64th is, and those that the next one needs; 1700 are three days of rounds of 51',
    initial: '1700',
  },
  snapshot: {
    kind: 'text',
    reader: 'run',
    secret: 'login',
    doc: 'file or address (http, https) of a snapshot that a node without a chain begins with; it has the genesis in it',
  },
  'snapshot-sha256': {
    kind: 'text',
    reader: 'run',
    doc: 'of that file, as sha256sum prints it, from somebody you trust',
  },
  'snapshot-own': {
    kind: 'flag',
    reader: 'run',
    doc: 'a node of yours has written that file: it is taken as it is',
    initial: 'false',
  },
  'snapshot-every-blocks': {
    kind: 'count',
    reader: 'snapshots',
    doc: 'a snapshot is written each time so many blocks more are irreversible; none when left out',
  },
  'snapshots-kept': {
    kind: 'count',
    reader: 'snapshots',
    doc: 'how many of the newest snapshots stay in their folder; all when left out, and of those that were asked for the last one',
  },
  'snapshot-dir': {
    kind: 'text',
    reader: 'snapshots',
    doc: 'folder of the snapshots that this node writes; the data-dir with .snapshots behind it when left out',
  },
  'snapshot-signed-by': {
    kind: 'texts',
    reader: 'run',
    doc: 'public key of somebody whose snapshots are believed when the file with .sig behind its name has a signature of that key; repeatable',
  },
  'accept-head': {
    kind: 'count',
    reader: 'store',
    doc: 'number of the last block that is there, when the node says that blocks are missing and you want to go on without them',
  },
  'log-level': { kind: 'text', reader: 'log', doc: 'debug, info, notice, warning or error', initial: 'info' },
  'log-format': {
    kind: 'choice',
    reader: 'log',
    words: logFormats,
    doc: 'auto, text or json: form of a log line; auto is text on a terminal and JSON elsewhere',
    initial: 'auto',
  },
  'trace-endpoint': {
    kind: 'text',
    reader: 'traces',
    doc: 'address of a collector for traces of broadcasts, by OTLP over HTTP in JSON, such as http://127.0.0.1:4318/v1/traces; none when left out',
  },
  'trace-every': {
    kind: 'count',
    reader: 'traces',
    doc: 'with trace-endpoint, one broadcast of this many is traced',
    initial: '100',
  },
  'metrics-endpoint': {
    kind: 'endpoint',
    reader: 'servers',
    doc: 'host:port of the Prometheus metrics; none when left out',
  },
  ...networkOptions,
  ...sinkOptions,
  ...limitOptions,

  'shared-file-size': { kind: 'text', doc: 'size of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-dir': { kind: 'text', doc: 'folder of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-full-threshold': { kind: 'text', doc: 'growth of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-scale-rate': { kind: 'text', doc: 'growth of the state file', withoutEffect: NO_STATE_FILE },
  'flush-state-interval': { kind: 'text', doc: 'blocks between flushes', withoutEffect: 'see sync' },
  'p2p-force-validate': {
    kind: 'text',
    doc: 'check signatures of blocks',
    withoutEffect: 'signatures are always checked',
  },
  'force-validate': { kind: 'text', doc: 'check signatures of blocks', withoutEffect: 'signatures are always checked' },
  backtrace: { kind: 'text', doc: 'stack trace on a crash', withoutEffect: 'a failed assertion always says where' },
  'history-disable-pruning': {
    kind: 'text',
    doc: 'keep the whole history',
    withoutEffect: 'the whole history is kept unless blocks-kept is set',
  },
  'webserver-https-endpoint': {
    kind: 'text',
    doc: 'address for TLS',
    withoutEffect: 'put a proxy that speaks TLS before the node',
  },
} as const satisfies Readonly<
  Record<string, Option & ({ readonly reader: Reader } | { readonly withoutEffect: string })>
>;

export type OptionKey = keyof typeof options;

type ValueOfKind = {
  readonly text: string;
  readonly texts: readonly string[];
  readonly flag: boolean;
  readonly count: number;
  readonly endpoint: Endpoint;
  readonly endpoint_or_unix: Endpoint | 'unix';
};

/** The values of all options; undefined where an option has neither a value nor a default. */
export type OptionValues = { readonly [K in OptionKey]: ValueOf<(typeof options)[K]> | undefined };

type ValueOf<O extends Option> = O extends { readonly kind: 'choice'; readonly words: readonly (infer W)[] }
  ? W
  : ValueOfKind[Exclude<O['kind'], 'choice'>];

type KeyReadBy<R extends Reader> = {
  [K in OptionKey]: (typeof options)[K] extends { readonly reader: R } ? K : never;
}[OptionKey];

/** The settings that a part reads. */
export type SettingsOf<R extends Reader> = Pick<OptionValues, KeyReadBy<R>>;

/** Takes from all settings those of one reader, without the secrets of others. */
export function pickSettings<R extends Reader>(reader: R, values: OptionValues): SettingsOf<R>;
export function pickSettings(reader: Reader, values: OptionValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isOptionKey(key) && optionReader(key) === reader));
}

/** The part that reads a setting; undefined for one without effect. */
export function optionReader(key: OptionKey): Reader | undefined {
  const option = options[key];
  return 'reader' in option ? option.reader : undefined;
}

/** An address to listen on. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(options, key);
}
