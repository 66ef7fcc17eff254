import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../src/base/refusal.ts';
import { requireWellFormed } from '../../src/client/well_formed.ts';
import { devChain } from '../../src/dev_chain/dev_chain.ts';

const [HIGH, LOW] = ['\ud83d', '\ude00'];
const halves = [HIGH, LOW, `a${HIGH}`, `${HIGH}a`, `${LOW}${HIGH}`, `😀${LOW}`];

function told(value: unknown): string | undefined {
  try {
    requireWellFormed(value);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'text_cannot_travel', String(error));
    return error.message;
  }
}

test('half of a surrogate pair is refused by member and character, wherever it stands', () => {
  for (const half of halves) {
    for (const [value, member] of [
      [half, 'the text'],
      [{ memo: half }, 'memo'],
      [{ operations: [['transfer', { memo: half }]] }, 'operations[0][1].memo'],
      [[['a', half]], '[0][1]'],
    ] as const)
      assert.ok(
        told(value)?.startsWith(`${member}: half of a surrogate pair at character `),
        `${member} ${told(value)}`,
      );
    // A name of a member is a text, too.
    assert.match(told({ to: { [half]: 1 } }) ?? '', /^to: half/);
  }
  assert.match(told({ memo: `😀b${LOW}` }) ?? '', /at character 2 /);
});

test('whole characters of any kind travel', () => {
  for (const text of ['', 'a', '😀', '\u0000', '\uffff', '\ufeff', 'e\u0301', '\u202e'])
    assert.equal(told({ memo: text, list: [text] }), undefined);
  for (const value of [undefined, null, 1, 1n, true, new Uint8Array([0xd8])]) assert.equal(told(value), undefined);
});

test('a client sends, builds and signs nothing that has one', async () => {
  await using chain = await devChain();
  const { client, accounts } = chain;
  const key = accounts['alice']?.key ?? assert.fail('alice');
  const memo = `pay${HIGH}`;
  const transfer = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo }] as const;
  const head = await chain.call('database_api.get_dynamic_global_properties', {});
  const refusal = (member: string): object => ({ code: 'text_cannot_travel', message: new RegExp(`^${member}: `) });
  await assert.rejects(client.send([transfer], [key]), refusal('operations\\[0\\]\\[1\\]\\.memo'));
  await assert.rejects(client.build([transfer]), refusal('operations\\[0\\]\\[1\\]\\.memo'));
  await assert.rejects(client.call('alexandria_api.get_account', { account_name: `a${LOW}` }), refusal('account_name'));
  const built = await client.build([['transfer', { ...transfer[1], memo: 'pay' }]]);
  const changed = { ...built, operations: [transfer] };
  await assert.rejects(client.sign(changed, [key]), refusal('operations\\[0\\]\\[1\\]\\.memo'));
  const after = await chain.call('database_api.get_dynamic_global_properties', {});
  assert.equal(after.head_block_number, head.head_block_number);
});

test('a member that is there and undefined is left out, as where it is not there, and the node names its fee', async () => {
  await using chain = await devChain();
  const body = { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: 'no fee' };
  const wanted = await chain.client.build([['transfer', body]]);
  Reflect.set(body, 'fee', undefined);
  const built = await chain.client.build([['transfer', body]]);
  assert.deepEqual(built.operations, wanted.operations);
});
