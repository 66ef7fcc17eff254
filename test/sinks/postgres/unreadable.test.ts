import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../src/base/fault.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { SourceBlock, SourceOperation } from '../../../src/sinks/chain_source.ts';
import type { EventRecord, OperationRecord } from '../../../src/sinks/event_schema.ts';
import { readBlock } from '../../../src/sinks/postgres/block_rows.ts';
import { CopyText } from '../../../src/sinks/postgres/copy_text.ts';
import { StreamBlocks } from '../../../src/sinks/stream_blocks.ts';
import { UnreadableRecord } from '../../../src/sinks/unreadable_record.ts';
import { ZERO_HASH160 } from '../../../src/values/hash.ts';
import { encoding } from '../../builders/chain.ts';
import { refusedRow } from '../../../src/sinks/postgres/chain_store.ts';

// What can't be indexed is named with block and operation, wherever it is met.

function catchUnreadable(run: () => unknown): UnreadableRecord {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof UnreadableRecord, String(error));
    return error;
  }
  return assert.fail('it was read');
}

const head = {
  number: 7,
  id: ZERO_HASH160,
  previous: ZERO_HASH160,
  timestamp: '2026-01-01T00:00:00',
  witness: 'alice',
  transaction_count: 2,
};
const place = {
  trx_id: ZERO_HASH160,
  trx_in_block: 1,
  op_in_trx: 0,
  virtual_op: 0,
  timestamp: '2026-01-01T00:00:00',
  fee_payer: 'alice',
};

function makeBlock(kind: string, body: Json): SourceBlock {
  const operation: SourceOperation = { ...place, kind, body };
  return { ...head, operations: [operation] };
}

test('an operation that this program does not know, and one with a member that is not as it should be, are named', () => {
  const unknown = catchUnreadable(() => readBlock(makeBlock('of_a_later_version', {}), encoding));
  assert.match(
    unknown.message,
    /^block 7, transaction 1, operation 0, op_in_block 0 \(of_a_later_version\): this program knows no such operation/,
  );
  const body = { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: 'much', memo: '' };
  const wrong = catchUnreadable(() => readBlock(makeBlock('transfer', body), encoding));
  assert.match(wrong.message, /^block 7, transaction 1, operation 0, op_in_block 0 \(transfer\), amount: /);
  assert.equal(wrong.place.member, 'amount');
});

test('a value of a stream that is no JSON is named', () => {
  const { trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, fee_payer } = place;
  const at = { trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, fee_payer };
  const operation: OperationRecord = {
    ...at,
    kind: 'transfer',
    accounts: ['alice'],
    value: '{"memo":',
    continued: false,
  };
  const record: EventRecord = {
    Block: { ...head, missed_slots: 0, part: 0, is_last_part: true, operations: [operation] },
  };
  const { message } = catchUnreadable(() => new StreamBlocks().take(record));
  assert.match(message, /^block 7, transaction 1, operation 0, op_in_block 0 \(transfer\), value: /);
});

test('a row that PostgreSQL refuses is named by its line, and an error that is about no row is not', () => {
  const rows = new CopyText();
  rows.add(5, 0, 'first\nline');
  rows.add(6, 3, 'second');
  const history = new CopyText();
  history.add('alice', 6, 3, 1n);
  const refusal = (code: string, where: string): Fault =>
    new Fault('runtime', 'PostgreSQL refuses rows', { code, where });
  const errorPlace = (error: unknown, table: string, text: CopyText): unknown =>
    refusedRow(error, table, text.bytes)?.place;
  assert.deepEqual(errorPlace(refusal('23514', 'COPY transfers, line 2'), 'transfers', rows), {
    block: 6,
    op_in_block: 3,
    member: 'transfers',
  });
  assert.deepEqual(errorPlace(refusal('22P02', 'COPY operations, line 1, column body: "x"'), 'operations', rows), {
    ...{ block: 5, op_in_block: 0, member: 'operations.body' },
  });
  const where = 'PL/pgSQL function no() line 1 at RAISE\nCOPY account_history, line 1';
  assert.deepEqual(errorPlace(refusal('P0001', where), 'account_history', history), {
    block: 6,
    op_in_block: 3,
    member: 'account_history',
  });
  assert.deepEqual(errorPlace(refusal('23505', 'COPY blocks, line 2'), 'blocks', rows), { block: 6, member: 'blocks' });
  assert.equal(errorPlace(refusal('42P01', 'COPY blocks, line 1'), 'blocks', rows), undefined);
  assert.equal(errorPlace(refusal('23514', ''), 'blocks', rows), undefined);
  assert.equal(errorPlace(new Error('another'), 'blocks', rows), undefined);
});
