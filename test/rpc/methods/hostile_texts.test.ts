import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { readJson } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../../src/codec/encoding_options.ts';
import { packTransaction, signedTransaction } from '../../../src/blocks/transaction.ts';
import { operationCodec, operationKinds } from '../../../src/operations/index.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import type { Operation as ClientOperation } from '../../../src/client/index.ts';
import { operationSentence } from '../../../src/pages/explorer/sentences.ts';
import { prettyJson } from '../../../src/wallet/pretty_json.ts';
import { showOperations } from '../../../src/wallet/show/history.ts';
import { escapeControls } from '../../../src/wallet/show/terminal.ts';
import { operationHex, fillWithHostileTexts, hostileBytes, type HostileTexts } from '../../builders/hostile_texts.ts';
import { produce, testParameters } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

/** A chain of a rule set with the corpus in its blocks. */
interface Filled {
  readonly node: NodeOfMethods;
  readonly rules: RuleSet;
  readonly corpus: HostileTexts;
}

function filled(rules: RuleSet, is_private_net: boolean): Filled {
  const parameters = testParameters({ genesis_time: '2026-01-01T00:00:00', is_private_net }, rules);
  const node = new NodeOfMethods({ parameters, isEmpty: true });
  const corpus = fillWithHostileTexts({ chain: node.chain, parameters, produce: () => void produce(node.chain) });
  return { node, rules, corpus };
}

const chains = (['interface', 'lineage'] as const).flatMap((rules) =>
  [false, true].map((isPrivate) => filled(rules, isPrivate)),
);

/** The refusals of a text. */
const REASONS = new Set([
  'application_not_found',
  'json_malformed',
  'json_not_utf8',
  'json_not_valid',
  'memo_not_utf8',
  'metadata_not_utf8',
  'name_not_kept',
  'name_not_utf8',
  'name_seed_not_utf8',
  'name_seed_too_large',
  'property_name_not_utf8',
  // Of names that become one in the lineage.
  'uniqueness',
  'unknown_key',
  'url_not_utf8',
]);

/** The notation in which a client reads what a method answers. */
function reading({ node }: Filled, dialect: EncodingOptions['dialect']): EncodingOptions {
  return { ...node.parameters.profile, dialect, operationForm: 'pair', readsAnswers: true };
}

/**
 * The result of a call as our own strict reader has it, after the answer was compared with what its method declares.
 */
async function strictResult({ node }: Filled, method: string, params: Json): Promise<Json> {
  const text = await node.dispatcher.dispatch(Buffer.from(writeJson({ jsonrpc: '2.0', id: 1, method, params })));
  assert.ok(text !== undefined);
  node.check(method, JSON.parse(writeJson(params)), JSON.parse(Buffer.from(text).toString()));
  const answer = readJson(Buffer.from(text));
  assert.ok(isJsonObject(answer), method);
  assert.equal(answer['error'], undefined, `${method} ${writeJson(params)} ${writeJson(answer)}`);
  return answer['result'] ?? null;
}

/** All values of members of that name, however deep. */
function membersNamed(name: string, json: Json): Json[] {
  if (Array.isArray(json)) return json.flatMap((item) => membersNamed(name, item));
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([member, value]) => (member === name ? [value] : membersNamed(name, value)));
}

function listTexts(json: Json): string[] {
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return json.flatMap(listTexts);
  return isJsonObject(json) ? [...Object.keys(json), ...Object.values(json).flatMap(listTexts)] : [];
}

test('the corpus has each text of each operation, and what the chain refuses of it has a name that says why', () => {
  for (const {
    node,
    corpus: { accepted, refused },
  } of chains) {
    for (const { kind, member, bytes, code } of refused)
      assert.ok(REASONS.has(code), `${kind} ${member} ${bytes}: ${code}`);
    const tried = new Set([...accepted, ...refused].map(({ kind }) => kind));
    const withTexts = Object.values(operationKinds).filter(
      ({ name, textMembers }) => textMembers.length > 0 && !/^custom(?:_binary)?$/.test(name),
    );
    const expected = withTexts.filter(({ name }) => (name === 'admin_witness_update') === node.parameters.isPrivateNet);
    assert.deepEqual([...tried].toSorted(), expected.map(({ name }) => name).toSorted());
    assert.ok(accepted.length > Object.keys(hostileBytes).length / 2);
    for (const { name } of expected)
      assert.ok(
        accepted.some(({ kind }) => kind === name),
        name,
      );
  }
});

test('under the rules of the interface no text of a block is anything but valid UTF-8', () => {
  for (const {
    node,
    corpus: { accepted },
  } of chains.filter(({ rules }) => rules === 'interface')) {
    const encoding: EncodingOptions = { ...node.parameters.profile, dialect: 'default', operationForm: 'pair' };
    for (const { operation, kind, member, bytes } of accepted)
      for (const text of listTexts(operationCodec.toJson(operation, encoding))) {
        assert.ok(text.isWellFormed(), `${kind} ${member} ${bytes}`);
        assert.notEqual(text, 'hex', `${kind} ${member} ${bytes}`);
      }
  }
});

test('each text comes out of blocks, operations and histories equal, in both dialects and both forms of operations', async () => {
  for (const chain of chains) {
    const left = new Map(chain.corpus.accepted.map((each) => [operationHex(each.operation), each]));
    for (let number = chain.corpus.first; number <= chain.corpus.last; number++) {
      const block = chain.node.chain.block(number);
      const packed = block?.transactions ?? [];
      const operations = packed.flatMap(({ transaction }) => transaction.operations.map(operationHex));
      for (const bytes of operations) left.delete(bytes);
      for (const [method, params, member] of [
        ['block_api.get_block', { block_num: number }, 'operations'],
        ['alexandria_api.get_block', { num: number }, 'operations'],
        ['account_history_api.get_ops_in_block', { block_num: number, only_virtual: false }, 'op'],
        ['alexandria_api.get_ops_in_block', { block_num: number, only_virtual: false }, 'op'],
      ] as const) {
        const encoding = reading(chain, 'default');
        const shown = membersNamed(member, await strictResult(chain, method, params)).flatMap((found) =>
          member === 'op' ? [found] : Array.isArray(found) ? found : [],
        );
        const read = shown.map((json) => operationCodec.fromJson(json, encoding)).filter(({ kind }) => !kind.isVirtual);
        assert.deepEqual(read.map(operationHex), operations, `${method} ${number}`);
      }
      for (const method of ['get_block', 'get_ops_in_block'])
        await strictResult(chain, method, method === 'get_block' ? [number] : [number, false]);
      for (const { id } of packed) {
        const found =
          membersNamed('tx', await strictResult(chain, 'alexandria_api.get_transaction', { tx_id: id }))[0] ?? null;
        assert.ok(isJsonObject(found));
        const { transaction_id: _id, block_num: _block, transaction_num: _number, ...trx } = found;
        assert.equal(packTransaction(signedTransaction.fromJson(trx, reading(chain, 'default'))).id, id);
      }
    }
    assert.deepEqual(
      [...left.values()].map(({ kind, member, bytes }) => `${kind} ${member} ${bytes}`),
      [],
      'all of the corpus stands in blocks',
    );
  }
});

test('records of the state that hold such texts are read by our own reader', async () => {
  for (const chain of chains) {
    const start = { limit: 1000 };
    const calls: readonly [method: string, params: Json][] = [
      ['database_api.find_accounts', { accounts: ['alice', 'bob'] }],
      ['database_api.list_accounts', { ...start, start: '', order: 'by_name' }],
      ['database_api.list_witnesses', { ...start, start: '', order: 'by_name' }],
      ['database_api.find_witnesses', { owners: ['alice', 'initminer'] }],
      ['alexandria_api.get_witness', { owner_account: 'initminer' }],
      ['database_api.list_applications', { ...start, start: '', order: 'by_name' }],
      ['database_api.list_escrows', { ...start, start: ['', 0], order: 'by_from_id' }],
      [
        'custom_api.list_received_documents',
        { app_id: 1, account_name: 'bob', search_type: 'by_recipient', start: '1', count: 100 },
      ],
      ['account_history_api.get_account_history', { account: 'alice', start: -1, limit: 1000 }],
      ['account_history_api.get_account_history', { account: 'bob', start: -1, limit: 1000 }],
    ];
    for (const [method, params] of calls) await strictResult(chain, method, params);
  }
});

/** Control characters, which could steer a terminal. */
// eslint-disable-next-line no-control-regex -- that is what they are
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f]/;

test('the wallet shows each text without control characters, and its JSON is the text again', async () => {
  const terminal = { colours: false, columns: 100 };
  for (const chain of chains) {
    const encoding = reading(chain, 'legacy');
    for (let number = chain.corpus.first; number <= chain.corpus.last; number++) {
      const result = await strictResult(chain, 'get_ops_in_block', [number, false]);
      assert.doesNotMatch(escapeControls(showOperations(result, terminal)), CONTROLS);
      const printed = readJson(Buffer.from(prettyJson(result)));
      assert.deepEqual(printed, result);
      for (const op of membersNamed('op', printed)) {
        const operation = operationCodec.fromJson(op, encoding);
        assert.equal(writeJson(operationCodec.toJson(operation, encoding)), writeJson(op));
      }
    }
  }
});

test('the explorer tells each operation with the texts as pieces of their own', () => {
  for (const {
    node,
    corpus: { accepted },
  } of chains)
    for (const { kind, member, bytes, operation } of accepted) {
      const encoding: EncodingOptions = { ...node.parameters.profile, dialect: 'default', operationForm: 'pair' };
      const sentence = operationSentence(
        JSON.parse(writeJson(operationCodec.toJson(operation, encoding))) as ClientOperation,
      );
      const told = sentence.flatMap((piece) => (typeof piece === 'string' ? [piece] : []));
      for (const text of told) assert.match(text, /^[\x20-\x7e]*$/, `${kind} ${member} ${bytes}`);
      if (kind !== 'transfer') continue;
      const hex = sentence.flatMap((piece) =>
        typeof piece === 'object' && 'said' in piece ? [Buffer.from(piece.said).toString('hex')] : [],
      );
      assert.deepEqual(hex, [Buffer.from(operation.freeTexts()[0]?.text ?? '').toString('hex')]);
    }
});
