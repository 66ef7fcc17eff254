import { limitOptions } from './limit_options.ts';
import { networkOptions } from './network_options.ts';
import { sinkOptions } from './sink_options.ts';

/** The form of an option's value as text, and the type that the program gets. */
export type OptionKind = 'text' | 'texts' | 'flag' | 'count' | 'endpoint';

/** One setting of the node: the same key in the INI file, in the environment (`PHAROS_…`) and as a flag. */
export interface Option {
  readonly kind: OptionKind;
  readonly doc: string;
  /** The default, as written in the INI file; absent when the setting has none. */
  readonly initial?: string;
  /** Set for options of the lineage that this node doesn't use: they are accepted, with a notice that they have no effect. */
  readonly withoutEffect?: string;
}

const NO_STATE_FILE = 'RocksDB keeps the state and grows as it needs';

/** All keys. Names and meanings are the lineage's where the lineage has the option (rpc.md 8.2). */
export const options = {
  'data-dir': { kind: 'text', doc: 'folder of the database', initial: 'data/node' },
  'database-cache-mib': {
    kind: 'count',
    doc: "mebibytes of the database's files to keep in memory; an eighth of the machine's memory, from 256 to 640, when left out",
  },
  profile: { kind: 'text', doc: 'words of the chain: default or lineage', initial: 'default' },
  'genesis-json': {
    kind: 'text',
    doc: 'genesis file; the chain id is the sha256 of its bytes; genesis.json in the data-dir when left out',
  },
  'initminer-mining-pubkey': {
    kind: 'text',
    doc: 'public key that makes the chain a private net; without genesis-json its genesis is built in, and the key signs the first blocks',
  },
  'initminer-account-pubkey': {
    kind: 'text',
    doc: 'public key of initminer in a private net that has no genesis-json; the mining key when left out',
  },
  'initial-signing-key': { kind: 'text', doc: "public key that signs the first witness's blocks, instead of the profile's" },
  plugin: { kind: 'texts', doc: 'method groups to serve; all when left out' },
  'webserver-http-endpoint': { kind: 'endpoint', doc: 'host:port for JSON-RPC over HTTP and WebSocket', initial: '127.0.0.1:9193' },
  'webserver-ws-endpoint': { kind: 'endpoint', doc: 'a second host:port, where another one is wanted for WebSocket' },
  'webserver-http-server': {
    kind: 'text',
    doc: 'uws or node, what speaks HTTP: uWebSockets.js, which is faster, or node:http, which takes HTTP/1.0 and keeps idle connections for idle-ms, as proxies like it; uws where it has a binary, on Node 20, when left out',
  },
  'webserver-uws-module': {
    kind: 'text',
    doc: 'folder of a release of uWebSockets.js, from its authors, that serves instead of the installed one: there are those for Node 22 and later',
  },
  'http-cors': {
    kind: 'texts',
    doc: 'Origin of web pages that may call, such as https://wallet.example, repeatable; localhost for pages of this machine, * for all; none when left out',
  },
  'allowed-host': { kind: 'texts', doc: 'Host headers that are answered besides the endpoint’s own' },
  'trusted-proxy': {
    kind: 'texts',
    doc: 'address or network, such as 10.0.0.0/8, of a proxy that is believed whom it speaks for by X-Forwarded-For or Forwarded, repeatable; none when left out',
  },
  'private-key-methods': {
    kind: 'text',
    doc: 'local, always or never: who may call methods that take a private key; local are programs of this machine that come through no proxy, and a proxy that forwards bytes only can not be seen: say never behind one',
    initial: 'local',
  },
  'admin-endpoint': {
    kind: 'endpoint',
    doc: 'host:port on loopback that alone answers methods that take a private key and those of the administration; all ports do when left out',
  },
  explorer: {
    kind: 'text',
    doc: 'on or off: whether a browser that opens the address of the node is shown pages about the chain',
    initial: 'on',
  },
  'ready-lag-blocks': {
    kind: 'count',
    doc: 'how many blocks of its peers a node may lack and yet be ready (GET /readyz); what is on its way counts',
    initial: '1',
  },
  'ready-lag-seconds': {
    kind: 'count',
    doc: 'how old the head of a ready node may be; ten block intervals when left out',
  },
  'head-header': {
    kind: 'text',
    doc: 'asked or always: which answers by HTTP have a header X-Pharos-Head with number and id of the head; asked are those to a request with X-Pharos-Min-Head, and one with every answer costs a part of a small read',
    initial: 'asked',
  },
  'memo-guard': {
    kind: 'text',
    doc: 'on or off: refuse transactions whose memo, document, metadata or URL contains a private key of the sender, and memos that are its password; costs a part of the work for transfers with memos',
    initial: 'on',
  },
  'webserver-thread-pool-size': { kind: 'count', doc: 'verifier threads; one less than the cores, at least one, when left out' },
  witness: { kind: 'texts', doc: 'witness to produce blocks for, repeatable' },
  'private-key': { kind: 'texts', doc: 'WIF key that signs blocks, repeatable' },
  'private-key-file': {
    kind: 'texts',
    doc: 'file with a key that signs blocks, readable by its owner only: a WIF, or encrypted as pharos keys --key-file does; repeatable',
  },
  'private-key-password-file': {
    kind: 'text',
    doc: 'file whose first line is the password of encrypted key files; asked for at the terminal when left out',
  },
  'signer-socket': {
    kind: 'text',
    doc: 'Unix socket of a pharos signer, which holds key and signing journal in place of this node',
  },
  'enable-stale-production': { kind: 'flag', doc: 'produce although the head is old', initial: 'false' },
  'required-participation': {
    kind: 'count',
    doc: 'percent of slots that must be filled before this node produces; unless said 67, 75 as long as blocks are final a round later whoever confirms them (genesis: confirmations_from_block), and 0 in a private net',
  },
  'accept-low-participation': {
    kind: 'flag',
    doc: 'required-participation may be below 60 where blocks are final a round later, although a parted network then splits for good',
    initial: 'false',
  },
  'accept-impersonator': {
    kind: 'flag',
    doc: 'this witness may produce for a chain whose genesis names an impersonator, whose key acts for every account, although the node has peers: a development chain',
    initial: 'false',
  },
  'signing-journal': {
    kind: 'text',
    doc: 'file that says what was signed, so that no slot is signed twice, whatever becomes of the database; the data-dir with .signed behind it when left out',
  },
  'standby-for': {
    kind: 'text',
    doc: 'witness that this node stands by for, with a key of its own: it takes over when that one misses two slots in a row while the others go on',
  },
  'standby-node': {
    kind: 'texts',
    doc: 'KEY@id: public signing key and node id of a standby, which may take over from the witness of this node; repeatable',
  },
  checkpoint: {
    kind: 'texts',
    doc: '[block number, "block id"]: the block at that height must have that id, repeatable; up to the highest one nobody proves who signed the transactions of blocks that peers give',
  },
  sync: {
    kind: 'text',
    doc: 'every-block: a block is on the disk before it is announced; never: the system decides',
    initial: 'every-block',
  },
  'blocks-kept': {
    kind: 'count',
    doc: 'how many of the newest blocks are kept, with the histories of accounts in them; those that are not irreversible yet are kept in any case; all when left out',
  },
  snapshot: {
    kind: 'text',
    doc: 'file or address (http, https) of a snapshot that a node without a chain begins with; it has the genesis in it',
  },
  'snapshot-sha256': { kind: 'text', doc: 'of that file, as sha256sum prints it, from somebody you trust' },
  'snapshot-own': { kind: 'flag', doc: 'a node of yours has written that file: it is taken as it is', initial: 'false' },
  'snapshot-every-blocks': {
    kind: 'count',
    doc: 'a snapshot is written each time so many blocks more are irreversible; none when left out',
  },
  'snapshots-kept': {
    kind: 'count',
    doc: 'how many of the newest snapshots stay in their folder; all when left out, and of those that were asked for the last one',
  },
  'snapshot-dir': {
    kind: 'text',
    doc: 'folder of the snapshots that this node writes; the data-dir with .snapshots behind it when left out',
  },
  'snapshot-signed-by': {
    kind: 'texts',
    doc: 'public key of somebody whose snapshots are believed when the file with .sig behind its name has a signature of that key; repeatable',
  },
  'accept-head': {
    kind: 'count',
    doc: 'number of the last block that is there, when the node says that blocks are missing and you want to go on without them',
  },
  'log-level': { kind: 'text', doc: 'debug, info, notice, warning or error', initial: 'info' },
  'metrics-endpoint': { kind: 'endpoint', doc: 'host:port of the Prometheus metrics; none when left out' },
  ...networkOptions,
  ...sinkOptions,
  ...limitOptions,

  'shared-file-size': { kind: 'text', doc: 'size of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-dir': { kind: 'text', doc: 'folder of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-full-threshold': { kind: 'text', doc: 'growth of the state file', withoutEffect: NO_STATE_FILE },
  'shared-file-scale-rate': { kind: 'text', doc: 'growth of the state file', withoutEffect: NO_STATE_FILE },
  'flush-state-interval': { kind: 'text', doc: 'blocks between flushes', withoutEffect: 'see sync' },
  'p2p-force-validate': { kind: 'text', doc: 'check signatures of blocks', withoutEffect: 'signatures are always checked' },
  'force-validate': { kind: 'text', doc: 'check signatures of blocks', withoutEffect: 'signatures are always checked' },
  backtrace: { kind: 'text', doc: 'stack trace on a crash', withoutEffect: 'a failed assertion always says where' },
  'history-disable-pruning': {
    kind: 'text',
    doc: 'keep the whole history',
    withoutEffect: 'the whole history is kept unless blocks-kept is set',
  },
  'webserver-https-endpoint': { kind: 'text', doc: 'address for TLS', withoutEffect: 'put a proxy that speaks TLS before the node' },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionKey = keyof typeof options;

type ValueOfKind = {
  readonly text: string;
  readonly texts: readonly string[];
  readonly flag: boolean;
  readonly count: number;
  readonly endpoint: Endpoint;
};

/** The values of all options; undefined where an option has neither a value nor a default. */
export type OptionValues = { readonly [K in OptionKey]: ValueOfKind[(typeof options)[K]['kind']] | undefined };

/** An address to listen on. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(options, key);
}
