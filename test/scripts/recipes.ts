/** A change of one file: text before or behind an anchor that stands there once, or a file of its own. */
export interface Edit {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  readonly text: string;
}

/** A recipe of CONTRIBUTING.md, as a change that can be made. */
export interface Recipe {
  readonly name: string;
  /** The beginning of its paragraph in CONTRIBUTING.md. */
  readonly heading: string;
  /** The files of the repository that it may touch, those that commands write included. */
  readonly mostFiles: number;
  readonly edits: readonly Edit[];
  /** Files that commands write anew. */
  readonly written: readonly string[];
  /** The scripts that write them, with their flags. */
  readonly writers: readonly (readonly string[])[];
  /** Paths of the tests that have to pass with it. */
  readonly tests: readonly string[];
}

const OPERATE = ['scripts/operate.js'];

/** An operation that begins with a hardfork. Its time has digits by which the rehearsal finds it in a built program. */
const operationEdits: readonly Edit[] = [
  {
    path: 'src/operations/planted_note.ts',
    text: `import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { hardforks } from '../state/hardforks.ts';
import { requireAccount } from '../state/lookups.ts';
import { accountMetadata } from '../state/tables/account_metadata.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  note_empty: 'a note of one character or more expected, got an empty one',
});

/** Writes a note in place of an account's metadata. */
export const plantedNote = operation({
  name: 'planted_note',
  doc: 'Writes a note in place of the metadata of an account.',
  since: hardforks.plantedNotes,
  fields: paidBody({ fee: asset, account: accountName, note: text }),
  refuses: refuse,
  feeAccount: (body) => body.account,
  authorities: (body) => ({ active: [body.account] }),
  impacts: (body) => [body.account],

  validate({ note }) {
    if (note === '') refuse.note_empty();
  },

  apply({ account, note }, state) {
    requireAccount(state.rows, account);
    state.rows.put(accountMetadata, { account, json_metadata: JSON.stringify({ note }) });
  },
});
`,
  },
  {
    path: 'src/operations/index.ts',
    before: "import { recoverAccount } from './recover_account.ts';\n",
    text: "import { plantedNote } from './planted_note.ts';\n",
  },
  {
    path: 'src/operations/index.ts',
    before: '} as const satisfies Readonly<Record<number, OperationKind>>;\n',
    text: '  38: plantedNote,\n',
  },
  {
    path: 'src/state/hardforks.ts',
    before: '} as const satisfies Readonly<Record<string, Hardfork>>;\n',
    text: `  plantedNotes: {
    id: 3,
    version: makeVersion(1, 3, 0),
    time: 1_900_000_017, // 2030-03-17T17:46:57
    doc: 'Accounts write notes.',
  },
`,
  },
  {
    path: 'src/pages/explorer/sentences.ts',
    before: '  shutdown_witness: (',
    text: '  planted_note: ({ account: name, note }) => [account(name), ` noted ${note}`],\n',
  },
  {
    path: 'test/pages/explorer/sentences.test.ts',
    before: "  [['shutdown_witness', ",
    text: "  [['planted_note', { fee, account: 'erin', note: 'so' }], 'erin noted so'],\n",
  },
  {
    path: 'test/client/typed_operations.test.ts',
    before: '    promotion_pool_withdraw: true,\n',
    text: '    planted_note: true,\n',
  },
  {
    path: 'test/operations/planted_note.test.ts',
    text: `import { plantedNote } from '../../src/operations/planted_note.ts';
import { testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

testRefusals({
  kind: plantedNote,
  build: () => new Ledger(),
  good: { fee: { amount: 10_000n, symbol: 'COIN' }, account: 'alice', note: 'hello' },
  faults: [
    { code: 'note_empty', text: 'a note of one character or more expected, got an empty one', body: { note: '' } },
  ],
});
`,
  },
  {
    path: 'CHANGELOG.md',
    after: '## 0.1.0, not released\n\n',
    text: '- Hardfork 3, version 1.3.0, not before 2030-03-17T17:46:57: accounts write notes, and a new account costs twice as much.\n',
  },
];

const OPERATION_TESTS = [
  'operations/planted_note',
  'operations/round_trips',
  'operations/index',
  'chain/apply/hardforks',
  'rpc/methods/hardfork_operations',
  'pages/docs/samples',
  'pages/explorer/sentences',
  'client/typed_operations',
  'documents/documents',
];

/** A rule that changes a fee from the same hardfork on. */
const feeEdits: readonly Edit[] = [
  {
    path: 'src/state/rules/index.ts',
    before: '} as const satisfies Readonly<Record<string, HardforkRule',
    text: `  /** A new account costs so many times the fee that the witnesses ask for. */
  planted_creation_fees: { since: hardforks.plantedNotes, before: 1n, interface: 2n, lineage: 2n },
`,
  },
  {
    path: 'src/state/rules/README.md',
    before: '\nWhat each rule means stands beside it',
    text: '| `planted_creation_fees` | 3 | 1 | 2 | 2 | [planted_fee](../../../test/state/planted_fee.test.ts): a new account costs twice as much from the hardfork on |\n',
  },
  {
    path: 'src/state/fees.ts',
    before:
      '  return parameters.isPrivateNet ? coins(parameters, 0n) : rows.only(witnessSchedule).account_creation_fee;\n',
    text: `  const factor = currentRule(rows, parameters.ruleSet, hardforkRules.planted_creation_fees);
  const { amount, symbol } = rows.only(witnessSchedule).account_creation_fee;
  if (!parameters.isPrivateNet && factor !== 1n) return { amount: factor * amount, symbol };
`,
  },
  {
    path: 'src/state/fees.ts',
    before: "import { accounts } from './tables/account.ts';\n",
    text: "import { hardforkRules, currentRule } from './rules/index.ts';\n",
  },
  {
    path: 'test/state/planted_fee.test.ts',
    text: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/codec/json.ts';
import { hardforks, knownHardforks } from '../../src/state/hardforks.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { assetText } from '../../src/values/asset.ts';
import { GENESIS_TIME, testKeyText, openChain, produce, testParameters, makeTransaction } from '../builders/chain.ts';

test('a new account costs twice as much from the hardfork on', () => {
  const time = GENESIS_TIME + 60;
  const known = knownHardforks.map((each) => (each.id === hardforks.plantedNotes.id ? { ...each, time } : each));
  const parameters = { ...testParameters({ max_witnesses: 5, max_voted_witnesses: 3 }), hardforks: known };
  const chain = openChain(parameters);
  const key: Json = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('bob'), 1]] };
  const refusalAt = (factor: bigint): string | undefined => {
    const { amount, symbol } = chain.committed.only(witnessSchedule).account_creation_fee;
    const fee = assetText({ amount: factor * amount, symbol });
    const keys = { owner: key, active: key, memo_key: testKeyText('bob') };
    const body = { fee, creator: 'alice', name_seed: 'seed', ...keys, json_metadata: '' };
    return chain.check(makeTransaction(chain, parameters, [['account_create', body]], ['alice'])).refusal?.code;
  };
  produce(chain);
  do {
    assert.equal(refusalAt(1n), undefined);
    produce(chain);
  } while (chain.head.time < time);
  assert.notEqual(refusalAt(1n), undefined);
  assert.equal(refusalAt(2n), undefined);
});
`,
  },
];

export const recipes: readonly Recipe[] = [
  {
    name: 'a metric with a panel and an alert',
    heading: '**a metric.**',
    mostFiles: 3,
    edits: [
      {
        path: 'src/node/http/chain_metrics.ts',
        before: '  addWriterMetrics(metrics, figures);\n',
        text: `  metrics.level('pharos_planted_block_number', 'Number of the planted block.', () => head().head_block_number, {
    row: 'Is it up?',
    alerts: [
      {
        alert: 'PharosPlanted',
        expr: 'pharos_planted_block_number == 0',
        for: '1m',
        severity: 'warning',
        summary: 'no block was planted',
        page: 'behind',
      },
    ],
  });
`,
      },
    ],
    written: ['scripts/operate/grafana.json', 'scripts/operate/pharos.rules.yml'],
    writers: [OPERATE],
    tests: ['scripts/operate', 'base/metrics'],
  },
  {
    name: 'a setting that the front reads',
    heading: '**a setting.**',
    mostFiles: 4,
    edits: [
      {
        path: 'src/settings/options.ts',
        before: "  'webserver-thread-pool-size': {",
        text: `  'planted-calls': {
    kind: 'choice',
    reader: 'front',
    words: ['on', 'off'],
    doc: 'on or off: whether calls of this node are planted',
    initial: 'off',
  },
`,
      },
      {
        path: 'src/node/front.ts',
        before: '  const { listening, serving } = front;\n',
        text: "  if (frontSettings(settings)['planted-calls'] === 'on') log.warning('calls are planted', 'setting_noticed', {});\n",
      },
      {
        path: 'test/outside/planted_calls.test.ts',
        text: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualSettings } from '../../src/settings/read_config.ts';

test('calls are planted only where the operator says so', () => {
  assert.equal(usualSettings()['planted-calls'], 'off');
});
`,
      },
    ],
    written: ['scripts/operate/pharos.ini'],
    writers: [OPERATE],
    tests: [
      'settings/settings_file',
      'settings/readers',
      'outside/planted_calls',
      'scripts/operate',
      'documents/documents',
    ],
  },
  {
    name: 'a method with an index of its own',
    heading: '**a method.**',
    mostFiles: 5,
    edits: [
      {
        path: 'src/state/tables/application.ts',
        before: '  },\n});\n',
        text: `    by_price: {
      parts: [u8Key, u64Key],
      of: (application: Application) => [application.price_param, application.id] as const,
      unique: true,
    },
`,
      },
      { path: 'src/state/tables/application.ts', before: "u64Key } from '../../codec/key.ts';\n", text: 'u8Key, ' },
      {
        path: 'src/rpc/alexandria_api/get_applications_by_price.ts',
        text: `import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { applicationRecord } from '../../queries/records/application.ts';
import { applications } from '../../state/tables/application.ts';
import { method } from '../method.ts';
import { priceParam } from './price_param.ts';

const MOST = 100;

/** The first applications that are paid for in one way. */
export const getApplicationsByPrice = method({
  name: 'alexandria_api.get_applications_by_price',
  doc: 'The first 100 applications that are paid for in this way, in the order of their ids.',
  params: { price_param: coded(priceParam) },
  result: Type.Object({ applications: Type.Array(coded(applicationRecord)) }),
  example: { params: { price_param: 0 } },
  stability: 'stable',
  thread: 'read',
  handler: ({ price_param: price }, { rows }) => ({
    applications: rows.range(applications.by_price, { from: [price], to: [price], limit: MOST }),
  }),
});
`,
      },
      {
        path: 'src/rpc/alexandria_api/index.ts',
        before: '  getApplicationsByIds,\n',
        text: '  getApplicationsByPrice,\n',
      },
      {
        path: 'src/rpc/alexandria_api/index.ts',
        before: "import { getApplicationsByIds } from './get_applications_by_ids.ts';\n",
        text: "import { getApplicationsByPrice } from './get_applications_by_price.ts';\n",
      },
      {
        path: 'test/rpc/methods/applications_by_price.test.ts',
        text: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { produce, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

test('applications are found by how they are paid for', async () => {
  const node = new NodeOfMethods();
  const operation: Json = [
    'application_create',
    { fee: '0.010000 COIN', author: 'dave', name: 'timed', url: 'u', metadata: '', price_param: 1 },
  ];
  node.chain.accept(makeTransaction(node.chain, node.parameters, [operation], ['dave']));
  produce(node.chain);
  const { applications } = Object(await node.result('alexandria_api.get_applications_by_price', { price_param: 1 }));
  assert.deepEqual(
    applications.map(({ name }: { readonly name: string }) => name),
    ['timed'],
  );
});
`,
      },
    ],
    written: ['src/pages/docs/samples.json'],
    writers: [['scripts/docs.js', '--record']],
    tests: [
      'rpc/methods/applications',
      'rpc/methods/every_method',
      'rpc/methods/every_refusal',
      'pages/docs/samples',
      'storage/table',
      'documents/documents',
    ],
  },
  {
    name: 'an operation behind a hardfork',
    heading: '**an operation.**',
    mostFiles: 8,
    edits: operationEdits,
    written: [],
    writers: [],
    tests: OPERATION_TESTS,
  },
  {
    name: 'a hardfork that brings an operation and changes a fee',
    heading: '**a hardfork.**',
    mostFiles: 12,
    edits: [...operationEdits, ...feeEdits],
    written: [],
    writers: [],
    tests: [...OPERATION_TESTS, 'state/planted_fee', 'state/rules', 'chain/fees', 'rpc/next_hardfork'],
  },
  {
    name: 'a message between nodes',
    heading: '**a message between nodes.**',
    mostFiles: 5,
    edits: [
      {
        path: 'src/wire/messages/planted.ts',
        text: `import { u64 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members } from '../wire_values.ts';

/** A number that nobody asked for. */
export const planted = messageKind({
  name: 'planted',
  layout: 'number u64',
  price: { payer: 'sender', firstMs: 0.02 },
  lane: CONTROL,
  mostBytes: 8,
  wire: members({ number: u64 }),
});
`,
      },
      {
        path: 'src/wire/messages/index.ts',
        before: "import { pong } from './pong.ts';\n",
        text: "import { planted } from './planted.ts';\n",
      },
      { path: 'src/wire/messages/index.ts', before: '};\n\nconst numbers', text: '  32: planted,\n' },
      {
        path: 'src/p2p/peers/peer_exchange.ts',
        before: '    router.on(peers, ',
        text: '    router.on(planted, () => undefined);\n',
      },
      {
        path: 'src/p2p/peers/peer_exchange.ts',
        before: "import { peersRequest } from '../../wire/messages/peers_request.ts';\n",
        text: "import { planted } from '../../wire/messages/planted.ts';\n",
      },
      {
        path: 'src/p2p/evidence.md',
        before: '| addresses in `peers` |',
        text: '| `planted` | [peer_exchange](peers/peer_exchange.ts) | none | nothing |\n',
      },
      {
        path: 'test/wire/messages.test.ts',
        before: "import { pong } from '../../src/wire/messages/pong.ts';\n",
        text: "import { planted } from '../../src/wire/messages/planted.ts';\n",
      },
      {
        path: 'test/wire/messages.test.ts',
        before: '  { kind: ping, ',
        text: '  { kind: planted, values: fc.record({ number: u64 }) },\n',
      },
    ],
    written: [],
    writers: [],
    tests: ['wire/messages', 'p2p/readme', 'pages/docs/tables', 'p2p/peers/peer_exchange'],
  },
];

/** The text of a file with a change; undefined stands for a file that is not there. Fails where the anchor is gone. */
export function edited(text: string | undefined, { path, before, after, text: added }: Edit): string {
  const anchor = before ?? after;
  if (anchor === undefined) return text === undefined ? added : fail(`${path} is there already`);
  const [head, tail, ...more] = (text ?? '').split(anchor);
  if (head === undefined || tail === undefined || more.length > 0)
    fail(`${path} has to have this once, and has it ${more.length + (tail === undefined ? 0 : 1)} times: ${anchor}`);
  return before === undefined ? head + anchor + added + tail : head + added + anchor + tail;
}

/** Sources move: then the change that a recipe makes moves with them. */
function fail(why: string): never {
  throw new Error(`${why}; mend the recipe in test/scripts/recipes.ts, and its steps in CONTRIBUTING.md`);
}
