import assert from 'node:assert/strict';
import { test } from 'node:test';

import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import { keyLookups, type KeyLookup } from '../../../src/state/tables/key_lookup.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { encodeRow } from '../../../src/storage/row_bytes.ts';
import { View } from '../../../src/storage/view.ts';
import { nameFromSeed } from '../../../src/values/account_name.ts';
import { testKey, testKeyText, openChain, produce, testParameters, makeTransaction } from '../../builders/chain.ts';

const zoe = nameFromSeed('zoe');

function change(store: MemoryStore, row: KeyLookup, isThere: boolean): void {
  const batch = new WriteBatch();
  const { key, value } = encodeRow(keyLookups, row, row);
  if (isThere) batch.put(keyLookups.column, key, value);
  else batch.delete(keyLookups.column, key);
  store.write(batch);
}

for (const rules of ['interface', 'lineage'] as const) {
  const parameters = testParameters({}, rules);

  /** An account that was made, one whose keys changed, and one that was deleted. */
  function storeWithChain(): MemoryStore {
    const store = new MemoryStore();
    const chain = openChain(parameters, store);
    const by = (name: string): object => ({
      weight_threshold: 1,
      account_auths: [],
      key_auths: [[testKeyText(name), 1]],
    });
    const fee = '0.000000 COIN';
    const keys = { owner: by('zoe'), active: by('bob'), memo_key: testKeyText('zoe'), json_metadata: '' };
    const steps = [
      ['account_create', { fee: '1.000000 COIN', creator: 'alice', name_seed: 'zoe', ...keys }],
      ['account_update', { fee, account: 'alice', ...keys }],
      ['account_delete', { fee, account: 'carol' }],
    ];
    const signers = ['alice', 'alice', 'carol'];
    steps.forEach((step, index) => {
      chain.accept(
        makeTransaction(chain, parameters, [JSON.parse(JSON.stringify(step))], signers.slice(index, index + 1)),
      );
      produce(chain);
    });
    return store;
  }

  const listProblems = (store: MemoryStore): readonly string[] => verifyStore(store, parameters, () => {}).problems;

  test(`${rules}: an index that followed what it follows is intact`, () => {
    const store = storeWithChain();
    const listed = new View(store, 10).rows(keyLookups, { limit: 100 }).map(({ account }) => account);
    assert.equal(listed.filter((name) => name === zoe).length, 2);
    // The lineage lists accounts of the genesis from their first update on.
    assert.equal(listed.includes('dave'), rules === 'interface');
    assert.deepEqual(listProblems(store), []);
  });

  test(`${rules}: a key that is missing is named`, () => {
    const store = storeWithChain();
    change(store, { key: testKey('bob'), account: zoe }, false);
    assert.deepEqual(listProblems(store), [`key ${testKey('bob')} of account ${zoe} is missing in the key index`]);
  });

  test(`${rules}: a key that the account does not have is named, and so is an account that does not exist`, () => {
    const store = storeWithChain();
    change(store, { key: testKey('erin'), account: zoe }, true);
    change(store, { key: testKey('erin'), account: 'nobody' }, true);
    const problem = (name: string): string =>
      `the key index says that account ${name} has key ${testKey('erin')}, which it has not`;
    assert.deepEqual(listProblems(store), [problem('nobody'), problem(zoe)].toSorted());
  });
}

test('where the index follows every operation, accounts of the genesis and deleted ones are compared as well', () => {
  const parameters = testParameters();
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  chain.accept(
    makeTransaction(chain, parameters, [['account_delete', { fee: '0.000000 COIN', account: 'carol' }]], ['carol']),
  );
  produce(chain);
  change(store, { key: testKey('carol'), account: 'carol' }, true);
  change(store, { key: testKey('dave'), account: 'dave' }, false);
  assert.deepEqual(verifyStore(store, parameters, () => {}).problems, [
    `key ${testKey('dave')} of account dave is missing in the key index`,
    `the key index says that account carol has key ${testKey('carol')}, which it has not`,
  ]);
});
