import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { VerifiedBlock } from '../../../../src/blocks/block.ts';
import { PeerBlocks } from '../../../../src/node/threads/writer/peer_blocks.ts';
import { testKey, openChain, produce, testParameters, makeTransaction, transferJson } from '../../../builders/chain.ts';

const parameters = testParameters();

/** Blocks of a chain, some with a transfer in them. */
function makeBlocks(count: number): { readonly blocks: VerifiedBlock[]; readonly stateHash: string } {
  const maker = openChain(parameters);
  const blocks = Array.from({ length: count }, (_, index) => {
    if (index % 7 === 6)
      maker.accept(makeTransaction(maker, parameters, [transferJson('alice', 'bob', index)], ['alice']));
    return produce(maker);
  });
  return { blocks, stateHash: maker.head.stateHash };
}

test('the last blocks of a submission wait for those of the next one, and none is lost when nothing follows', () => {
  const { blocks, stateHash } = makeBlocks(300);
  const chain = openChain(parameters);
  const taker = new PeerBlocks(chain);
  const middle = { isFirst: false, isLast: false };
  assert.equal(
    taker.take(blocks.slice(0, 40), { isFirst: true, isLast: false }).length,
    0,
    'no round lies behind the first one',
  );
  const first = taker.take(blocks.slice(40, 200), middle).length;
  assert.ok(first > 100 && first < 150, `${first}`);
  assert.equal(chain.head.number, first);
  const second = taker.take(blocks.slice(200, 300), middle).length;
  assert.equal(chain.head.number, first + second);
  assert.deepEqual(
    taker.take([], { isFirst: false, isLast: true }).map(({ kind }) => kind),
    Array.from({ length: 300 - first - second }, () => 'taken'),
  );
  assert.equal(chain.head.stateHash, stateHash);
});

test('what waited is forgotten when another submission begins', () => {
  const { blocks } = makeBlocks(100);
  const chain = openChain(parameters);
  const taker = new PeerBlocks(chain);
  taker.take(blocks.slice(0, 30), { isFirst: true, isLast: false });
  assert.equal(taker.take(blocks, { isFirst: true, isLast: true }).length, 100);
  assert.equal(chain.head.number, 100);
});

test('a block that no scheduled witness has signed is refused at once, not once a round has come', () => {
  const { blocks } = makeBlocks(40);
  const forged = blocks.with(20, { ...(blocks[20] ?? assert.fail()), signer: testKey('bob') });
  const chain = openChain(parameters);
  const outcomes = new PeerBlocks(chain).take(forged, { isFirst: true, isLast: false });
  assert.deepEqual([outcomes.length, outcomes.at(-1)?.kind], [21, 'refused']);
  assert.equal(chain.head.number, 20);
});

test('a checkpoint that a round of witnesses contradicts is refuted, with votes and without, and fewer blocks refute nothing', () => {
  for (const finality of [false, true]) {
    const own = testParameters({ finality });
    const maker = openChain(own);
    const blocks = Array.from({ length: 120 }, () => produce(maker));
    const named = blocks[59]?.id ?? assert.fail();
    const wrong = named.slice(0, -1) + (named.endsWith('0') ? '1' : '0');
    const refutations = (count: number, checkpoint: string): number => {
      let refuted = 0;
      const taker = new PeerBlocks(openChain(own, undefined, new Map([[60, checkpoint]])), Infinity, () => refuted++);
      taker.take(blocks.slice(0, count), { isFirst: true, isLast: true });
      return refuted;
    };
    assert.deepEqual(
      [refutations(120, wrong), refutations(70, wrong), refutations(120, named)],
      [1, 0, 0],
      `finality ${finality}`,
    );
  }
});
