import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../../src/codec/json.ts';
import { produce, makeTransaction, transferJson } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { NodeOfMethods } from './node_of_methods.ts';

type Params = { readonly [member: string]: Json };
type Page = { readonly [member: string]: Json };
interface Entry {
  readonly block: number;
  readonly trx_in_block: number;
  readonly op_in_trx: number;
  readonly virtual_op: number;
  readonly op: readonly [string, { readonly memo?: string }];
}

const randomSource = new RandomSource(470_402);
const node = new NodeOfMethods();
for (let block = 0; block < 30; block++) {
  for (let k = randomSource.roll(6); k > 0; k--) {
    const operations = Array.from({ length: 1 + randomSource.roll(4) }, (_, n): Json =>
      anyOperation(`${block}/${k}/${n}`),
    );
    node.chain.accept(makeTransaction(node.chain, node.parameters, operations, ['dave']));
  }
  produce(node.chain);
}
// A block of several parts.
for (let k = 0; k < 40; k++) {
  const operations = Array.from({ length: 15 }, (_, n) =>
    transferJson('dave', 'erin', 1n, `${k}/${n}`.padEnd(60, '.')),
  );
  node.chain.accept(makeTransaction(node.chain, node.parameters, operations, ['dave']));
}
const large = produce(node.chain).number;
const head = node.chain.head.number;

function anyOperation(memo: string): Json {
  if (randomSource.chance(70)) return transferJson('dave', 'erin', 1n, memo);
  if (randomSource.chance(50))
    return ['custom_json', { fee: '0.010000 COIN', sender: 'dave', recipients: ['erin'], app_id: 3, json: '{}' }];
  return ['transfer_to_vesting', { fee: '0.000000 COIN', from: 'dave', to: 'erin', amount: '1.000000 COIN' }];
}

/** All pages of a call, each with the cursor of the one before. */
async function fetchPages(method: string, params: Params): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: Json = null; ;) {
    const page: Page = Object(await node.result(method, { ...params, cursor }));
    pages.push(page);
    if (page['cursor'] === null || page['cursor'] === undefined) return pages;
    assert.notDeepEqual(page['cursor'], cursor, 'the cursor moves');
    cursor = page['cursor'];
  }
}

function joinLists<T>(pages: readonly Page[], member: string): T[];
function joinLists(pages: readonly Page[], member: string): unknown[] {
  return pages.flatMap((page) => {
    const list: unknown = page[member];
    assert.ok(Array.isArray(list));
    return list;
  });
}

const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

test('the pages of a history have each entry once, in both directions and from any start', async () => {
  const [whole] = await fetchPages('account_history_api.get_account_history', { account: 'dave' });
  const all = joinLists<readonly [number, Entry]>(whole === undefined ? [] : [whole], 'history');
  for (let round = 0; round < 60; round++) {
    const [reverse_order, start] = [
      randomSource.chance(50),
      randomSource.pick([-1, randomSource.roll(all.length + 5)]),
    ];
    const goesUp = reverse_order && start !== -1;
    const limit = randomSource.roll(50) + (reverse_order ? 1 : 0);
    const filter = randomSource.pick([[], ['transfer'], ['custom_json', 'transfer_to_vesting'], ['interest']]);
    const isFiltered = filter.length > 0;
    const params = { account: 'dave', start, limit: isFiltered ? limit : Math.max(20, limit), reverse_order };
    const pages = await fetchPages(
      'account_history_api.get_account_history',
      isFiltered ? { ...params, filter } : params,
    );
    const expected = all.filter(
      ([sequence, { op }]) =>
        (!isFiltered || filter.includes(op[0])) && (start === -1 || (goesUp ? sequence >= start : sequence <= start)),
    );
    const walked = goesUp ? pages : pages.toReversed();
    assert.deepEqual(joinLists(walked, 'history'), expected, JSON.stringify({ ...params, filter }));
    const most = params.limit + (reverse_order ? 0 : 1);
    assert.ok(pages.every(({ history }) => Array.isArray(history) && history.length <= most));
  }
});

test('alexandria_api reads the same pages of a history', async () => {
  const params = { account: 'erin', start: -1, limit: 7, filter: ['transfer_to_vesting'] };
  const found = joinLists(await fetchPages('alexandria_api.get_account_history', params), 'account_history');
  assert.deepEqual(found, joinLists(await fetchPages('account_history_api.get_account_history', params), 'history'));
  assert.ok(found.length > 7);
});

test('a filter that finds little looks at a bounded number of entries, and its cursor goes on to the end', async () => {
  const many = new NodeOfMethods();
  const first = [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'dave', recipients: [], app_id: 3, json: '{"the":"only one"}' },
  ];
  many.chain.accept(makeTransaction(many.chain, many.parameters, [first], ['dave']));
  for (let block = 0; block < 6; block++) {
    for (let k = 0; k < 24; k++) {
      const operations = Array.from({ length: 60 }, (_, n) => transferJson('dave', 'erin', 1n, `${k} ${n}`));
      many.chain.accept(makeTransaction(many.chain, many.parameters, operations, ['dave']));
    }
    produce(many.chain);
  }
  const pages: Page[] = [];
  for (let cursor: Json = null, isOver = false; !isOver;) {
    const params = { account: 'dave', start: -1, limit: 100, filter: ['custom_json'], cursor };
    const page: Page = Object(await many.result('account_history_api.get_account_history', params));
    pages.push(page);
    cursor = page['cursor'] ?? null;
    isOver = cursor === null;
  }
  assert.ok(pages.length > 1, `${pages.length} pages`);
  assert.deepEqual(pages[0]?.['history'], []);
  assert.deepEqual(
    joinLists<readonly [number, Entry]>(pages, 'history').map(([sequence, { op }]) => [sequence, op[0]]),
    [[1, 'custom_json']],
  );
});

test('the pages of a block have each operation once, whatever their size and however many parts the block has', async () => {
  for (const block_num of [0, 1, 2, 10, large]) {
    for (const only_virtual of [false, true]) {
      const { ops: all } = Object(
        await node.result('account_history_api.get_ops_in_block', { block_num, only_virtual }),
      );
      for (const limit of [1, 2, 7, 100, 10_000].slice(block_num === large ? 2 : 0)) {
        const pages = await fetchPages('account_history_api.get_ops_in_block', { block_num, only_virtual, limit });
        assert.deepEqual(joinLists(pages, 'ops'), all);
        assert.ok(pages.every(({ ops }) => Array.isArray(ops) && ops.length <= limit));
      }
      const pages = await fetchPages('alexandria_api.get_ops_in_block', { block_num, only_virtual, limit: 50 });
      assert.deepEqual(joinLists(pages, 'ops_in_block'), all);
    }
  }
});

test('virtual operations of a range are those of its blocks, by kind, in pages of any size', async () => {
  const all: Entry[] = [];
  for (let block_num = 0; block_num <= head; block_num++) {
    const { ops } = Object(
      await node.result('account_history_api.get_ops_in_block', { block_num, only_virtual: true }),
    );
    all.push(...ops);
  }
  assert.ok(new Set(all.map(({ op }) => op[0])).size > 1, 'several kinds');
  for (let round = 0; round < 40; round++) {
    const [begin, end] = sorted([randomSource.roll(head + 2), randomSource.roll(head + 2)]);
    const filter = randomSource.pick([[], ['producer_reward'], ['interest', 'hardfork']]);
    const isFiltered = filter.length > 0;
    const params = { block_range_begin: begin ?? 0, block_range_end: end ?? 0, limit: 1 + randomSource.roll(20) };
    const pages = await fetchPages('account_history_api.enum_virtual_ops', isFiltered ? { ...params, filter } : params);
    const expected = all.filter(
      ({ block, op }) =>
        block >= params.block_range_begin && block < params.block_range_end && (!isFiltered || filter.includes(op[0])),
    );
    assert.deepEqual(joinLists(pages, 'ops'), expected, JSON.stringify(params));
  }
});

test('blocks of a range that do not exist yet come when they exist', async () => {
  const own = new NodeOfMethods();
  const { number } = own.chain.head;
  const params = { block_range_begin: number + 1, block_range_end: number + 3, filter: ['producer_reward'] };
  const none = Object(await own.result('account_history_api.enum_virtual_ops', params));
  assert.deepEqual(none, { ops: [], cursor: `${number + 1} 0 0 0` });
  produce(own.chain);
  const one = Object(await own.result('account_history_api.enum_virtual_ops', { ...params, cursor: none.cursor }));
  assert.deepEqual([one.ops.length, one.ops[0].block, one.cursor], [1, number + 1, `${number + 2} 0 0 0`]);
  produce(own.chain);
  const rest = Object(await own.result('account_history_api.enum_virtual_ops', { ...params, cursor: one.cursor }));
  assert.deepEqual([rest.ops.length, rest.ops[0].block, rest.cursor], [1, number + 2, null]);
});

test('a filter takes kinds by name alone, and those that the chain makes where only these are found', async () => {
  const virtual = { block_range_begin: 0, block_range_end: 1 };
  const calls: readonly (readonly [string, Json])[] = [
    ['account_history_api.enum_virtual_ops', { ...virtual, filter: ['transfer'] }],
    ['account_history_api.get_account_history', { account: 'dave', filter: ['transfers'] }],
    ['account_history_api.get_account_history', { account: 'dave', filter: [] }],
  ];
  for (const [method, params] of calls) {
    const { error } = await node.call(method, params);
    assert.match(String(error?.data?.['member']), /^filter/, JSON.stringify(params));
  }
  const { error } = await node.call('account_history_api.get_account_history', {
    account: 'dave',
    filter: ['transfr'],
  });
  assert.match(error?.message ?? '', /did you mean transfer\?/);
});

test('a range of blocks has the blocks as get_block shows them, and says from where to go on', async () => {
  const blocks: unknown[] = [];
  for (let block_num = 1; block_num <= head; block_num++)
    blocks.push(await node.result('block_api.get_block', { block_num }));
  for (const [starting_block_num, count] of [
    [1, 1],
    [0, 3],
    [3, 5],
    [1, 1000],
    [head, 10],
    [head + 1, 10],
    [4_000_000_000, 1],
  ] as const) {
    const first = Math.max(1, starting_block_num);
    const expected = blocks.slice(first - 1, first - 1 + count);
    const result = await node.result('block_api.get_block_range', { starting_block_num, count });
    assert.deepEqual(result, { blocks: expected, cursor: first + expected.length });
  }
  for (const count of [0, 1001]) {
    const { error } = await node.call('block_api.get_block_range', { starting_block_num: 1, count });
    assert.equal(error?.data?.['member'], 'count');
  }
});

test('a range of blocks ends before it has too many bytes, but has one block at least', async () => {
  const own = new NodeOfMethods();
  const first = own.chain.head.number + 1;
  const sizes: number[] = [];
  for (let block = 0; block < 12; block++) {
    for (let k = 0; k < 30; k++) {
      const document = {
        fee: '0.100000 COIN',
        sender: 'dave',
        recipients: [],
        app_id: 3,
        json: JSON.stringify('x'.repeat(7000) + block + k),
      };
      own.chain.accept(makeTransaction(own.chain, own.parameters, [['custom_json', document]], ['dave']));
    }
    sizes.push(produce(own.chain).packed.length);
  }
  const starts: number[] = [];
  let start = first;
  while (start < first + sizes.length) {
    starts.push(start);
    const { blocks, cursor } = Object(
      await own.result('block_api.get_block_range', { starting_block_num: start, count: 1000 }),
    );
    assert.equal(cursor, start + blocks.length);
    start = cursor;
  }
  assert.ok(starts.length > 1, `${starts.length} calls`);
  for (const [k, begin] of starts.entries()) {
    const end = starts[k + 1] ?? first + sizes.length;
    const bytes = sizes.slice(begin - first, end - first).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= 1024 * 1024 || end === begin + 1);
  }
});
