import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { testKey, openChain, produce, testParameters } from '../builders/chain.ts';
import { confirmedPrefix } from '../../src/chain/confirmed_prefix.ts';
import { PeerBlocks } from '../../src/node/threads/writer/peer_blocks.ts';

/** Headers of blocks by these witnesses, in turn. */
function makeHeaders(count: number, witnesses: number): Pick<VerifiedBlock, 'header' | 'signer'>[] {
  const some = { previous: '', timestamp: 0, transaction_merkle_root: '', extensions: [], witness_signature: '' };
  return Array.from({ length: count }, (_, index) => ({
    header: { ...some, witness: `w${index % witnesses}` },
    signer: `w${index % witnesses}`,
  }));
}

test('blocks are final when a round and three quarters of the witnesses have built on them', () => {
  const confirming = { witnesses: 51, round: 51, isByItsWitness: () => true };
  assert.equal(confirmedPrefix(makeHeaders(200, 51), confirming), 148);
  assert.equal(confirmedPrefix(makeHeaders(200, 39), confirming), 148);
  assert.equal(confirmedPrefix(makeHeaders(200, 38), confirming), 0, 'too few witnesses');
  assert.equal(confirmedPrefix(makeHeaders(52, 51), confirming), 0, 'nothing lies before them');
  assert.equal(confirmedPrefix(makeHeaders(53, 51), confirming), 1);
  const foreign = {
    ...confirming,
    isByItsWitness: ({ header }: { header: { witness: string } }) => header.witness !== 'w3',
  };
  assert.equal(confirmedPrefix(makeHeaders(200, 51), foreign), 147, 'what another key has signed does not count');
});

test('groups of blocks come to the same state as one by one, whatever the size of the groups, and the last ones can be undone', () => {
  const parameters = testParameters();
  const maker = openChain(parameters);
  const blocks = Array.from({ length: 300 }, () => produce(maker));
  for (const size of [300, 120, 60, 7]) {
    const chain = openChain(parameters);
    const taker = new PeerBlocks(chain);
    let outcomes = 0;
    for (let from = 0; from < blocks.length; from += size) {
      const group = { isFirst: from === 0, isLast: from + size >= blocks.length };
      for (const { kind } of taker.take(blocks.slice(from, from + size), group)) {
        assert.equal(kind, 'taken');
        outcomes++;
      }
    }
    assert.equal(outcomes, 300);
    assert.equal(chain.head.stateHash, maker.head.stateHash, `groups of ${size}`);
    chain.undo();
    assert.equal(chain.head.number, 299);
  }
});

test('a wrong block in the middle of a group is found: those before it are taken, it is refused, and the rest is not tried', () => {
  const parameters = testParameters();
  const maker = openChain(parameters);
  const blocks = Array.from({ length: 200 }, () => produce(maker));
  const wrong = { ...present(blocks[90], 'a block'), signer: testKey('bob') };
  const forged = blocks.with(90, wrong);
  const chain = openChain(parameters);
  const outcomes = new PeerBlocks(chain).take(forged, { isFirst: true, isLast: true });
  assert.equal(outcomes.length, 91);
  const last = outcomes.at(-1);
  assert.deepEqual([last?.kind, last?.kind === 'refused' && last.fault], ['refused', 'sender']);
  assert.equal(chain.head.number, 90);
});
