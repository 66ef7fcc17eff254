import assert from 'node:assert/strict';
import { test } from 'node:test';

import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import {
  boundaryCertificateKey,
  HEAD_COLUMN,
  headKey,
  rangeNodesKey,
  readHead,
  encodeHead,
  votersKey,
} from '../../../src/state/head_record.ts';
import { present } from '../../../src/base/assert.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { finalise } from '../../builders/certificates.ts';
import { copyStore } from '../../builders/copied_store.ts';
import { growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';

const parameters = partedParameters({ finality: true });

/** A chain with some blocks above the last final one. */
function sound() {
  const store = new MemoryStore();
  const { here } = partedChains(parameters, store);
  growSide(here, [...HERE, ...THERE], 9);
  finalise(here, parameters, here.head.number - 2);
  return { store, chain: here };
}

function listProblems(store: MemoryStore, change: (batch: WriteBatch) => void): readonly string[] {
  const damaged = copyStore(store);
  const batch = new WriteBatch();
  change(batch);
  damaged.write(batch);
  return verifyStore(damaged, parameters, () => undefined).problems;
}

test('a folder with finality has no problems, whatever of it is final', () => {
  const { store, chain } = sound();
  assert.deepEqual(
    listProblems(store, () => undefined),
    [],
  );
  finalise(chain, parameters, chain.head.number);
  assert.deepEqual(
    listProblems(store, () => undefined),
    [],
  );
});

test('the end of an epoch is final by a checkpoint, too, where no certificate proves it', () => {
  const { store, chain } = sound();
  const boundary = 4 * Math.trunc(chain.head.lastIrreversible / 4 + 1);
  growSide(chain, [...HERE, ...THERE], Math.max(0, boundary - chain.head.number));
  chain.finalise(present(chain.voted.getAncestor(chain.voted.head.id, boundary), 'the end of an epoch'));
  assert.equal(chain.head.lastIrreversible, boundary);
  assert.deepEqual(
    listProblems(store, () => undefined),
    [],
  );
});

test('verify finds voters and headers that are not recorded, or are others, and certificates of other blocks', () => {
  const { store, chain } = sound();
  const { number, lastIrreversible } = chain.head;
  const epoch = Math.trunc(number / 4);
  const record = present(readHead(store), 'a head');
  const damages: readonly [(batch: WriteBatch) => void, RegExp][] = [
    [
      (batch) => batch.delete(HEAD_COLUMN, votersKey(4 * epoch)),
      new RegExp(`^the voters of epoch ${epoch} are not recorded$`),
    ],
    [
      (batch) => batch.delete(HEAD_COLUMN, rangeNodesKey(5)),
      /^the range of headers has other nodes for block 5 than its header$/,
    ],
    [(batch) => batch.put(HEAD_COLUMN, rangeNodesKey(5), new Uint8Array(32)), /block 5 than its header$/],
    [
      (batch) =>
        batch.put(HEAD_COLUMN, headKey(), encodeHead({ ...record, irreversible_certificate: new Uint8Array(0) })),
      /is recorded as the last irreversible one, without a certificate$/,
    ],
    [
      (batch) =>
        batch.put(HEAD_COLUMN, headKey(), encodeHead({ ...record, irreversible_certificate: Uint8Array.of(1, 2, 3) })),
      /without a certificate$/,
    ],
    [
      (batch) =>
        batch.put(HEAD_COLUMN, headKey(), encodeHead({ ...record, irreversible_number: lastIrreversible - 1 })),
      new RegExp(`^the certificate of block ${lastIrreversible - 1} is for `),
    ],
    [
      (batch) => batch.put(HEAD_COLUMN, headKey(), encodeHead({ ...record, irreversible_number: number + 1 })),
      /is recorded as the last irreversible one, which is none of blocks 0 to /,
    ],
  ];
  for (const [damage, problem] of damages) {
    const [found = ''] = listProblems(store, damage);
    assert.match(found, problem);
  }
  // Old certificates are for others: a node goes on without them.
  assert.deepEqual(
    listProblems(store, (batch) => batch.delete(HEAD_COLUMN, boundaryCertificateKey(4))),
    [],
  );
});
