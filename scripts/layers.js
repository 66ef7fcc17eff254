// The floors, importers and registers of the house, as data. scripts/rules/ checks them; test/scripts/ proves that it can refuse.

/**
 * Which rooms a room of src/ may import; an import of a type counts. Itself is always allowed. `'*'` is everything,
 * `'jsonrpc !jsonrpc/http'` a room without one part of it. A room that isn't here can't be imported and may import nothing.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const floors = {
  // 0: knows no chain
  base: [],
  codec: ['base'],
  crypto: ['base'],
  // 1: the values of the wire, the disk
  values: ['base', 'codec', 'crypto'],
  storage: ['base', 'codec'],
  // the protocol alone: what a method is handed is a parameter
  jsonrpc: ['base', 'codec'],
  // 2: not crypto, because what a signature proves is decided before the state is asked
  state: ['base', 'codec', 'values', 'storage'],
  // 3: not crypto, for the same reason
  operations: ['base', 'codec', 'values', 'storage', 'state'],
  // 4: what travels, and by which rules of the state it is signed
  blocks: ['base', 'codec', 'crypto', 'values', 'storage', 'state', 'operations'],
  // 5
  chain: ['base', 'codec', 'crypto', 'values', 'storage', 'state', 'operations', 'blocks'],
  // what can be asked of committed state
  queries: ['base', 'codec', 'crypto', 'values', 'storage', 'state', 'operations', 'blocks'],
  // 6: each names as an interface what it needs of the chain; node/ hands it over
  rpc: ['base', 'codec', 'crypto', 'values', 'storage', 'jsonrpc', 'state', 'operations', 'blocks', 'queries'],
  p2p: ['base', 'codec', 'crypto', 'values', 'blocks'],
  witness: ['base', 'crypto', 'values', 'blocks'],
  // where the chain's events go
  sinks: ['base', 'codec', 'crypto', 'values', 'storage', 'state', 'operations', 'blocks', 'queries'],
  client: ['base', 'codec', 'crypto', 'values', 'operations', 'blocks', 'jsonrpc !jsonrpc/http', 'rpc'],
  wallet: ['base', 'codec', 'crypto', 'values', 'jsonrpc', 'operations', 'blocks', 'rpc', 'client'],
  // what browsers load; nobody imports it
  pages: ['base', 'codec', 'jsonrpc !jsonrpc/http', 'client', 'rpc'],
  // 7: builds every part by hand; nobody imports it
  node: ['*'],
};

/**
 * The only places of src/ that may import a library or a part of Node: one importer each, so that replacing it is one file's work.
 * A path that ends in a slash is a folder. What isn't here has no importer. A file of ours that is here is for these alone.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const importers = {
  'uWebSockets.js': ['src/jsonrpc/http/'],
  ws: ['src/jsonrpc/http/', 'src/client/', 'src/node/load/post_links.ts'],
  'hdr-histogram-js': ['src/node/load/latency_histogram.ts'],
  piscina: ['src/node/threads/'],
  '@nxtedition/rocksdb': ['src/storage/rocksdb.ts'],
  pino: ['src/base/log.ts'],
  'prom-client': ['src/base/metrics.ts'],
  commander: ['src/node/'],
  ini: ['src/node/'],
  'cli-progress': ['src/node/'],
  '@inquirer/prompts': ['src/node/', 'src/wallet/prompt.ts'],
  typebox: ['src/jsonrpc/typebox.ts'],
  '@noble/hashes': ['src/crypto/portable/'],
  '@noble/curves': ['src/crypto/portable/'],
  '@noble/ciphers': ['src/crypto/portable/'],
  avsc: ['src/node/snapshot/', 'src/sinks/event_schema.ts'],
  '@nats-io/transport-node': ['src/sinks/nats/'],
  '@nats-io/jetstream': ['src/sinks/nats/'],
  pg: ['src/sinks/postgres/database.ts'],
  'pg-copy-streams': ['src/sinks/postgres/database.ts'],
  preact: ['src/pages/'],
  '@preact/signals': ['src/pages/'],
  uplot: ['src/pages/explorer/chart.tsx'],
  'markdown-it': ['src/pages/docs/guides.ts'],
  'node:tls': ['src/p2p/tls_link.ts', 'src/node/doctor/proxy_answer.ts'],
  'node:crypto': ['src/crypto/'],
  'node:buffer': ['src/codec/', 'src/crypto/', 'src/values/'],
  'node:fs': [
    'src/jsonrpc/http/uws_binary.ts',
    'src/storage/rocksdb.ts',
    'src/crypto/',
    'src/witness/',
    'src/wallet/',
    'src/sinks/nats/nats_credentials.ts',
    'src/node/',
  ],
  'node:path': ['src/jsonrpc/http/uws_binary.ts', 'src/storage/rocksdb.ts', 'src/crypto/', 'src/witness/', 'src/wallet/', 'src/node/'],
  'node:timers': ['src/node/'],
  'node:timers/promises': ['src/node/'],
  'node:child_process': ['src/node/witness_command/price_source.ts', 'src/node/service_manager.ts', 'src/node/doctor/checks/clock.ts'],
  'node:tty': ['src/base/log.ts'],
  'node:url': ['src/crypto/', 'src/wallet/', 'src/node/'],
  'node:os': ['src/node/'],
  'node:net': ['src/jsonrpc/http/', 'src/p2p/tls_link.ts', 'src/node/'],
  'node:http': ['src/jsonrpc/http/', 'src/node/load/post_links.ts'],
  'node:https': ['src/wallet/', 'src/node/load/post_links.ts', 'src/node/doctor/proxy_answer.ts'],
  'node:worker_threads': ['src/node/'],
  'node:readline': ['src/wallet/'],
  'node:perf_hooks': ['src/base/metrics.ts', 'src/node/'],
  'node:module': ['src/storage/rocksdb.ts', 'src/jsonrpc/http/', 'src/node/'],
  'node:stream': ['src/jsonrpc/http/', 'src/node/snapshot/'],
  'node:stream/promises': ['src/node/snapshot/'],
  'node:zlib': ['src/node/snapshot/'],
  // Its time depends on what it signs with: never for the keys of a wallet or a witness.
  'src/crypto/sign_many.ts': ['src/node/load/'],
};

/**
 * Rooms in which every machine must come to the same result: no waiting, time, chance, surroundings or floats.
 */
export const deterministicRooms = ['base', 'codec', 'crypto', 'values', 'storage', 'state', 'operations', 'blocks', 'chain'];

/**
 * Where such a word is allowed after all. `words` are names of scripts/rules/determinism.js.
 * @type {readonly { readonly path: string, readonly words: readonly string[], readonly why: string }[]}
 */
export const determinismExceptions = [
  { path: 'src/base/clock.ts', words: ['time'], why: 'it is the clock that everybody else is given' },
  { path: 'src/base/log.ts', words: ['time', 'surroundings', 'waiting'], why: 'what is logged decides nothing' },
  { path: 'src/base/metrics.ts', words: ['time', 'surroundings', 'waiting', 'float'], why: 'what is measured decides nothing' },
  {
    path: 'src/crypto/random.ts',
    words: ['chance'],
    why: 'keys and the multipliers of a batch must be unforeseeable; no result depends on them',
  },
  {
    path: 'src/crypto/portable/',
    words: ['chance', 'surroundings'],
    why: 'only clients have it, which decide nothing for others',
  },
  { path: 'src/crypto/', words: ['waiting'], why: 'a WASM module is loaded once, before the chain starts' },
  { path: 'src/storage/', words: ['waiting'], why: 'closing a store waits for the disk' },
];

/**
 * Folders where each file is one named thing of the wire or the disk and index.ts is the register of all. `'*'` stands for each
 * folder there but those after `!`. `notEntries` are files that hold no entry, each with the reason.
 * @type {readonly { readonly folder: string, readonly notEntries: Readonly<Record<string, string>> }[]}
 */
export const registers = [
  { folder: 'src/operations', notEntries: { 'src/operations/virtual_operation.ts': 'how the kinds in virtual/ are declared' } },
  { folder: 'src/state/tables', notEntries: {} },
  {
    folder: 'src/rpc/* !notices',
    notEntries: {
      'src/rpc/alexandria_api/about_record.ts': 'what about and get_version have in common',
      'src/rpc/alexandria_api/account_lookup.ts': 'how accounts are meant by name or seed',
      'src/rpc/alexandria_api/age_text.ts': 'ages in words',
      'src/rpc/alexandria_api/broadcasting.ts': 'how processed transactions are shown',
      'src/rpc/alexandria_api/key_pair.ts': 'what both makers of keys answer',
      'src/rpc/alexandria_api/operation_result.ts': 'what all that build an operation answer',
      'src/rpc/alexandria_api/price_param.ts': 'how an application is paid for',
      'src/rpc/alexandria_api/private_key.ts': 'how private keys are read',
      'src/rpc/alexandria_api/required_signatures.ts': 'how many signatures an authority can ask for',
      'src/rpc/chain_api/push_outcome.ts': 'what both answer',
      'src/rpc/database_api/configuration.ts': 'the constants of get_config',
      'src/rpc/database_api/listing.ts': 'start, order and limit of all lists',
      'src/rpc/database_api/named_rows.ts': 'what all that find by name do',
      'src/rpc/debug_api/debug_head.ts': 'what all that move the chain answer',
      'src/rpc/network_node_api/network_of.ts': 'what all of them ask',
      'src/rpc/network_node_api/network_refusals.ts': 'what the network may refuse',
      'src/rpc/witness_node_api/production_of.ts': 'what all of them ask',
      'src/rpc/debug_api/debug_refusals.ts': 'why the chain could not be moved so',
    },
  },
  { folder: 'src/p2p/messages', notEntries: {} },
  { folder: 'src/node/doctor/checks', notEntries: {} },
  { folder: 'src/wallet/commands', notEntries: {} },
];

/**
 * Members that stay although nobody in src/ reads them, or sets them where they may be left out: `Type.member`, or `Type.*` for all.
 * @type {readonly { readonly path: string, readonly members: readonly string[], readonly why: string }[]}
 */
export const memberExceptions = [
  { path: 'src/pages/docs/layout.ts', members: ['DocsFile.path'], why: 'set-up writes the file there' },
  {
    path: 'src/client/client.ts',
    members: ['Client.follow', 'Client.followTransfers', 'Client.followBalances'],
    why: 'programs that import pharos/client call them',
  },
  {
    path: 'src/node/dev/dev_chain.ts',
    members: ['DevChain.*', 'DevAccount.*'],
    why: 'tests that import pharos/dev call them',
  },
  { path: 'src/client/follow.ts', members: ['Following.*'], why: 'programs that import pharos/client read them' },
  {
    path: 'src/client/follow_targets.ts',
    members: ['FollowOptions.unreadable', 'FollowedBalance.*', 'BlockListener.pendingTransaction', 'PendingTransaction.*'],
    why: 'programs that import pharos/client read and set them',
  },
  {
    path: 'src/client/transaction.ts',
    members: ['GivenTransaction.*'],
    why: 'it goes to the node as it is',
  },
  { path: 'src/codec/portable/buffer.ts', members: ['Bytes.*'], why: 'codecs call them as those of a Buffer' },
  { path: 'src/codec/codec.ts', members: ['Codec.plain'], why: 'only the compiler looks at it' },
  { path: 'src/operations/operation.ts', members: ['OperationType.plain'], why: 'only the compiler looks at it' },
  { path: 'src/rpc/method.ts', members: ['TypedMethod.types', 'TypedMethod.types.*'], why: 'only the compiler looks at them' },
  {
    path: 'src/node/commands/',
    members: [
      'OwnDevOptions.*',
      'ImportOptions.*',
      'KeysOptions.*',
      'StreamFlags.*',
      'LoadOptions.*',
      'TrafficOptions.*',
      'LoadFlags.*',
      'Flags.*',
    ],
    why: 'the parser of the command line sets them',
  },
  {
    path: 'src/node/dev/dev_settings.ts',
    members: ['DevOptions.*'],
    why: 'the parser of the command line sets them',
  },
  {
    path: 'src/node/witness_command/',
    members: ['AccountFlags.*', 'KeyFlags.*', 'PriceSource.*', 'Flags.*'],
    why: 'the parser of the command line sets them',
  },
  {
    path: 'src/sinks/',
    members: ['BlockHead.*', 'EventRecord.*', 'PartHead.*'],
    why: 'the schema of the stream, or the library of NATS, names them, and who consumes the stream reads them',
  },
  {
    path: 'src/node/load/',
    members: ['TrafficReport.*', 'Spread.*'],
    why: '`pharos load --json` writes them for other programs',
  },
  {
    path: 'src/wallet/key_store.ts',
    members: ['KeyStoreOptions.cost'],
    why: 'tests make many locks, and a real one is made to cost a lot',
  },
  { path: 'src/chain/chain.ts', members: ['ChainOptions.heldBytes'], why: 'the test of a change in parts has no branch of 256 MiB' },
  { path: 'src/chain/chain.ts', members: ['Chain.undo'], why: 'tests and benches take one block back and keep what is pending' },
  { path: 'src/chain/chain.ts', members: ['Chain.seal'], why: 'tests, benches and recordings make a block in one step' },
  {
    path: 'src/crypto/verify_signers.ts',
    members: ['FoundSigners.recovered'],
    why: 'the test that a wrong signature costs only its neighbours counts them',
  },
  { path: 'src/node/threads/writer.ts', members: ['Writer.chain'], why: 'tests compose a node in one thread and look at its chain' },
  {
    path: 'src/p2p/',
    members: [
      'Network.*',
      'BlockRelay.wanted',
      'Connections.halfReceivedBytes',
      'HandshakeGate.unfinished',
      'TransactionRelay.submittedBytes',
      'TransactionRelay.keptBytes',
      'AddressBook.size',
    ],
    why: 'what a node will connect, keep, show and measure of the network; tests do it meanwhile',
  },
  { path: 'src/chain/chain.ts', members: ['Chain.canFollow'], why: 'tests compose a network in one thread and ask their chains' },
];

/**
 * Members that few files may read, because another place answers for them.
 * @type {readonly import('./rules/owned_members.js').OwnedMember[]}
 */
export const ownedMembers = [
  {
    path: 'src/state/tables/dynamic_global_property.ts',
    member: 'last_irreversible_block_num',
    types: ['dynamicGlobalProperties', 'DynamicGlobalProperties', 'globalPropertiesRow'],
    // The rule of the chain and the feed of finality; the dump of the state itself, for comparing it with a recording.
    readers: ['src/chain/irreversible.ts', 'src/node/state_dump.ts'],
    namesakes: ['src/queries/records/dynamic_global_property.ts', 'src/chain/genesis.ts'],
    instead: 'lastIrreversible of src/state/last_irreversible.ts, which never falls',
  },
];

/**
 * Words that no file of the repository contains, each with the reason. `except` are paths where they are meant.
 * @type {readonly { readonly pattern: RegExp, readonly why: string, readonly only?: string, readonly except?: readonly string[] }[]}
 */
export const forbiddenWords = [
  { pattern: /(?<![\w.:/-])\/(?:home|root|Users|work|mnt|tmp)\/[\w.]/, why: 'a path of one machine' },
  {
    pattern: /"resolved":|\bregistry\.[a-z0-9-]+\.[a-z]+|\b(?:npmjs|npmmirror|yarnpkg|debian)\.(?:com|org)\b/i,
    why: 'a package registry: which one is the installing machine’s choice',
  },
  { pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/, why: 'unfinished work belongs in the tracker' },
  { pattern: /\b(?:issue|ticket)s? #?\d+/i, why: 'the tracker’s numbers mean nothing to readers of the code' },
  { pattern: /\b(?:test|it|describe)\.(?:only|skip|todo)\b|\b(?:only|skip|todo): true/, why: 'a test that does not run', only: 'test/' },
  { pattern: /<<<<<<<|>>>>>>>/, why: 'a merge conflict' },
  { pattern: /sophia|sphtx/i, why: 'a project’s name is data of a chain profile', only: 'src/', except: ['profile', 'lineage'] },
];
