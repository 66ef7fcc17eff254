import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortIdPage } from '../../src/rpc/short_ids.ts';
import { makeTransaction, openChain, produce, testParameters } from '../builders/chain.ts';

test('a transaction of the chain is found by eight digits or more of its id, and no other is', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  const page = shortIdPage(chain.committed);
  const find = (digits: string): readonly string[] => JSON.parse(String(page(digits).body)).ids;
  const ids: string[] = [];
  for (const memo of ['a', 'b', 'c']) {
    const body = { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo };
    const sent = makeTransaction(chain, parameters, [['transfer', body]], ['alice']);
    chain.accept(sent);
    ids.push(sent.id);
    assert.deepEqual(find(sent.id.slice(0, 8)), [], 'a pending one is not of the chain yet');
    produce(chain);
  }
  for (const id of ids) {
    assert.deepEqual(find(id.slice(0, 8)), [id]);
    assert.deepEqual(find(id.slice(0, 39)), [id]);
  }
  const [first = ''] = ids;
  assert.deepEqual(find(`${first.slice(0, 8)}${first[8] === '0' ? '1' : '0'}`), []);
});
