import assert from 'node:assert/strict';
import { test } from 'node:test';
import { produce, makeTransaction, transferJson } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

interface Entry {
  readonly trx_id: string;
  readonly block: number;
  readonly trx_in_block: number;
  readonly op_in_trx: number;
  readonly virtual_op: number;
  readonly timestamp: string;
  readonly op: readonly [string, Record<string, unknown>];
  readonly fee_payer: string;
}
type Numbered = readonly (readonly [number, Entry])[];

const node = new NodeOfMethods();
for (let n = 1; n <= 10; n++) {
  node.chain.accept(
    makeTransaction(
      node.chain,
      node.parameters,
      [transferJson('dave', 'erin', 1n, `a${n}`), transferJson('dave', 'erin', 1n, `b${n}`)],
      ['dave'],
    ),
  );
  produce(node.chain);
}

async function history(params: { [member: string]: string | number | boolean }): Promise<Numbered> {
  const { history: entries } = Object(
    await node.result('account_history_api.get_account_history', { account: 'erin', ...params }),
  );
  return entries;
}

const numbers = (entries: Numbered): number[] => entries.map(([number]) => number);
const numberRange = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, k) => first + k);

test('a history is numbered from 0 and shows every operation once, in its order', async () => {
  const entries = await history({});
  assert.deepEqual(numbers(entries), numberRange(0, 19));
  assert.deepEqual(
    entries.map(([, { op }]) => op[1]['memo']),
    numberRange(1, 10).flatMap((n) => [`a${n}`, `b${n}`]),
  );
  assert.deepEqual(
    entries.slice(0, 2).map(([, { op_in_trx, virtual_op }]) => [op_in_trx, virtual_op]),
    [
      [0, 0],
      [1, 0],
    ],
  );
});

test('start and limit select from start − limit to start; −1 is the newest', async () => {
  assert.deepEqual(numbers(await history({ start: -1, limit: 3 })), numberRange(16, 19));
  assert.deepEqual(numbers(await history({ start: 0xffff_ffff, limit: 3 })), numberRange(16, 19));
  assert.deepEqual(numbers(await history({ start: 5, limit: 3 })), numberRange(2, 5));
  assert.deepEqual(numbers(await history({ start: 2, limit: 10 })), numberRange(0, 2));
  assert.deepEqual(numbers(await history({ start: 5, limit: 0 })), [5]);
  const { account_history } = Object(
    await node.result('alexandria_api.get_account_history', { account: 'erin', start: 5, limit: 3 }),
  );
  assert.deepEqual(numbers(account_history), numberRange(2, 5));
});

test('with reverse_order the page goes up from start', async () => {
  assert.deepEqual(numbers(await history({ start: 5, limit: 3, reverse_order: true })), numberRange(5, 7));
  assert.deepEqual(numbers(await history({ start: -1, limit: 3, reverse_order: true })), numberRange(17, 19));
  assert.deepEqual(numbers(await history({ start: 19, limit: 3, reverse_order: true })), [19]);
  assert.deepEqual(numbers(await history({ start: 20, limit: 3, reverse_order: true })), []);
});

test('an account without history has none, and a page has its limit', async () => {
  assert.deepEqual(await history({ account: 'nobody-here' }), []);
  const { error } = await node.call('account_history_api.get_account_history', { account: 'erin', limit: 10_001 });
  assert.equal(error?.message, 'at most 10000 at once, got 10001; ask for the rest in further calls');
  assert.equal(
    error.data?.['lineage'],
    'Assert Exception:args.limit <= 10000: limit of 10001 is greater than maxmimum allowed',
  );
});

test('an entry names the transaction, the time of the block before, and who paid', async () => {
  const { history: carols } = Object(
    await node.result('account_history_api.get_account_history', { account: 'carol' }),
  );
  const [, sponsored] = carols.find(([, { op }]: readonly [number, Entry]) => op[1]['memo'] === 'sponsored');
  assert.equal(sponsored.fee_payer, 'alice');
  assert.equal(sponsored.timestamp, '2026-01-01T00:00:09');
  const { tx } = Object(await node.result('alexandria_api.get_transaction', { tx_id: sponsored.trx_id }));
  assert.equal(tx.block_num, sponsored.block);
  assert.deepEqual(tx.operations[sponsored.op_in_trx], sponsored.op);
});

test('a block shows what the chain did by itself behind what it was told', async () => {
  const { ops } = Object(await node.result('account_history_api.get_ops_in_block', { block_num: 1 }));
  const names = ops.map(({ op }: Entry) => op[0]);
  assert.equal(names[0], 'transfer');
  assert.equal(names.at(-1), 'producer_reward');
  const { ops_in_block } = Object(
    await node.result('alexandria_api.get_ops_in_block', { block_num: 1, only_virtual: true }),
  );
  assert.deepEqual(
    ops_in_block.map(({ op }: Entry) => op[0]),
    ['producer_reward'],
  );
  assert.equal(ops_in_block[0].trx_id, '0'.repeat(40));
  assert.equal(ops_in_block[0].fee_payer, '');
});

test('what does not exist is null, nothing, or refused by name', async () => {
  assert.equal(await node.result('block_api.get_block', { block_num: 4_000_000_000 }), null);
  assert.equal(await node.result('block_api.get_block_header', { block_num: 0 }), null);
  assert.deepEqual(await node.result('alexandria_api.get_block', { num: 999 }), {});
  assert.deepEqual(await node.result('alexandria_api.get_witness', { owner_account: 'nobody-here' }), {});
  assert.equal(
    (await node.call('account_history_api.get_ops_in_block', { block_num: 999 })).error?.data?.['name'],
    'unknown_block',
  );
  const { error } = await node.call('alexandria_api.get_transaction', { tx_id: '1'.repeat(40) });
  assert.equal(error?.message, `no block of this chain holds a transaction with the id ${'1'.repeat(40)}`);
  assert.equal(error.data?.['lineage'], `Assert Exception:false: Unknown Transaction ${'1'.repeat(40)}`);
});

test('a block shows its id, who signed it and the ids of its transactions', async () => {
  const { block } = Object(await node.result('alexandria_api.get_block', { num: 1 }));
  const header = Object(await node.result('block_api.get_block_header', { block_num: 2 }));
  assert.equal(header.previous, block.block_id);
  const { witness } = Object(await node.result('alexandria_api.get_witness', { owner_account: block.witness }));
  assert.equal(block.signing_key, witness.signing_key);
  const { tx_id } = Object(await node.result('alexandria_api.get_transaction_id', { tx: block.transactions[0] }));
  assert.deepEqual(block.transaction_ids, [tx_id]);
});

test('out of a block of many parts come the transaction and the entry that were asked for', async () => {
  const memo = (transaction: number, operation: number): string => `${transaction}/${operation}`.padEnd(60, '.');
  const sent = Array.from({ length: 30 }, (_, transaction) => {
    const operations = Array.from({ length: 20 }, (__, operation) =>
      transferJson('carol', 'erin', 1n, memo(transaction, operation)),
    );
    return makeTransaction(node.chain, node.parameters, operations, ['carol']);
  });
  for (const transaction of sent) node.chain.accept(transaction);
  const { number, packed } = produce(node.chain);
  assert(packed.length > 3 * 16 * 1024);
  const memos = (await history({ account: 'carol', start: -1, limit: 599 })).map(([, { op }]) => op[1]['memo']);
  assert.deepEqual(
    memos,
    sent.flatMap((_, transaction) => Array.from({ length: 20 }, (__, operation) => memo(transaction, operation))),
  );
  const { tx } = Object(await node.result('alexandria_api.get_transaction', { tx_id: sent[17]?.id ?? '' }));
  assert.deepEqual([tx.block_num, tx.transaction_num, tx.operations[3][1].memo], [number, 17, memo(17, 3)]);
  const { block } = Object(await node.result('alexandria_api.get_block', { num: number }));
  assert.deepEqual(
    block.transaction_ids,
    sent.map(({ id }) => id),
  );
});
