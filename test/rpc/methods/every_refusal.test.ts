import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { present } from '../../../src/base/assert.ts';
import { declaredRefusal } from '../../../src/base/refusal.ts';
import { signatureOf } from '../../../src/blocks/sign_transaction.ts';
import type { Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { isObject } from '../../../src/jsonrpc/openrpc.ts';
import { sampleBlock, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { blocks } from '../../../src/state/tables/block.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { encodeKey } from '../../../src/storage/row_bytes.ts';
import { timeText } from '../../../src/values/time.ts';
import { keyTextOf, people, produce, secretOf, testParameters, transactionOn, type TransactionOptions } from '../../builders/chain.ts';
import { assertDeclared, assertSentence } from '../../builders/sentences.ts';
import { callInSteps, SteppingClock } from '../../builders/stepped_calls.ts';
import type { Program } from '../../outside/program.ts';
import { Site } from '../../outside/site.ts';
import { dispatcherOver, NodeOfMethods, type Answer, type NodeOptions } from './node_of_methods.ts';

type JsonObject = { readonly [member: string]: Json };
/** Asks a method for what it refuses. */
type Provocation = (method: Method) => Promise<Answer>;

const node = new NodeOfMethods();
const nodes: NodeOfMethods[] = [node];
const site = new Site();
let oldNode: Program;

before(async () => {
  // A chain that began long ago and has stood still since; its blocks are small.
  const genesis = { genesis_time: '2020-01-01T00:00:00', max_block_size: 1, max_transaction_size: 1024 };
  writeFileSync(site.path('genesis.json'), JSON.stringify({ ...genesis, initial_public_key: keyTextOf('initminer') }));
  const flags = ['--genesis-json', site.path('genesis.json'), '--data-dir', site.path('data'), '--webserver-http-endpoint', '127.0.0.1:0'];
  oldNode = site.start(['run', ...flags]);
  await oldNode.ready();
});

after(async () => {
  for (const each of nodes) each.stop();
  await site.clear();
});

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
const NO_POINT = 'PHR1111111111111111111111111111111114T1Anm';
const NO_HASH = '0'.repeat(40);
const RICH = 10_000_000_000_000;
const FAR = 0x7fff_ffff; // the longest jump, 68 years
const LAST_DAY = 0xffff_ffff - 86_400;

function ownNode(options: NodeOptions = {}): NodeOfMethods {
  const own = new NodeOfMethods(options);
  nodes.push(own);
  return own;
}

/** One that answers as the lineage did where the two differ. */
const lineageNode = ownNode({ parameters: answeringLineage(testParameters({ genesis_time: '2026-01-01T00:00:00' })) });

const prunedNode = ownNode({ blocksKept: 10 });

function answeringLineage(parameters: ChainParameters): ChainParameters {
  return { ...parameters, profile: { ...parameters.profile, answersLineage: true } };
}

function exampleOf({ example: { params } }: Method): JsonObject {
  assert.ok(isObject(params));
  return params;
}

/** Of these changes those that concern members which the method takes. */
function changed(method: Method, changes: JsonObject): JsonObject {
  const known = Object.entries(changes).filter(([member]) => method.paramNames.includes(member));
  return { ...exampleOf(method), ...Object.fromEntries(known) };
}

/** The example with some members changed. */
function asking(changes: JsonObject | ((method: Method) => JsonObject), on = node): Provocation {
  return (method) => on.call(method.name, changed(method, typeof changes === 'function' ? changes(method) : changes));
}

const many = (item: Json): Json => Array.from({ length: 1001 }, () => item);

/** A transaction of one operation on top of a node's head, with the signatures of these accounts. */
function signed(on: NodeOfMethods, operation: Json, signers: readonly string[], options: TransactionOptions = {}): JsonObject {
  const { transaction } = transactionOn(on.chain, on.parameters, [operation], signers, options);
  const { ref_block_num, ref_block_prefix, signatures, expiration } = transaction;
  const signatureTexts = [...signatures];
  return {
    ref_block_num,
    ref_block_prefix,
    expiration: timeText(expiration),
    operations: [operation],
    extensions: [],
    signatures: signatureTexts,
  };
}

function signatureOfAlice(digest: string): string {
  return present(signatureOf(Buffer.from(digest, 'hex'), secretOf('alice')), 'a signature');
}

function payment(memo = '', from = 'alice'): Json {
  return ['transfer', { fee: '0.010000 COIN', from, to: 'bob', amount: '1.000000 COIN', memo }];
}

const bobsKey = { weight_threshold: 1, account_auths: [], key_auths: [[keyTextOf('bob'), 1]] } satisfies Json;
const asksForOwner: Json = ['account_delete', { fee: '0.000000 COIN', account: 'alice' }];
const asksForOthers: Json = [
  'recover_account',
  { fee: '0.000000 COIN', account_to_recover: 'alice', new_owner_authority: bobsKey, recent_owner_authority: bobsKey, extensions: [] },
];

/** Checks a transaction of this operation with these signatures. */
function verifying(operation: Json, ...signers: readonly string[]): Provocation {
  return asking(() => ({ trx: signed(lineageNode, operation, signers) }), lineageNode);
}

/** With a signature of that kind in place of a right one. */
function withSignature(signature: string): Provocation {
  return asking(() => ({ trx: { ...signed(lineageNode, payment(), []), signatures: [signature] } }), lineageNode);
}

/** A text that reads as `alice`, and from which another account's name was made. */
async function askForTwoAccounts(method: Method): Promise<Answer> {
  const { name } = method;
  const own = ownNode();
  const keys = { owner: keyTextOf('bob'), active: keyTextOf('bob'), memo: keyTextOf('bob') };
  const params = { creator: 'alice', name_seed: 'aliceA', json_meta: '{}', ...keys };
  const { op } = Object(await own.result('alexandria_api.create_account', params));
  await own.result('alexandria_api.send_and_sign_operation', { op, pk: ALICE });
  return await own.call(name, changed(method, { account_name: 'aliceA', managing_account: 'aliceA', managing_accounts: ['aliceA'] }));
}

/** What makes the method send an operation of Alice. */
function sending(on: NodeOfMethods, { paramNames }: Method, operation: Json): JsonObject {
  const [first = ''] = paramNames;
  if (first === 'op_vec') return { op_vec: [operation], wait: true };
  if (first === 'op') return { op: operation, pk: ALICE };
  return paramNames.includes('pk') ? { tx: signed(on, operation, []), pk: ALICE } : { [first]: signed(on, operation, ['alice']) };
}

/** A document that is larger than a transaction may be. */
const large: Json = [
  'custom_json',
  { fee: '0.030000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: JSON.stringify('x'.repeat(8192)) },
];

/** The answer to the last of several payments that are sent at once; whatever waits then waits in vain. */
async function sendAtOnce(method: Method, memos: readonly string[], options: NodeOptions): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true, ...options });
  const answers = memos.map((memo) => own.call(method.name, sending(own, method, payment(memo))));
  return (await answers.at(-1)) ?? assert.fail('nothing was sent');
}

/** The answer to a payment while another one waits for its block, and there is room for no more. */
async function sendWhileOneWaits(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true, limits: { parkedBroadcasts: 1 } });
  void own.call('network_broadcast_api.broadcast_transaction_synchronous', { trx: signed(own, payment('first'), ['alice']) });
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  return await own.call(method.name, sending(own, method, payment('second')));
}

/** The answer to the second of two subscriptions. */
async function subscribeTwice(
  method: Method,
  limits: Required<NodeOptions>['limits'],
  connection: 'the same' | 'another',
): Promise<Answer> {
  const own = ownNode({ limits });
  const params = exampleOf(method);
  await own.result(method.name, params);
  // Under the same return_id it would take the place of the first.
  const second = { ...Object(params), return_id: 99 };
  return connection === 'another' ? await own.callFromAnother(method.name, second) : await own.call(method.name, second);
}

/** Resumes from the position of the node's head, changed, and with nothing in it about earlier blocks. */
async function resumeAt(method: Method, change: (bytes: Buffer) => void, on = node): Promise<Answer> {
  const { position }: { position?: unknown } = Object(await on.result(method.name, exampleOf(method)));
  const bytes = Buffer.from(String(position), 'base64url').subarray(0, 35);
  change(bytes);
  return await on.call(method.name, { ...exampleOf(method), resume: bytes.toString('base64url') });
}

/** The answer to a payment that has expired by the time of the next block. */
async function sendInVain(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true });
  const answer = own.call(method.name, sending(own, method, payment()));
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  produce(own.chain, 3000);
  return await answer;
}

/** The answer to a payment that was dropped while the front heard nothing. */
async function sendAndLose(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true });
  const answer = own.call(method.name, sending(own, method, payment()));
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  own.chain.revert(own.chain.head.number);
  own.missChanges();
  return await answer;
}

async function askOldNode({ name }: Method, params: JsonObject): Promise<Answer> {
  const { body } = await oldNode.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params }));
  const answer: Answer = JSON.parse(body);
  return answer;
}

async function askAtTheEndOfTime(method: Method): Promise<Answer> {
  const { name } = method;
  const own = ownNode();
  await own.result('debug_api.jump_ahead', { seconds: FAR });
  await own.result('debug_api.jump_ahead', { seconds: LAST_DAY - own.chain.head.time - 9 });
  await own.result('debug_api.produce_blocks', { count: 3 });
  return await own.call(name, exampleOf(method));
}

async function revertToFinal({ name }: Method): Promise<Answer> {
  const own = ownNode();
  const params = Object(await own.result('debug_api.snapshot'));
  await own.result('debug_api.produce_blocks', { count: 60 });
  return await own.call(name, params);
}

/** What stands in the first block, on a node that keeps ten. */
async function askForWhatIsGone(method: Method): Promise<Answer> {
  if (prunedNode.chain.head.number < 100) await prunedNode.result('debug_api.produce_blocks', { count: 100 });
  if (method.paramNames.includes('resume')) return await resumeAt(method, (bytes) => bytes.writeUInt32BE(1, 5), prunedNode);
  return await prunedNode.call(method.name, changed(method, { num: 1, block_num: 1, account: 'carol', start: 0, limit: 0 }));
}

/** An authority that names more accounts than one call looks into. */
async function askAboutMany(method: Method): Promise<Answer> {
  const names = Array.from({ length: 126 }, (_, index) => `member${index}`);
  const own = ownNode({
    parameters: testParameters({
      genesis_time: '2026-01-01T00:00:00',
      initial_accounts: [...people.map((name) => memberOf(name, RICH)), ...names.map((name) => memberOf(name, 0))],
    }),
  });
  const all = { weight_threshold: 127, account_auths: names.toSorted().map((name) => [name, 1]), key_auths: [] } satisfies Json;
  const recovery = { fee: '0.000000 COIN', account_to_recover: 'alice', new_owner_authority: all, recent_owner_authority: bobsKey };
  const trx = signed(own, ['recover_account', { ...recovery, extensions: [] }], []);
  return await own.call(method.name, changed(method, { trx, tx: trx, required_other: [all] }));
}

/** Which of hundreds of keys are needed, where each is and is asked for twice. */
async function askForMinimum(method: Method): Promise<Answer> {
  const own = ownNode({ parameters: testParameters({ genesis_time: '2026-01-01T00:00:00', max_transaction_size: 65_536 }), isEmpty: true });
  const keys = Array.from({ length: 500 }, (_, index) => keyTextOf(`signer ${index}`));
  const all = { weight_threshold: keys.length, account_auths: [], key_auths: keys.toSorted().map((key) => [key, 1]) } satisfies Json;
  const recovery = { fee: '0.000000 COIN', account_to_recover: 'alice', new_owner_authority: all, recent_owner_authority: all };
  const trx = signed(own, ['recover_account', { ...recovery, extensions: [] }], []);
  return await own.call(method.name, changed(method, { trx, available_keys: keys }));
}

function memberOf(name: string, balance: number): Json {
  return { name, key: keyTextOf(name), balance };
}

/** How each refusal that methods declare is provoked, whichever methods declare it. */
const provocations: Readonly<Record<string, Provocation>> = {
  no_help: ({ name }) => node.send({ id: 1, method: name, params: ['no_such_method'] }),
  unknown_account: asking({ account_name: 'nobody-here', managing_account: 'nobody-here', managing_accounts: ['alice', 'nobody-here'] }),
  ambiguous_account: askForTwoAccounts,
  account_does_not_exist: asking({ account_name: 'nobody-here' }),
  impossible_owner_authority: asking({ type: 'owner', new_authority: { weight_threshold: 2, account_auths: [['bob', 1]], key_auths: [] } }),

  page_too_large: asking({ limit: 1001, count: 1001, accounts: many('alice'), owners: many('alice') }),
  history_page_too_large: asking({ limit: 10_001, count: 10_001 }),
  start_below_count: asking({ start: 1, limit: 2, count: 2, search_type: 'by_recipient' }, lineageNode),
  unknown_search_type: asking({ search_type: 'by_luck' }),
  unsupported_order: asking({ order: 'by_price' }),
  deadline_start: asking({ start: [false], order: 'by_ratification_deadline' }),

  bad_endpoint: asking({ endpoint: 'no port' }),
  bad_node: asking({ node: 'nobody' }),
  not_banned: asking({ node: '203.0.113.9' }),

  fee_symbol: asking({ symbol: 'XYZ' }),
  no_current_feed: asking({ symbol: 'USD', fiat: '1.000000 USD' }),
  // What costs nothing costs nothing in any symbol, if there is such a symbol.
  symbol_history_not_found: asking({ symbol: 'XYZ', fiat: '1.000000 XYZ', op: asksForOwner }),

  unknown_document: asking({ id: 4711 }),
  unknown_transaction: asking({ id: '1'.repeat(40), tx_id: '1'.repeat(40) }),
  pruned: askForWhatIsGone,
  zero_transaction_id: asking({ id: NO_HASH, tx_id: NO_HASH }),
  no_operations: asking({ op_vec: [] }),
  not_implemented: asking({}),

  malformed_private_key: asking({ pk: 'no key', private_key: 'no key' }),
  no_public_key: asking({ public_key: NO_POINT }),
  not_a_record: asking({ data: 'short' }),
  wrong_key: asking({ public_key: keyTextOf('carol') }),

  block_replaced: askWhileBlocksGo,
  unknown_approving_account: asking(() => ({ tx: signed(node, payment('', 'nobody-here'), []) })),
  missing_active_authority: verifying(payment(), 'bob'),
  missing_owner_authority: verifying(asksForOwner),
  missing_other_authority: verifying(asksForOthers),
  irrelevant_signature: verifying(payment(), 'alice', 'bob'),
  too_many_accounts_visited: askAboutMany,
  too_many_keys_to_try: askForMinimum,
  duplicate_signature: asking(() => {
    const hash = '11'.repeat(32);
    const { signatures = [], ...trx } = signed(lineageNode, payment(), ['alice']);
    const twice = Array.isArray(signatures) ? [...signatures, ...signatures] : signatures;
    return { trx: { ...trx, signatures: twice }, hash, signatures: [signatureOfAlice(hash), signatureOfAlice(hash)] };
  }, lineageNode),
  signature_without_key: withSignature('00'.repeat(65)),
  signature_not_canonical: withSignature(`1f${'ff'.repeat(64)}`),

  head_too_old: (method) => askOldNode(method, { ...exampleOf(method), max_block_age: 60 }),
  transaction_expired: sendInVain,
  dropped: sendAndLose,
  transaction_too_big: (method) => node.call(method.name, { ...exampleOf(method), ...sending(node, method, large) }),
  too_many_broadcasts: (method) => sendAtOnce(method, ['one', 'other'], { limits: { queuedBroadcasts: 1 } }),
  too_many_waiting: sendWhileOneWaits,
  block_in_future: (method) => askOldNode(method, { block: { ...sampleBlock, timestamp: '2100-01-01T00:00:00' } }),
  block_too_big: (method) =>
    askOldNode(method, { block: { ...sampleBlock, transactions: Array.from({ length: 50 }, () => sampleTransaction) } }),

  start_not_positive: asking({ start: 0, resume: null }),
  position_of_another_chain: (method) => resumeAt(method, (bytes) => bytes.writeUInt32BE(1, 1)),
  position_in_future: (method) => resumeAt(method, (bytes) => bytes.writeUInt32BE(1000, 5)),
  position_replaced: (method) => resumeAt(method, (bytes) => bytes.writeUInt32BE(0xabcd, 9)),
  no_connection: (method) => node.callOnce(method.name, exampleOf(method)),
  too_many_subscriptions: (method) => subscribeTwice(method, { subscriptionsPerSocket: 1 }, 'the same'),
  node_has_too_many_subscriptions: (method) => subscribeTwice(method, { subscriptions: 1 }, 'another'),

  no_impersonator: (method) => ownNode({ lacksImpersonator: true }).call(method.name, exampleOf(method)),
  no_turn: (method) => ownNode({ debug: 'has no key' }).call(method.name, exampleOf(method)),
  block_not_made: (method) => ownNode({ debug: 'seals nothing' }).call(method.name, exampleOf(method)),
  time_over: askAtTheEndOfTime,
  unknown_snapshot: asking({ id: 'ab'.repeat(20) }),
  snapshot_is_final: revertToFinal,
  no_method_to_delay: asking({ methods: ['alexandria_api.get_acount'] }),
  fork_of_final: (method) => ownNode().call(method.name, { blocks: 1000 }),
};

/** Between two steps of a read, the block that is read is taken back. */
async function askWhileBlocksGo(method: Method): Promise<Answer> {
  const { chain, store, parameters } = ownNode();
  const dispatcher = dispatcherOver(chain, store, parameters, { clock: new SteppingClock(chain.head.time * 1000) });
  const body = writeJson({ jsonrpc: '2.0', id: 1, method: method.name, params: exampleOf(method) });
  const batch = new WriteBatch();
  batch.delete('block', encodeKey(blocks, 1));
  const asked = callInSteps(dispatcher, Buffer.from(body), () => undefined);
  // The body is taken in the first turn, which finds the block.
  await nextTurn();
  store.write(batch);
  const answer: Answer = JSON.parse((await asked).toString());
  return answer;
}

/** What is provoked on the node that answers as the lineage, in whose words it is refused. */
const provokedOnLineage = /^(?:start_below_count|missing_\w+_authority|irrelevant_signature|duplicate_signature|signature_\w+)$/;

for (const method of node.methods.values()) {
  for (const [code, declared] of Object.entries(method.refuses)) {
    test(`${method.name} refuses: ${code}`, async () => {
      const { error } = await (provocations[code] ?? assert.fail('nobody provokes it'))(method);
      assert.equal(error?.data?.['name'], code, JSON.stringify(error));
      const { lineageCode, lineage } = declaredRefusal(declared);
      const ofMethod = lineageCode === 10 ? -32003 : -32000;
      assert.equal(error.code, method.group === '' ? 1 : ofMethod);
      assert.ok(!/[{]\w+[}]/.test(error.message), `every placeholder is filled in: ${error.message}`);
      if (method.group === '') return;
      const isPlain = !provokedOnLineage.test(code);
      if (isPlain) assertSentence(error.message);
      assert.equal(error.data['lineage'] !== undefined, isPlain && lineage !== undefined);
      assert.ok(!/[{]\w+[}]/.test(String(error.data['lineage'])), `every placeholder is filled in: ${String(error.data['lineage'])}`);
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
