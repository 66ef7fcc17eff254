import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Chain } from '../../src/chain/chain.ts';
import type { ChainChange } from '../../src/chain/forks/chain_change.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { assertSound, testKey, openChain, makeTransaction, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import {
  copyBlock,
  growSide,
  HERE,
  nextSlot,
  partedChains,
  THERE,
  witnessUpdate,
} from '../builders/parted_witnesses.ts';

for (const blocks of [1, 2, 5]) {
  test(`of two branches of ${blocks} blocks all nodes choose that with the lowest id at its end, whichever they had first`, () => {
    const { parameters, here, there, store } = partedChains();
    const [left, right] = [growSide(here, HERE, blocks), growSide(there, THERE, blocks)];
    for (const block of right) here.push(copyBlock(parameters, block));
    for (const block of left) there.push(copyBlock(parameters, block));
    assert.notEqual(here.head.id, there.head.id, 'each keeps what it saw first');
    const lowest = [here.head.id, there.head.id].sort()[0];
    for (const chain of [here, there]) {
      chain.followLowest();
      assert.equal(chain.head.id, lowest);
      chain.followLowest();
      assert.equal(chain.head.id, lowest);
    }
    assert.equal(here.head.stateHash, there.head.stateHash);
    assertSound(here, parameters, store);
  });
}

test('the choice tells what it changed, and changes nothing for a shorter branch or without any', () => {
  const { parameters, there } = partedChains();
  const changes: ChainChange[] = [];
  const store = new MemoryStore();
  const origin = openChain(parameters, store);
  for (let number = 1; number <= there.head.number; number++)
    origin.push(copyBlock(parameters, present(there.block(number), 'a block')));
  const chain = new Chain({ store, parameters, durable: false, changed: (change) => changes.push(change) });
  chain.followLowest();
  const own = growSide(chain, HERE, 2);
  const [first, second] = growSide(there, THERE, 2).map((block) => copyBlock(parameters, block));
  chain.push(present(first, 'a block'));
  changes.length = 0;
  chain.followLowest();
  assert.deepEqual([changes.length, chain.head.id], [0, own[1]?.id]);
  chain.push(present(second, 'a block'));
  chain.followLowest();
  const isLower = present(second, 'a block').id < present(own[1], 'a block').id;
  assert.deepEqual(
    changes.map(({ undone }) => undone),
    isLower ? [own.map(({ id }) => id)] : [],
  );
});

test('a branch that cannot be applied is not chosen, and is tried once', () => {
  const { parameters, here, there, store } = partedChains();
  growSide(here, HERE, 1);
  const { id } = here.head;
  for (let tag = 0; tag < 40; tag++) {
    const tooMuch = makeTransaction(
      there,
      parameters,
      [transferJson('erin', 'bob', 20_000_000_000_000n + BigInt(tag))],
      ['erin'],
    );
    const block = forgedBlock(there, { header: nextSlot(there, THERE), transactions: [tooMuch] });
    if (block.id > id) continue;
    here.push(block);
    here.followLowest();
    break;
  }
  assert.equal(here.head.id, id);
  assertSound(here, parameters, store);
});

test('who signs is known of the main branch and of others, a key that a branch gives included, and of nobody else', () => {
  const { parameters, here, there } = partedChains();
  growSide(here, HERE, 1);
  there.accept(makeTransaction(there, parameters, [witnessUpdate('bob', 'dave')], ['bob']));
  const [given] = growSide(there, THERE, 1);
  for (const name of [...HERE, ...THERE]) assert.ok(here.hasSigner(name, testKey(name)), name);
  assert.ok(!here.hasSigner('bob', testKey('dave')));
  here.push(copyBlock(parameters, present(given, 'a block')));
  assert.ok(here.hasSigner('bob', testKey('dave')));
  assert.ok(!here.hasSigner('alice', testKey('bob')) && !here.hasSigner('erin', testKey('erin')));
  assert.deepEqual(new Set(here.headSigners.map(({ witness }) => witness)), new Set([...HERE, ...THERE]));
});

test('a block is on the main branch as long as it is not undone', () => {
  const { parameters, here, there } = partedChains();
  const [own] = growSide(here, HERE, 1);
  const id = present(own, 'a block').id;
  assert.ok(here.isOnMainBranch(id) && !there.isOnMainBranch(id));
  for (const block of growSide(there, THERE, 2)) here.push(copyBlock(parameters, block));
  assert.ok(!here.isOnMainBranch(id));
  assert.ok(here.isOnMainBranch(here.head.id));
});
