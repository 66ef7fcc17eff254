import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { sha256Binary } from '../../../src/crypto/hashes.ts';
import { CommittedChain } from '../../../src/node/network/committed_chain.ts';
import { ownStatus } from '../../../src/p2p/peers/own_hello.ts';
import { RECENT_BLOCKS } from '../../../src/state/block_ids.ts';
import { dynamicGlobalProperties } from '../../../src/state/tables/dynamic_global_property.ts';
import { tables } from '../../../src/state/tables/index.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { UndoSessions } from '../../../src/storage/undo_session.ts';
import { View } from '../../../src/storage/view.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';

const parameters = testParameters({ finality: true, max_witnesses: 4, max_voted_witnesses: 4 });

/** Moves the head of the state, as if that many blocks had followed. */
function raiseHead(store: MemoryStore, blocks: number): void {
  const rows = new UndoSessions({ committed: store, register: tables, sha256: sha256Binary, cachedBytes: 100_000 });
  const head = rows.only(dynamicGlobalProperties);
  rows.beginBlock();
  rows.put(dynamicGlobalProperties, { ...head, head_block_number: head.head_block_number + blocks });
  store.write(rows.seal({ undo: false }).batch);
}

test('peers are told the id of the irreversible block after its row is gone, however old it is', () => {
  const [maker, store] = [openChain(parameters), new MemoryStore()];
  const chain = openChain(parameters, store, new Map(), 1);
  for (let number = 1; number <= 10; number++) chain.replay([produce(maker)], { signatures: true });
  const { id } = present(maker.block(8), 'the end of an epoch');
  assert.equal(chain.block(8), undefined);
  chain.finalise(id);
  for (const blocks of [0, RECENT_BLOCKS]) {
    raiseHead(store, blocks);
    const rows = new View(store, 100);
    const status = ownStatus({ view: new CommittedChain({ parameters, rows, store, ownsTime: false }) });
    assert.deepEqual([status.irreversible_number, status.irreversible_id], [8, id]);
  }
});
