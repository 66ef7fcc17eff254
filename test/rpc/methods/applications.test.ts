import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../../src/codec/json.ts';
import { produce, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();

function apply(signer: string, kind: string, body: { [member: string]: Json }): void {
  const operation: Json = [kind, { fee: '0.010000 COIN', author: signer, url: 'u', metadata: '', ...body }];
  node.chain.accept(makeTransaction(node.chain, node.parameters, [operation], [signer]));
  produce(node.chain);
}

const create = (author: string, name: string): void => apply(author, 'application_create', { name, price_param: 0 });
const handOver = (author: string, name: string, new_author: string): void =>
  apply(author, 'application_update', { name, new_author });

/** As `author:name`, of dave and erin alone. */
async function listed(start: string, order: string, limit = 10): Promise<string[]> {
  const { applications } = Object(await node.result('database_api.list_applications', { start, limit, order }));
  assert.ok(Array.isArray(applications));
  return applications.map(({ author, name }) => `${author}:${name}`).filter((text) => /^(dave|erin):/.test(text));
}

for (const name of ['one', 'two', 'z']) create('dave', name);
for (const name of ['three', 'four']) create('erin', name);

test('applications of one author are listed in the order in which they were created', async () => {
  assert.deepEqual(await listed('dave', 'by_author'), ['dave:one', 'dave:two', 'dave:z', 'erin:three', 'erin:four']);
  assert.deepEqual(await listed('erin', 'by_author'), ['erin:three', 'erin:four']);
  assert.deepEqual(await listed('erin', 'by_author_reverse'), [
    'erin:four',
    'erin:three',
    'dave:z',
    'dave:two',
    'dave:one',
  ]);
  assert.deepEqual(await listed('erin', 'by_author_reverse', 3), ['erin:four', 'erin:three', 'dave:z']);
  assert.deepEqual(await listed('dora', 'by_author', 1), ['erin:three']);
});

test('an application that came from another author stands behind those that were there before, and a change of anything else moves none', async () => {
  handOver('dave', 'one', 'erin');
  handOver('dave', 'z', 'dave');
  apply('erin', 'application_update', { name: 'three', url: 'another' });
  assert.deepEqual(await listed('dave', 'by_author'), ['dave:two', 'dave:z', 'erin:three', 'erin:four', 'erin:one']);
  create('erin', 'five');
  handOver('erin', 'one', 'dave');
  handOver('dave', 'two', 'erin');
  assert.deepEqual(await listed('dave', 'by_author'), [
    'dave:z',
    'dave:one',
    'erin:three',
    'erin:four',
    'erin:five',
    'erin:two',
  ]);
  assert.deepEqual(await listed('erin', 'by_author_reverse', 2), ['erin:two', 'erin:five']);
});

test('looking up a name that can be none of an application is refused with its character', async () => {
  const lookups: readonly [string, Json][] = [
    ['alexandria_api.get_applications', { names: ['my shop'] }],
    ['database_api.list_applications', { start: 'my shop', limit: 1, order: 'by_name' }],
  ];
  for (const [method, params] of lookups) {
    const { error } = await node.call(method, params);
    assert.match(error?.message ?? '', /"my shop" is no name of an application: character 3 is " "/, method);
  }
  const search = { name: 'my shop', search_type: 'by_app_id', count: 1 };
  assert.deepEqual(await node.result('alexandria_api.get_application_buyings', search), {
    application_buyings: [],
    cursor: null,
  });
});

test('all buyings are read page by page, several of a block among them, by buyer, by application and all of them', async () => {
  const id = async (name: string): Promise<number> =>
    Object(await node.result('alexandria_api.get_applications', { names: [name] })).applications[0].id;
  const names = ['s1', 's2', 's3', 's4', 's5'];
  for (const name of names) create('erin', name);
  const ids = await Promise.all(names.map(id));
  for (const buyer of ['alice', 'carol']) {
    const operations = ids.map((app_id): Json => ['buy_application', { fee: '0.010000 COIN', buyer, app_id }]);
    node.chain.accept(makeTransaction(node.chain, node.parameters, operations, [buyer]));
  }
  produce(node.chain);
  const [app = 0] = ids;
  for (const size of [1, 2, 3, 100]) {
    const find = async (search: { [member: string]: Json }): Promise<string[]> =>
      await pages('alexandria_api.get_application_buyings', { ...search, count: size });
    const walk = async (search: { [member: string]: Json }): Promise<string[]> =>
      await pages('database_api.get_application_buyings', { ...search, limit: size });
    const carols = ids.map((bought) => `carol ${bought}`).toReversed();
    assert.deepEqual(await find({ name: 'carol', search_type: 'by_buyer' }), carols);
    assert.deepEqual(await walk({ start: 'carol', search_type: 'by_buyer' }), carols);
    assert.deepEqual(await find({ name: 's1', search_type: 'by_app_id' }), [`carol ${app}`, `alice ${app}`]);
    assert.deepEqual(await walk({ start: app, search_type: 'by_app_id' }), [`carol ${app}`, `alice ${app}`]);
    const everyone = ['alice', 'bob', 'carol'].flatMap((buyer) =>
      buyer === 'bob' ? ['bob 0'] : ids.map((bought) => `${buyer} ${bought}`),
    );
    assert.deepEqual(await walk({ search_type: 'by_buyer' }), everyone);
    const byApplication = everyone.toSorted(
      (a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]) || (a < b ? -1 : 1),
    );
    assert.deepEqual(await walk({ search_type: 'by_app_id' }), byApplication);
  }
});

test('a cursor that no page has said is refused by its name', async () => {
  for (const cursor of ['', 'alice', '1', 'alice 18446744073709551616', 'a b 1', 'x'.repeat(33) + ' 1']) {
    const { error } = await node.call('database_api.get_application_buyings', {
      limit: 1,
      search_type: 'by_buyer',
      cursor,
    });
    assert.equal(error?.data?.['member'], 'cursor', cursor);
  }
  const { error } = await node.call('database_api.get_application_buyings', {
    limit: 1,
    search_type: 'by_app_id',
    cursor: 'alice 1',
  });
  assert.equal(error?.data?.['member'], 'cursor');
});

/** `buyer application` of all buyings, read by the cursor, each page as long as it was wanted but for the last. */
async function pages(method: string, params: { [member: string]: Json }): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: Json = null; ;) {
    const page: { application_buyings: { buyer: string; app_id: number }[]; cursor: Json } = Object(
      await node.result(method, { ...params, cursor }),
    );
    found.push(...page.application_buyings.map(({ buyer, app_id }) => `${buyer} ${app_id}`));
    if (page.cursor === null) return found;
    assert.equal(page.application_buyings.length, params['count'] ?? params['limit']);
    cursor = page.cursor;
  }
}
