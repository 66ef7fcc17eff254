import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { MerkleBranch, merkleRoot, rootOfBranch } from '../../src/blocks/merkle.ts';

const makeLeaf = (number: number): string => createHash('sha256').update(`leaf ${number}`).digest('hex');

test('the branch of every leaf of every tree leads to its root, and that of no other leaf', () => {
  for (let count = 1; count <= 40; count++) {
    const leaves = Array.from({ length: count }, (_, at) => makeLeaf(at));
    const root = merkleRoot(leaves);
    for (const [index, leaf] of leaves.entries()) {
      const branch = new MerkleBranch();
      for (const [at, each] of leaves.entries()) branch.add(each, at === index);
      const steps = branch.finish();
      assert.ok(steps.length <= Math.ceil(Math.log2(count)));
      assert.equal(rootOfBranch(leaf, steps), root, `leaf ${index} of ${count}`);
      assert.notEqual(rootOfBranch(makeLeaf(index + 1), steps), root);
    }
  }
});
