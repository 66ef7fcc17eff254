import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { declaredRefusal } from '../../../src/base/refusal.ts';
import type { Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { sampleBlock, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { blocks } from '../../../src/state/tables/block.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { encodeKey } from '../../../src/storage/row_bytes.ts';
import { makeTransaction, produce, testKeyText, testParameters } from '../../builders/chain.ts';
import { assertDeclared, assertSentence } from '../../builders/sentences.ts';
import { callInSteps, SteppingClock } from '../../builders/stepped_calls.ts';
import type { Program } from '../../outside/program.ts';
import { Site } from '../../outside/site.ts';
import { broadcastRefusals } from './broadcast_refusals.ts';
import { dispatcherOver, type Answer, type NodeOptions } from './node_of_methods.ts';
import { proofRefusals } from './proof_refusals.ts';
import {
  ALICE_WIF,
  asking,
  changed,
  makeExample,
  node,
  nodes,
  ownNode,
  payment,
  type JsonObject,
  type Provocation,
} from './provoking_nodes.ts';
import { asksForOwner, signatureRefusals } from './signature_refusals.ts';
import { resumeChanged, subscriptionRefusals } from './subscription_refusals.ts';

const site = new Site();
let oldNode: Program;

before(async () => {
  // A chain that began long ago and has stood still since; its blocks are small.
  const genesis = { genesis_time: '2020-01-01T00:00:00', max_block_size: 1, max_transaction_size: 1024 };
  writeFileSync(
    site.path('genesis.json'),
    JSON.stringify({ ...genesis, initial_public_key: testKeyText('initminer') }),
  );
  const flags = [
    '--genesis-json',
    site.path('genesis.json'),
    '--data-dir',
    site.path('data'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ];
  oldNode = site.start(['run', ...flags]);
  await oldNode.ready();
});

after(async () => {
  for (const each of nodes) each.stop();
  await site.clear();
});

const NO_POINT = 'PHR1111111111111111111111111111111114T1Anm';
const NO_HASH = '0'.repeat(40);
const FAR = 0x7fff_ffff; // the longest jump, 68 years
const LAST_DAY = 0xffff_ffff - 86_400;

/** A chain whose only witness is enough for a price. */
const fewPlaces: NodeOptions = {
  parameters: testParameters({
    ...{ genesis_time: '2026-01-01T00:00:00', impersonator: testKeyText('impersonator') },
    ...{ max_witnesses: 9, max_voted_witnesses: 9 },
  }),
};

/** One that answers as the lineage did where the two differ. */
const lineageNode = ownNode({ parameters: answeringLineage(testParameters({ genesis_time: '2026-01-01T00:00:00' })) });

const prunedNode = ownNode({ blocksKept: 10 });

function answeringLineage(parameters: ChainParameters): ChainParameters {
  return { ...parameters, profile: { ...parameters.profile, answersLineage: true } };
}

const many = (item: Json): Json => Array.from({ length: 1001 }, () => item);

function makeApplication(members: JsonObject): Json {
  return ['application_create', { author: 'alice', name: 'chat', url: 'u', metadata: '', price_param: 0, ...members }];
}

/** An operation in each of the params that hold one: alone, in a transaction, in a block. */
function holding(operation: Json): JsonObject {
  const transaction = { ...sampleTransaction, operations: [operation] };
  return {
    op: operation,
    operations: [operation],
    tx: transaction,
    trx: transaction,
    block: { ...sampleBlock, transactions: [transaction] },
  };
}

/** A text that reads as `alice`, and from which another account's name was made. */
async function askForTwoAccounts(method: Method): Promise<Answer> {
  const { name } = method;
  const own = ownNode();
  const keys = { owner: testKeyText('bob'), active: testKeyText('bob'), memo: testKeyText('bob') };
  const params = { creator: 'alice', name_seed: 'aliceA', json_meta: '{}', ...keys };
  const { op } = Object(await own.result('alexandria_api.create_account', params));
  await own.result('alexandria_api.send_and_sign_operation', { op, pk: ALICE_WIF });
  return await own.call(
    name,
    changed(method, { account_name: 'aliceA', managing_account: 'aliceA', managing_accounts: ['aliceA'] }),
  );
}

async function askOldNode({ name }: Method, params: JsonObject): Promise<Answer> {
  const { body } = await oldNode.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params }));
  const answer: Answer = JSON.parse(body);
  return answer;
}

async function askAtTheEndOfTime(method: Method): Promise<Answer> {
  const { name } = method;
  const own = ownNode(fewPlaces);
  await own.result('debug_api.jump_ahead', { seconds: FAR });
  await own.result('debug_api.jump_ahead', { seconds: LAST_DAY - own.chain.head.time - 9 });
  await own.result('debug_api.produce_blocks', { count: 3 });
  return await own.call(name, makeExample(method));
}

async function revertToFinal({ name }: Method): Promise<Answer> {
  const own = ownNode();
  const params = Object(await own.result('debug_api.snapshot'));
  await own.result('debug_api.produce_blocks', { count: 60 });
  return await own.call(name, params);
}

/** Methods that prove something need a chain with finality. */
function proves({ refuses }: Method): boolean {
  return 'no_finality' in refuses;
}

/** Asks for the contents of the first block, on a node that keeps ten. */
async function askForWhatIsGone(method: Method): Promise<Answer> {
  if (prunedNode.chain.head.number < 100) await prunedNode.result('debug_api.produce_blocks', { count: 100 });
  if (method.paramNames.includes('resume'))
    return await resumeChanged(method, (bytes) => bytes.writeUInt32BE(1, 5), prunedNode);
  return await prunedNode.call(
    method.name,
    changed(method, { num: 1, block_num: 1, account: 'carol', start: 0, limit: 1 }),
  );
}

/** An authority of an account that does not exist, and an operation that asks for it. */
const nobody = { weight_threshold: 1, account_auths: [['nobody-here', 1]], key_auths: [] } satisfies Json;
const ofNobody: Json = [
  'recover_account',
  { account_to_recover: 'alice', new_owner_authority: nobody, recent_owner_authority: nobody, extensions: [] },
];

/** A millionth of a dollar buys a million coins, so that no amount holds what a million dollars buy. */
async function askAtALowPrice(method: Method): Promise<Answer> {
  // Every third block sets prices.
  const rules = { block_interval: 1200, max_witnesses: 10, max_voted_witnesses: 6 };
  const parameters = testParameters({ genesis_time: '2026-01-01T00:00:00', ...rules });
  const own = ownNode({ parameters, isEmpty: true });
  const exchange_rate = { base: '1000000.000000 COIN', quote: '0.000001 USD' };
  const op = ['feed_publish', { publisher: 'initminer', exchange_rate }] satisfies Json;
  const expiration = own.chain.head.time + 3600;
  own.chain.accept(makeTransaction(own.chain, parameters, [op], ['initminer'], { expiration }));
  for (let block = 0; block < 4; block++) produce(own.chain);
  return await own.call(method.name, changed(method, { fiat: '1000000.000000 USD' }));
}

/** The second one comes while the first is under way. */
async function askTwice({ name }: Method): Promise<Answer> {
  const own = ownNode();
  const [, second] = await Promise.all([own.call(name), own.call(name)]);
  return second;
}

/** Provokes each refusal that methods declare, whichever methods declare it. */
const provocations: Readonly<Record<string, Provocation>> = {
  no_help: ({ name }) => node.send({ id: 1, method: name, params: ['no_such_method'] }),
  unknown_account: asking({
    account_name: 'nobody-here',
    managing_account: 'nobody-here',
    managing_accounts: ['alice', 'nobody-here'],
  }),
  ambiguous_account: askForTwoAccounts,
  account_does_not_exist: asking({ account_name: 'nobody-here' }),
  impossible_owner_authority: asking({
    type: 'owner',
    new_authority: { weight_threshold: 2, account_auths: [['bob', 1]], key_auths: [] },
  }),

  page_too_large: asking({ limit: 1001, count: 1001, accounts: many('alice'), owners: many('alice') }),
  history_page_too_large: asking({ limit: 10_001, count: 10_001 }),
  start_below_count: asking({ start: 1, limit: 2, count: 2, search_type: 'by_recipient' }),
  unknown_search_type: asking({ search_type: 'by_luck' }),
  unsupported_order: asking({ order: 'by_price' }),
  not_of_author: asking({ start: ['alice', 'nothing'], order: 'by_author' }),
  deadline_start: asking({ start: [false], order: 'by_ratification_deadline' }),

  unknown_key: asking({
    start: ['0', 'nobody-here'],
    order: 'by_schedule_time',
    ...holding(ofNobody),
    required_other: [nobody],
  }),
  integer_overflow: askAtALowPrice,

  snapshot_under_way: askTwice,
  snapshot_without_genesis: (method) => ownNode({ lacksGenesis: true }).call(method.name, makeExample(method)),

  bad_endpoint: asking({ endpoint: 'no port' }),
  bad_node: asking({ node: 'nobody' }),
  not_banned: asking({ node: '203.0.113.9' }),

  memo_too_large: asking({ memo: 'm'.repeat(2048), ...holding(payment('m'.repeat(2048))) }),
  url_too_long: asking({ url: 'u'.repeat(2049), ...holding(makeApplication({ url: 'u'.repeat(2049) })) }),
  name_too_long: asking({ app_name: 'n'.repeat(257), ...holding(makeApplication({ name: 'n'.repeat(257) })) }),

  fee_symbol: asking({ symbol: 'XYZ' }),
  no_current_feed: asking({ symbol: 'USD', fiat: '1.000000 USD' }),
  // What costs nothing costs nothing in any symbol, if there is such a symbol.
  symbol_history_not_found: asking({ symbol: 'XYZ', fiat: '1.000000 XYZ', op: asksForOwner }),

  unknown_block: asking({ block_num: 4_000_000_000 }),
  unknown_document: asking({ id: 4711 }),
  unknown_transaction: asking({ id: '1'.repeat(40), tx_id: '1'.repeat(40) }),
  ...proofRefusals,
  pruned: (method) => (proves(method) ? proofRefusals.pruned(method) : askForWhatIsGone(method)),
  no_finality: asking({}),
  zero_transaction_id: asking({ id: NO_HASH, tx_id: NO_HASH }),
  no_operations: asking({ op_vec: [] }),
  not_implemented: asking({}),

  malformed_private_key: asking({ pk: 'no key', private_key: 'no key' }),
  no_public_key: asking({ public_key: NO_POINT }),
  data_not_utf8: asking({ data: '//8=' }),
  not_a_record: asking({ data: 'short' }),
  wrong_key: asking({ public_key: testKeyText('carol') }),

  block_replaced: askWhileBlocksGo,
  ...signatureRefusals,
  ...broadcastRefusals,
  ...subscriptionRefusals,

  head_too_old: (method) => askOldNode(method, { ...makeExample(method), max_block_age: 60 }),
  block_in_future: (method) => askOldNode(method, { block: { ...sampleBlock, timestamp: '2100-01-01T00:00:00' } }),
  block_too_big: (method) =>
    askOldNode(method, {
      block: { ...sampleBlock, transactions: Array.from({ length: 50 }, () => sampleTransaction) },
    }),

  no_impersonator: (method) =>
    ownNode({ ...fewPlaces, lacksImpersonator: true }).call(method.name, makeExample(method)),
  no_turn: (method) => ownNode({ ...fewPlaces, debug: 'has no key' }).call(method.name, makeExample(method)),
  block_not_made: (method) => ownNode({ ...fewPlaces, debug: 'seals nothing' }).call(method.name, makeExample(method)),
  time_over: askAtTheEndOfTime,
  no_fiat_price: asking({ price: '1.000000 COIN' }),
  too_few_feeds: asking({}),
  unknown_snapshot: asking({ id: 'ab'.repeat(20) }),
  snapshot_is_final: revertToFinal,
  no_method_to_delay: asking({ methods: ['alexandria_api.get_acount'] }),
  fork_of_final: (method) => ownNode().call(method.name, { blocks: 1000 }),
};

/** Between two steps of a read, the block that is read is taken back. */
async function askWhileBlocksGo(method: Method): Promise<Answer> {
  const { chain, store, parameters } = ownNode();
  const dispatcher = dispatcherOver(chain, store, parameters, { clock: new SteppingClock(chain.head.time * 1000) });
  const body = writeJson({ jsonrpc: '2.0', id: 1, method: method.name, params: makeExample(method) });
  const batch = new WriteBatch();
  batch.delete('block', encodeKey(blocks, 1));
  const asked = callInSteps(dispatcher, Buffer.from(body), () => undefined);
  // The body is taken in the first turn, which finds the block.
  await nextTurn();
  store.write(batch);
  const answer: Answer = JSON.parse((await asked).toString());
  return answer;
}

for (const method of node.methods.values()) {
  for (const [code, declared] of Object.entries(method.refuses)) {
    const isOfLineage = method.refusesLineageOnly?.has(code) === true;
    test(`${method.name} refuses: ${code}`, async () => {
      const { error } = await (provocations[code] ?? assert.fail('nobody provokes it'))(
        method,
        isOfLineage ? lineageNode : node,
      );
      assert.equal(error?.data?.['name'], code, JSON.stringify(error));
      const { lineageCode, lineage } = declaredRefusal(declared);
      const ofMethod = lineageCode === 10 ? -32003 : -32000;
      assert.equal(error.code, method.group === '' ? 1 : ofMethod);
      assert.ok(!/[{]\w+[}]/.test(error.message), `every placeholder is filled in: ${error.message}`);
      if (method.group === '') return;
      if (!isOfLineage) assertSentence(error.message);
      assert.equal(error.data['lineage'] !== undefined, !isOfLineage && lineage !== undefined);
      assert.ok(
        !/[{]\w+[}]/.test(String(error.data['lineage'])),
        `every placeholder is filled in: ${String(error.data['lineage'])}`,
      );
    });
  }
}

test('every declared text is a sentence that begins in lower case', () => {
  for (const { refuses } of node.methods.values())
    for (const declared of Object.values(refuses)) assertDeclared(declaredRefusal(declared).text);
  for (const { refuses } of Object.values(operationKinds))
    for (const declared of Object.values(refuses)) assertDeclared(declaredRefusal(declared).text);
});

test('nothing is provoked that no method declares, and no provocation was a mistake of ours', () => {
  const declared = new Set([...node.methods.values()].flatMap(({ refuses }) => Object.keys(refuses)));
  assert.deepEqual(
    Object.keys(provocations).filter((code) => !declared.has(code)),
    [],
  );
  for (const { reports } of nodes) assert.deepEqual(reports, []);
});
