// The floors, importers and registers of the house, as data. scripts/rules/ checks them; test/scripts/ proves that it
// can refuse.

/**
 * Which rooms a room of src/ may import, as words: only such that stand before it here. An import of a type counts.
 * Itself is always allowed.
 * `jsonrpc!http` is a room without one of its folders. A room that isn't here can't be imported and may import nothing.
 * @type {Readonly<Record<string, string>>}
 */
export const floors = {
  // 0: knows no chain
  base: '',
  codec: 'base',
  crypto: 'base',
  // 1: the values of the wire, the disk
  values: 'base codec crypto',
  storage: 'base codec',
  // the protocol alone: what a method is handed is a parameter
  jsonrpc: 'base codec',
  // 2: not crypto, because what a signature proves is decided before the state is asked
  state: 'base codec values storage',
  // 3: not crypto, for the same reason
  operations: 'base codec values storage state',
  // 4: what travels, and by which rules of the state it is signed
  blocks: 'base codec crypto values storage state operations',
  // 5
  chain: 'base codec crypto values storage state operations blocks',
  // what can be asked of committed state
  queries: 'base codec crypto values storage state operations blocks',
  // what connections are told
  notices: 'base codec values storage jsonrpc state operations blocks queries',
  // what nodes send each other, and the links that carry it
  wire: 'base codec crypto values blocks',
  // 6: each names as an interface what it needs of the chain; node/ hands it over
  rpc: 'base codec crypto values storage jsonrpc state operations blocks queries notices',
  p2p: 'base codec crypto values blocks wire',
  // where the chain's events go
  sinks: 'base codec crypto values storage state operations blocks queries',
  client: 'base codec crypto values operations blocks jsonrpc!http rpc',
  wallet: 'base codec crypto values jsonrpc operations blocks rpc client',
  // what browsers load, and the docs, which are made of what every room declares; nobody imports it
  pages: 'base codec crypto values jsonrpc!http state operations blocks queries client rpc wallet',
  // 7: what a process of this program meets of its machine, and what its threads say to each other, whatever it does
  system: 'base codec jsonrpc client',
  // with its own files and its signer's process; keys lie in files of the wallet
  witness: 'base codec crypto values blocks wallet system',
  // what writes tell
  feed: 'base values blocks chain notices',
  // the folder of a chain, and the offline look at it
  data_folder: 'base codec crypto values storage state operations blocks chain witness system',
  // what an operator says, each setting checked as its room takes it
  settings: 'base codec crypto values state chain jsonrpc wire rpc p2p witness sinks wallet system data_folder',
  snapshot: 'base codec crypto values storage state chain rpc client system feed data_folder settings',
  // import and export of the lineage's log
  block_log: 'base codec values storage state blocks chain queries client system data_folder',
  // broadcasts and blocks are read and their signers found before the writer sees them
  verifiers: 'base codec crypto values storage state operations blocks wire rpc system settings block_log',
  // this node's own blocks: slots, keys and the operator's wishes come together here
  production: 'base values state operations blocks chain rpc witness settings',
  // this node's own votes, and those of others
  voting: 'base values state blocks chain rpc p2p witness system data_folder settings',
  // spans of sampled broadcasts, and their way to a collector
  tracing: 'base crypto system settings',
  // 8: builds every part by hand
  node:
    'base codec crypto values storage jsonrpc state operations blocks chain queries notices wire rpc p2p witness sinks ' +
    'system feed data_folder settings snapshot block_log verifiers production voting tracing',
  // a node for developers, in their process or for their command
  dev_chain:
    'base codec crypto values storage jsonrpc state operations blocks queries wire rpc p2p sinks client wallet system ' +
    'feed data_folder settings snapshot verifiers node',
  // `pharos load`: a client like any other
  load_test: 'base codec crypto values jsonrpc state operations blocks rpc client settings system',
  // 9: a file a command; nobody imports it
  cli:
    'base codec crypto values storage jsonrpc state blocks chain queries wire rpc p2p witness sinks client wallet system ' +
    'data_folder settings snapshot block_log verifiers node dev_chain load_test',
};

/**
 * Rooms whose folders may import the room and be imported by it: a register names what it registers, which is made of
 * what the room declares.
 */
export const registerFolders = [
  'src/rpc',
  'src/wallet',
  'src/operations',
  'src/queries',
  'src/pages/explorer',
  'src/cli',
  'src/state',
];

const WITH_FILES =
  'jsonrpc/http/uws_binary.ts jsonrpc/http/unix_socket.ts witness/ wallet/ node/ block_log/ cli/ data_folder/ ' +
  'dev_chain/ load_test/ settings/ snapshot/ system/';

/**
 * The only places of src/ that may import a library or a part of Node: one importer each, so that replacing it is one
 * file's work. A path that ends in a slash is a folder. What isn't here has no importer. A file of ours that is here is
 * for these alone.
 * @type {Readonly<Record<string, string>>}
 */
export const importers = {
  ws: 'jsonrpc/http/ client/ load_test/post_links.ts',
  'hdr-histogram-js': 'load_test/latency_histogram.ts',
  piscina: 'verifiers/',
  '@nxtedition/rocksdb': 'storage/rocksdb.ts',
  pino: 'base/log.ts',
  'prom-client': 'base/metrics.ts',
  commander: 'cli/ settings/',
  ini: 'settings/',
  'cli-progress': 'system/',
  typebox: 'jsonrpc/envelope/typebox.ts',
  '@noble/hashes': 'crypto/portable/',
  '@noble/curves': 'crypto/portable/',
  '@noble/ciphers': 'crypto/portable/',
  avsc: 'snapshot/ sinks/event_schema.ts',
  '@nats-io/transport-node': 'sinks/nats/',
  '@nats-io/jetstream': 'sinks/nats/',
  pg: 'sinks/postgres/database.ts',
  'pg-copy-streams': 'sinks/postgres/database.ts',
  preact: 'pages/',
  '@preact/signals': 'pages/',
  uplot: 'pages/explorer/chart.tsx',
  'markdown-it': 'pages/docs/guides.ts',
  'node:tls': 'wire/link/tls_link.ts cli/doctor/proxy_answer.ts',
  'node:crypto': 'crypto/',
  'node:buffer': 'codec/ values/',
  'node:fs': `${WITH_FILES} crypto/ storage/rocksdb.ts sinks/nats/nats_credentials.ts`,
  'node:path': WITH_FILES,
  'node:timers': 'load_test/',
  'node:timers/promises': 'load_test/',
  'node:child_process':
    'cli/witness/price_source.ts system/service_manager.ts cli/doctor/checks/clock.ts cli/doctor/log_lines.ts cli/net/node_processes.ts',
  'node:inspector': 'node/watch/profile_page.ts',
  'node:tty': 'base/log.ts',
  'node:url': 'jsonrpc/http/uws_binary.ts snapshot/ system/',
  'node:os': 'node/ cli/ data_folder/ dev_chain/ load_test/ settings/ snapshot/',
  'node:net': 'jsonrpc/http/ wire/link/tls_link.ts cli/ load_test/ sinks/nats/server_greeting.ts witness/',
  'node:http': 'jsonrpc/http/ client/http_post.ts load_test/post_links.ts system/page_of_node.ts',
  'node:https': 'client/http_post.ts load_test/post_links.ts cli/doctor/proxy_answer.ts system/page_of_node.ts',
  'node:worker_threads': 'node/ verifiers/ load_test/ system/',
  'node:v8': 'system/thread_memory.ts',
  'node:readline': 'wallet/',
  'node:perf_hooks': 'node/ load_test/ system/',
  'node:module': 'jsonrpc/http/',
  'node:stream': 'jsonrpc/http/ client/http_post.ts snapshot/ wire/link/tls_link.ts',
  'node:stream/promises': 'snapshot/',
  'node:zlib': 'client/http_post.ts snapshot/ jsonrpc/http/compression.ts',
  // Its time depends on what it signs with: never for the keys of a wallet or a witness.
  'src/crypto/sign_many.ts': 'load_test/',
  // The number of one branch: what a node tells is `lastIrreversible`.
  'src/state/confirmed_number.ts': 'state/ chain/apply/irreversible.ts chain/ledger/genesis.ts block_log/state_dump.ts',
};

/**
 * Folders where each file is one named thing of the wire or the disk and index.ts is the register of all. `'*'` stands for each
 * folder there but those after `!`. `notEntries` are files that hold no entry, each with the reason.
 * @type {readonly { readonly folder: string, readonly notEntries: Readonly<Record<string, string>> }[]}
 */
export const registers = [
  {
    folder: 'src/operations',
    notEntries: { 'src/operations/virtual_operation.ts': 'how the kinds in virtual/ are declared' },
  },
  { folder: 'src/state/tables', notEntries: {} },
  {
    folder: 'src/rpc/*',
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
      'src/rpc/debug_api/impersonated.ts': 'how transactions are sent in place of whoever would sign',
      'src/rpc/network_node_api/require_network.ts': 'what all of them ask',
      'src/rpc/network_node_api/network_refusals.ts': 'what the network may refuse',
      'src/rpc/witness_node_api/require_production.ts': 'what all of them ask',
      'src/rpc/debug_api/debug_refusals.ts': 'why the chain could not be moved so',
      'src/rpc/snapshot_api/snapshot_refusals.ts': 'why no snapshot is written',
    },
  },
  { folder: 'src/wire/messages', notEntries: {} },
  { folder: 'src/cli/doctor/checks', notEntries: {} },
  { folder: 'src/wallet/commands', notEntries: {} },
];

/**
 * Members that stay although nobody in src/ reads them, or sets them where they may be left out: `Type.member`, or
 * `Type.*` for all.
 * @type {Readonly<Record<string, string>>}
 */
export const memberExceptions = {
  'src/base/metrics.ts Alert.* Metrics.declared': 'scripts/monitoring writes dashboard and rules of them',
  'src/pages/docs/layout.ts DocsFile.path': 'set-up writes the file there',
  'src/pages/docs/catalogue.ts Setting.withoutEffect': 'set-up hands the settings in',
  'src/pages/docs/tables.ts MessageRow.large': 'set-up hands the messages in',
  'src/client/client.ts Client.follow Client.followTransfers Client.blocks Client.operations Client.balances Client.simulate Client.waitForTransaction':
    'programs that import pharos/client call them',
  'src/dev_chain/ DevChain.* DevAccount.* BalanceMatch.*': 'tests that import pharos/dev call and read them',
  'src/client/node_refusal.ts NodeRefusal.remedy': 'programs that import pharos/client read it',
  'src/client/iterate.ts IteratedOperation.* IteratedBlock.* IteratedBalance.* Iteration.next IterateOptions.stalled':
    'loops of programs that import pharos/client read and call them, and programs set the last',
  'src/client/follow_targets.ts FollowOptions.unreadable FollowedBalance.* BlockListener.pendingTransaction PendingTransaction.*':
    'programs that import pharos/client read and set them',
  'src/client/verified/ VerifiedClient.* FinalHead.* VerifiedTransaction.* VerifiedBlock.* VerifiedPayment.*':
    'programs that import pharos/client/verified read and call them',
  'src/client/ FetchRequest.* RequestOptions.fetch':
    'a fetch of the program reads the former, and programs set the latter',
  'src/client/verified/ PaymentListener.stalled Evidence.* NodesDiffer.evidence':
    'programs that import pharos/client/verified set and keep them',
  'src/wallet/open_wallet.ts WalletOptions.verifyWith': 'the command line hands its flags over as they are',
  'src/client/transaction.ts GivenTransaction.*': 'it goes to the node as it is',
  'src/codec/portable/buffer.ts Bytes.*': 'codecs call them as those of a Buffer',
  'src/jsonrpc/http/uws.ts ListenSocket.* SocketContext.* WebSocketBehaviour.*':
    'the binding reads them, or only the compiler looks at them',
  'src/node/network/network_messages.ts NetworkOrders.*': 'only the compiler looks at them',
  'src/witness/signing/signer_messages.ts SigningQuestions.*': 'only the compiler looks at them',
  'src/system/thread_settings.ts ThreadKind.settings ThreadData.thread':
    'only the compiler looks at the one; the other is read before its type is known',
  'src/jsonrpc/limits/request_source.ts RequestSource.losesConnection': 'a class that is an asker has it as a field',
  'src/codec/codec.ts Codec.plain': 'only the compiler looks at it',
  'src/operations/operation.ts OperationType.plain': 'only the compiler looks at it',
  'src/rpc/method.ts TypedMethod.types TypedMethod.types.*': 'only the compiler looks at them',
  'src/cli/ OwnDevOptions.* ImportOptions.* KeysOptions.* StreamFlags.* LoadOptions.* CompareOptions.* TrafficOptions.* LoadFlags.* UpFlags.* CreateFlags.* Flags.*':
    'the parser of the command line sets them',
  'src/dev_chain/dev_settings.ts DevOptions.*': 'the parser of the command line sets them',
  'src/cli/witness/ AccountFlags.* KeyFlags.* PriceSource.* Flags.*': 'the parser of the command line sets them',
  'src/sinks/ BlockHead.* EventRecord.* PartHead.*':
    'the schema of the stream, or the library of NATS, names them, and who consumes the stream reads them',
  'src/load_test/ TrafficReport.* Spread.*': '`pharos load --json` writes them for other programs',
  'src/wallet/key_store.ts KeyStoreOptions.cost': 'tests make many locks, and a real one is made to cost a lot',
  'src/chain/chain_options.ts ChainOptions.heldBytes': 'the test of a change in parts has no branch of 256 MiB',
  'src/chain/chain.ts Chain.undo': 'tests and benches take one block back and keep what is pending',
  'src/chain/chain.ts Chain.seal': 'tests, benches and recordings make a block in one step',
  'src/crypto/verify_signers.ts FoundSigners.recovered':
    'the test that a wrong signature costs only its neighbours counts them',
  'src/node/threads/writer/writer.ts Writer.chain': 'tests compose a node in one thread and look at its chain',
  'src/p2p/ Network.* BlockRelay.wanted Connections.halfReceivedBytes HandshakeGate.unfinished TransactionRelay.submittedBytes TransactionRelay.keptBytes AddressBook.size':
    'what a node will connect, keep, show and measure of the network; tests do it meanwhile',
  'src/chain/chain.ts Chain.canFollow': 'tests compose a network in one thread and ask their chains',
};

/**
 * Overloads whose implementation returns or takes another type than they promise, which the compiler cannot check: each
 * is a cast.
 * @type {Readonly<Record<string, string>>}
 */
export const castExceptions = {
  'src/base/refusal.ts refusals': 'the compiler can not follow a mapped type through `Object.fromEntries`',
  'src/wire/wire_values.ts members': 'the same',
  'src/state/genesis_members.ts memberCodecs': 'the same',
  'src/settings/options.ts pickSettings': 'the same',
  'src/settings/read_config.ts parseValues': 'the same',
  'src/state/rules/index.ts getRules': 'the same',
  'src/wallet/command.ts readArguments': 'the same',
  'src/codec/json_writer.ts jsonMembers': 'a copy of the object would double the price of writing JSON',
  'src/codec/json_text.ts writing': 'writers are found by the function that they replace, whatever its type',
  'src/codec/straight_line.ts copying': 'it compiles code, which has no type',
  'src/codec/portable/straight_line.ts compile': 'it stands for what compiles code',
  'src/codec/struct.ts replacing writingVarying':
    'fields of a struct are walked in a loop, and each has a type of its own',
  'src/storage/table.ts table': 'what the declaration leaves out is filled in',
  'src/storage/view.ts getJoined getPlaces':
    'rows of several tables are read in a loop, and each table has a type of its own',
  'src/operations/operation.ts operationBody': 'the kind proves the type of the body',
  'src/jsonrpc/envelope/params.ts coded': 'the library has the default only in the type',
  'src/jsonrpc/answer_writer.ts error': 'with an id there is a text',
  'src/client/broadcast.ts #answered': 'answers of a node are as its declared results say',
  'src/client/client.ts call #check #noticeReader given': 'the same; and programs without types hand over anything',
  'src/client/sending.ts withFee': 'the body of an operation is as its kind says, with a fee',
  'src/client/follow_targets.ts readBlock readOperation readPendingOperation readPendingTransaction readDropReason readBalance':
    'answers of a node are as its declared results say',
  'src/client/method_shapes.ts importMethod': 'what is imported by a path that is put together has no type',
  'src/client/verified/plain_operations.ts operationList':
    'JSON of a transaction has its operations as their shapes say',
  'src/client/signing.ts transactionJson': 'a given transaction goes to the node as it is',
  'src/snapshot/read_snapshot.ts readRecords': 'the library decodes by the schema, which has no type',
  'src/sinks/nats/stream_reader.ts decodeRecord': 'the same',
  'src/sinks/stream_blocks.ts recordValue': 'the same',
  'src/pages/docs/form.ts plain': 'values of examples have no big integers',
  'src/pages/docs/search.tsx parseIndex': 'set-up wrote the file',
  'src/pages/docs/node.tsx parseList': 'answers of a node are as its declared results say',
  'src/pages/docs/try_it.tsx parsed parseAnswer': 'the same',
  'src/pages/explorer/sentences.ts operationSentence': 'the kind proves the type of the body',
  'src/state/confirmed_number.ts confirmedNumber numberConfirmed sameBytes': 'to everybody else it is no number',
};

/** Rooms in which every machine must come to the same result: no waiting, time, chance, surroundings or floats. */
export const deterministicRooms = 'base codec crypto values storage state operations blocks chain'.split(' ');

/** Of Math only what keeps an integer an integer; a fraction, a negative exponent, and what works on floats. */
const FLOAT =
  /(?<![\w.$])(?:\d[\d_]*\.\d|\.\d)|(?<![\w.$])\d[\d_.]*[eE]-\d|\b(?:parseFloat|toFixed|toPrecision|toExponential|Float32Array|Float64Array|[gs]etFloat(?:32|64)|EPSILON)\b|\bMath\s*\.\s*(?!(?:abs|clz32|floor|imul|max|min|sign|trunc|random)\b)\w+/g;

/**
 * Texts that would let two machines come to different results from the same blocks, or let other work in between two
 * steps.
 */
const deterministicTexts = [
  { name: 'waiting', pattern: /\b(?:await|async|Promise|queueMicrotask)\b/g },
  { name: 'time', pattern: /\b(?:Date|performance|(?:set|clear)(?:Timeout|Interval)|setImmediate)\b/g },
  { name: 'chance', pattern: /\bMath\s*\.\s*random\b|\b(?:randomBytes|randomInt|randomUUID|getRandomValues)\b/g },
  {
    name: 'surroundings',
    pattern: /\b(?:process\s*\.|(?:globalThis|Intl|toLocale\w*|localeCompare|WeakRef|FinalizationRegistry)\b)/g,
  },
  { name: 'float', pattern: FLOAT },
];

/**
 * Texts that no file below one of these paths contains, each with the reason. Comments and the insides of strings don't
 * count where it is only `isOfCode`.
 * @type {readonly { readonly name: string, readonly pattern: RegExp, readonly why: string, readonly only: readonly string[], readonly isOfCode?: boolean }[]}
 */
export const forbiddenTexts = [
  {
    name: 'path',
    pattern: /(?<![\w.:/-])\/(?:home|root|Users|work|mnt|tmp)\/[\w.]/g,
    why: 'a path of one machine',
    only: [''],
  },
  {
    name: 'registry',
    pattern: /"resolved":|\bregistry\.[a-z0-9-]+\.[a-z]+|\b(?:npmjs|npmmirror|yarnpkg|debian)\.(?:com|org)\b/gi,
    why: 'a package registry: which one is the installing machine’s choice',
    only: [''],
  },
  {
    name: 'unfinished',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/g,
    why: 'unfinished work is for the tracker',
    only: [''],
  },
  {
    name: 'tracker',
    pattern: /\b(?:issue|ticket)s? #?\d+/gi,
    why: 'the tracker’s numbers mean nothing to readers of the code',
    only: [''],
  },
  {
    name: 'skipped',
    pattern: /\b(?:test|it|describe)\.(?:only|skip|todo)\b|\b(?:only|skip|todo): true/g,
    why: 'a test that does not run',
    only: ['test/'],
  },
  {
    name: 'random count',
    // Declared, then raised by random cases, then compared with a number. A test ends at the margin.
    pattern:
      /\b(?:let \[?(?:\w+, )*|const (?=\w+(?:: [^=;]+)? = (?:new (?:Set|Map)\b|\[\])))(\w+)\b[^;]*;(?:(?!\n\}\);)[^])*?\bfc\.assert\((?:(?!\n\}\);)[^])*?\n *assert(?:\.ok)?\([^;]*?\b\1\b[^;]*? >=? \d/g,
    why: 'a count of random cases fails by chance: build the cases that must occur, or count a sample with a seed',
    only: ['test/'],
  },
  { name: 'conflict', pattern: /<<<<<<<|>>>>>>>/g, why: 'a merge conflict', only: [''] },
  {
    name: 'project',
    pattern: /sophia|sphtx/gi,
    why: 'a project’s name is data of a chain profile',
    only: ['src/'],
  },
  {
    name: 'lenient',
    pattern: /\bbase64mDecode\b|,\s*'base64(?:url)?'\s*\)/g,
    why: 'it skips a foreign character or stops at it without a word: decode data with values/base64_data.ts',
    only: ['src/'],
  },
  ...deterministicTexts.map(({ name, pattern }) => ({
    name,
    pattern,
    why: 'at and below chain/ every machine comes to the same result',
    only: deterministicRooms.map((room) => `src/${room}/`),
    isOfCode: true,
  })),
];

/**
 * Files in which such a text is allowed after all.
 * @type {Readonly<Record<string, string>>}
 */
export const textExceptions = {
  'src/values/profile.ts project': 'it holds the profiles',
  'src/base/clock.ts time': 'it is the clock that everybody else is given',
  'src/base/log.ts time': 'what is logged decides nothing',
  'src/base/metrics.ts waiting': 'what is measured decides nothing',
  'src/crypto/random.ts chance': 'keys and the multipliers of a batch must be unforeseeable; no result depends on them',
  'src/crypto/portable/ chance surroundings': 'only clients have it, which decide nothing for others',
  'src/crypto/ waiting': 'a WASM module is loaded once, before the chain starts',
  'src/storage/ waiting': 'closing a store waits for the disk',
  'src/crypto/base64m.ts lenient': 'it is the decoder of names',
  'src/crypto/hashes.ts lenient': 'it writes base64 and reads none',
  'src/values/base64_data.ts lenient': 'it checks every character first, and follows the lineage where the chain does',
  'src/crypto/leaked_keys.ts lenient': 'it looks for keys in texts of any kind',
  'src/codec/base64.ts lenient': 'it takes one text for the same bytes only',
  'src/queries/notices/position.ts lenient': 'it checks what it has read',
};

/**
 * The numbers of citations of texts that no clone contains. A rule refuses one citation more, and asks to lower the
 * count of one less.
 * @type {Readonly<Record<string, number>>}
 */
export const citedTexts = {
  // A test compares its register with the text where that lies beside a clone.
  'interface.md': 1,
};
