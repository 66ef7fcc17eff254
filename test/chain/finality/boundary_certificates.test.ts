import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chain } from '../../../src/chain/chain.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { openChain, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { finalise } from '../../builders/certificates.ts';
import {
  growSide,
  HERE,
  partedChains,
  partedParameters,
  THERE,
  witnessUpdate,
} from '../../builders/parted_witnesses.ts';

/** Rounds of one block: each block ends an epoch. */
const single = testParameters({
  max_witnesses: 1,
  max_voted_witnesses: 1,
  max_runner_witnesses: 0,
  initial_witness_req_vesting_balance: 0,
  finality: true,
});

test('the certificate of each last block of a round is kept with its voters, and no other', () => {
  const parameters = partedParameters({ finality: true });
  const { here } = partedChains(parameters);
  growSide(here, [...HERE, ...THERE], 12 - (here.head.number % 4));
  const given = new Map<number, string>();
  for (let number = 1; number <= here.head.number; number++) {
    const { subject } = finalise(here, parameters, number);
    if (number % 4 === 0) given.set(subject.epoch, subject.block);
  }
  const ended = here.voted.endedEpochs(0, 100);
  assert.deepEqual(
    ended.map(({ voters, certificate }) => [voters.epoch, certificate.subject.block]),
    [...given],
  );
  for (const { voters, certificate } of ended) assert.deepEqual(voters, here.voted.votersOf(certificate.subject.epoch));
  assert.deepEqual(
    here.voted.endedEpochs(2, 2).map(({ voters }) => voters.epoch),
    [2, 3],
  );
  assert.deepEqual(here.voted.endedEpochs(ended.length, 5), []);
});

test('of old epochs the milestones stay, and their voters with them', () => {
  const store = new MemoryStore();
  const chain = new Chain({ store, parameters: single, durable: false, epochsKept: 10 });
  for (let number = 1; number <= 150; number++) {
    produce(chain);
    finalise(chain, single, number);
  }
  const epochs = chain.voted.endedEpochs(0, 1000).map(({ voters }) => voters.epoch);
  assert.deepEqual(epochs, [0, 1, 2, 4, 8, 16, 32, 64, 128, ...Array.from({ length: 10 }, (_, at) => 140 + at)]);
  assert.equal(chain.voted.votersOf(70), undefined);
  assert.notEqual(chain.voted.votersOf(64), undefined);
  // The next voters are those of an epoch that has not ended.
  assert.notEqual(chain.voted.votersOf(150), undefined);
  const again = openChain(single, store);
  assert.equal(again.voted.endedEpochs(0, 1000).length, epochs.length);
});

test('an old epoch stays where the next one would be signed by too few voters of the one before it', () => {
  const chain = new Chain({ store: new MemoryStore(), parameters: single, durable: false, epochsKept: 4 });
  const grow = (count: number, key: string): void => {
    for (const { number } of growSide(chain, ['initminer'], count, { initminer: key })) finalise(chain, single, number);
  };
  grow(19, 'initminer');
  // The only voter has another key from epoch 20 on.
  chain.accept(makeTransaction(chain, single, [witnessUpdate('initminer', 'alice')], ['initminer']));
  grow(1, 'initminer');
  grow(20, 'alice');
  const epochs = chain.voted.endedEpochs(0, 1000).map(({ voters }) => voters.epoch);
  assert.deepEqual(epochs, [0, 1, 2, 4, 8, 16, 19, 20, 32, 36, 37, 38, 39]);
});
