import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { provenAnswer } from '../../../src/client/verified/proven_answer.ts';
import { VerifiedClient } from '../../../src/client/verified/verified_client.ts';
import type { Json } from '../../../src/codec/json.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { makeWorlds, type Members } from './lies.ts';
import { makeConnection, LyingNode } from './lying_node.ts';

// Answers of ordinary methods, beside what is proven.

const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const node = new LyingNode(worlds);
const checkpoint = present(parseCheckpoint(node.checkpoint), 'a checkpoint');
const nodes = [{ url: 'here', connection: makeConnection(node) }];
const client = new VerifiedClient({ checkpoint, nodes, clock: new HandClock(Date.now()), keyPrefix: 'PHR' });
const words = { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' };
const id = present(worlds.honest.block(77).transactions[1], 'a transaction').id;

const proven = async (method: string, params: Json, answer: Json): Promise<Json> =>
  await provenAnswer(client, { method, params, answer, words });

/** The params of each method, and the changes that a liar may make to its record. */
const asked: readonly (readonly [method: string, params: Members, record: string, changes: readonly Members[]])[] = [
  [
    'alexandria_api.get_transaction',
    { tx_id: id },
    'tx',
    [{ block_num: 76 }, { transaction_id: '1'.repeat(40) }, { expiration: '2026-01-01T00:00:00' }, { signatures: [] }],
  ],
  ['account_history_api.get_transaction', { id }, '', [{ ref_block_num: 7 }, { operations: [] }]],
  ['transaction_status_api.find_transaction', { transaction_id: id }, '', [{ block_num: 7 }]],
  [
    'alexandria_api.get_block',
    { num: 77 },
    'block',
    [{ witness: 'mallory' }, { transactions: [] }, { transaction_ids: [] }, { block_id: '2'.repeat(40) }],
  ],
  [
    'block_api.get_block',
    { block_num: 76 },
    '',
    [{ timestamp: '2026-01-01T00:00:00' }, { witness_signature: '20'.padEnd(130, '8') }],
  ],
  [
    'block_api.get_block_header',
    { block_num: 7 },
    '',
    [{ previous: '00000006'.padEnd(40, '3') }, { extensions: [[1, '9.9.9']] }],
  ],
];

test('what a node answers is taken where the proof says the same, without what is not proven', async () => {
  for (const [method, params, within] of asked) {
    const answer = present(node.answer(method, params), method);
    const shown = await proven(method, params, answer);
    const [record, before] = [shown, answer].map((json): Members =>
      within === '' ? Object(json) : Object(json)[within],
    );
    const unproven = new Set(['transaction_num', 'signing_key']);
    assert.deepEqual(
      record,
      Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => !unproven.has(name))),
      method,
    );
  }
});

test('whatever a node changes in an answer is refused', async () => {
  for (const [method, params, within, changes] of asked) {
    for (const change of changes) {
      const answer: Members = Object(node.answer(method, params));
      const record: Members = within === '' ? answer : Object(answer[within]);
      const changed = { ...record, ...change };
      const call = proven(method, params, within === '' ? changed : { [within]: changed });
      await assert.rejects(call, { code: 'answer_not_proven' }, `${method} ${JSON.stringify(change)}`);
    }
  }
});

test('what nothing proves is refused: balances, and that something is not there', async () => {
  await assert.rejects(proven('alexandria_api.get_account', {}, { account: [] }), { code: 'nothing_proves' });
  await assert.rejects(proven('toString', {}, null), { code: 'nothing_proves' });
  await assert.rejects(proven('block_api.get_block', { block_num: 900 }, null), { code: 'absence_not_proven' });
  const pending = { status: 'pending' };
  await assert.rejects(proven('transaction_status_api.find_transaction', { transaction_id: id }, pending), {
    code: 'absence_not_proven',
  });
});
