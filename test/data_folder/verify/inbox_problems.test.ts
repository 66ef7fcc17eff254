import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import { inboxes } from '../../../src/state/tables/inbox.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { encodeRow } from '../../../src/storage/row_bytes.ts';
import { View } from '../../../src/storage/view.ts';
import { openChain, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { isLong } from '../../builders/forms.ts';

const parameters = testParameters();

function storeWithDocuments(): MemoryStore {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  for (let number = 0; number < 9; number++) {
    const recipients = number % 2 === 0 ? ['bob', 'carol'] : ['carol'];
    const body = { fee: '0.010000 COIN', sender: 'alice', recipients, app_id: 1, json: String(number) };
    chain.accept(makeTransaction(chain, parameters, [['custom_json', body]], ['alice']));
    produce(chain);
  }
  return store;
}

const listProblems = (store: MemoryStore): readonly string[] => verifyStore(store, parameters, () => {}).problems;

test('inboxes that say what the messages say are intact', () => {
  assert.deepEqual(listProblems(storeWithDocuments()), []);
});

test('an inbox that is gone, or older than the messages, lacks documents', () => {
  const store = storeWithDocuments();
  const inbox = present(new View(store, 10).get(inboxes, { app_id: 1n, recipient: 'bob' }), 'an inbox');
  const { key } = encodeRow(inboxes, inbox, inbox);
  const batch = new WriteBatch();
  batch.delete(inboxes.column, key);
  store.write(batch);
  assert.deepEqual(
    listProblems(store),
    [0, 3, 6, 9, 12].map(
      (id, index) => `the inbox of bob in application 1 lacks document ${index + 1}, of message ${id}`,
    ),
  );
});

// Steps of 5 meet every bit of a byte.
test('every changed bit of an inbox is noticed', () => {
  const store = storeWithDocuments();
  const inbox = present(new View(store, 10).get(inboxes, { app_id: 1n, recipient: 'carol' }), 'an inbox');
  const { key, value } = encodeRow(inboxes, inbox, inbox);
  for (let at = 0; at < value.length * 8; at += isLong ? 1 : 5) {
    const changed = Uint8Array.from(value, (byte, index) => (index === at >> 3 ? byte ^ (1 << (at & 7)) : byte));
    const batch = new WriteBatch();
    batch.put(inboxes.column, key, changed);
    store.write(batch);
    assert.notEqual(onlyProblem(store), '', `bit ${at}`);
  }
});

/** A row may also be too damaged to be read. */
function onlyProblem(store: MemoryStore): string {
  try {
    return listProblems(store).join();
  } catch (error) {
    return String(error);
  }
}
