import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import {
  blockRow,
  findPart,
  storeBlock,
  storedBlock,
  storeGenesis,
  partTransaction,
} from '../../src/state/stored_blocks.ts';
import { OUTSIDE_TRANSACTIONS, type VirtualOperationRecord } from '../../src/state/tables/block_part.ts';
import { tables } from '../../src/state/tables/index.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { sha256Binary } from '../../src/crypto/hashes.ts';

const NOTHING = { timeBefore: 7, sponsored: [], virtualOperations: [] };
const HEAD = Buffer.from('a signed header');

/** A store with blocks whose transactions have these sizes, each beginning with its index. */
function stored(
  ...blocks: {
    readonly sizes: readonly number[];
    readonly sponsored?: readonly number[];
    readonly events?: readonly number[];
  }[]
): View {
  const store = new MemoryStore();
  const rows = new UndoSessions({ committed: store, register: tables, sha256: sha256Binary, cachedBytes: 10_000 });
  rows.beginBlock();
  storeGenesis(rows, NOTHING);
  for (const [index, { sizes, sponsored = [], events = [] }] of blocks.entries()) {
    const transactions = sizes.map((size, n) => ({ packed: Buffer.alloc(size, n) }));
    const packed = Buffer.concat([HEAD, ...transactions.map((transaction) => transaction.packed)]);
    storeBlock(
      rows,
      { number: index + 1, id: 'ab'.repeat(20), packed, transactions },
      {
        timeBefore: 7,
        sponsored: sponsored.map((trx_in_block) => ({ trx_in_block, op_in_trx: 0, fee_payer: 'alice' })),
        virtualOperations: events.map(event),
      },
    );
  }
  store.write(rows.seal().batch);
  return new View(store, 10);
}

function event(trx_in_block: number): VirtualOperationRecord {
  return { trx_in_block, op_in_trx: 0, virtual_op: 1, timestamp: 7, packed: Uint8Array.of(1, 2) };
}

test('a block comes out of its parts as it went in, and each transaction is found in one of them', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 40 }), (sizes) => {
      const view = stored({
        sizes,
        sponsored: sizes.map((_, n) => n),
        events: [...sizes.map((_, n) => n), OUTSIDE_TRANSACTIONS],
      });
      const expected = Buffer.concat([HEAD, ...sizes.map((size, n) => Buffer.alloc(size, n))]);
      assert.deepEqual(Buffer.from(present(storedBlock(view, 1), 'the block').packed), expected);
      const row = present(blockRow(view, 1), 'the row');
      for (const [n, size] of sizes.entries()) {
        const part = present(findPart(view, row, n), 'a part');
        assert.deepEqual(Buffer.from(partTransaction(part, n)), Buffer.alloc(size, n));
        assert(part.sponsored.some(({ trx_in_block }) => trx_in_block === n));
        assert(part.virtual_operations.some(({ trx_in_block }) => trx_in_block === n));
      }
      assert(row.virtual_operations.some(({ trx_in_block }) => trx_in_block === OUTSIDE_TRANSACTIONS));
      assert.equal(findPart(view, row, sizes.length), undefined);
    }),
    { numRuns: 30 },
  );
});

test('however large a block is, a transaction is read with at most some 16 KiB of others', () => {
  const view = stored({
    sizes: Array.from({ length: 5000 }, () => 200),
    sponsored: Array.from({ length: 5000 }, (_, n) => n),
  });
  const row = present(blockRow(view, 1), 'the row');
  assert(row.further_parts.length > 50);
  for (const n of [0, 81, 82, 83, 2500, 4999]) {
    const part = present(findPart(view, row, n), 'a part');
    assert(part.packed.length <= 16 * 1024 + 200);
    assert.equal(part.sponsored.length, part.ends.length);
  }
});

test('a small block is a single row', () => {
  const row = present(blockRow(stored({ sizes: [100, 200] }), 1), 'the row');
  assert.deepEqual(row.further_parts, []);
  assert.deepEqual(row.ends, [100, 300]);
});

test('each block knows how many bytes came before it; block 0 is none', () => {
  const view = stored({ sizes: [] }, { sizes: [20_000, 30_000, 7] }, { sizes: [] });
  const before = [1, 2, 3].map((number) => blockRow(view, number)?.bytes_before);
  assert.deepEqual(before, [0n, BigInt(HEAD.length), BigInt(2 * HEAD.length + 50_007)]);
  assert.equal(blockRow(view, 0), undefined);
  assert.equal(storedBlock(view, 0), undefined);
  assert.equal(storedBlock(view, 4), undefined);
});
