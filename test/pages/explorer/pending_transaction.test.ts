import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPending } from '../../../src/pages/explorer/pending_transaction.ts';

const transaction = {
  ...{ ref_block_num: 1, ref_block_prefix: 2, expiration: '2026-11-28T12:00:00', extensions: [] },
  ...{ operations: [['transfer', { from: 'alice' }]], signatures: ['00'], transaction_id: 'ab' },
};

test('a pending transaction is read, and one that is not pending any more is none', () => {
  assert.deepEqual(readPending({ status: 'pending', transaction }), { transaction });
  assert.deepEqual(readPending({ status: 'in_block', block_num: 5 }), { transaction: undefined });
});

test('an answer of another form is none', () => {
  const odd = [
    { operations: 'none' },
    { operations: [['transfer']] },
    { operations: [[1, {}]] },
    { signatures: [1] },
    { expiration: 5 },
    { transaction_id: undefined },
  ].map((members) => ({ status: 'pending', transaction: { ...transaction, ...members } }));
  for (const json of [undefined, null, 'x', [], {}, { transaction }, { status: 'pending', transaction: [] }, ...odd])
    assert.equal(readPending(json), undefined, JSON.stringify(json));
});
