import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MemoryStore } from '../../../src/storage/memory.ts';
import { assertSound } from '../../builders/chain.ts';
import { plantHardfork } from '../../builders/planted_hardfork.ts';
import { FIFTH, FIRST_VOTERS, LAST, REST, VotedChain } from '../../builders/voted_chain.ts';

// A chain of seven witnesses that forks about the block of a hardfork: one branch has it, the other goes on under the
// former rules.

function forkTest(title: string, run: (voted: VotedChain) => void): void {
  test(title, async () => {
    const voted = new VotedChain();
    await plantHardfork('custom_json', voted.hardfork, () => run(voted));
  });
}

forkTest(
  'a branch with the hardfork replaces one that went on without it; a program that does not know it takes the blocks before and stops',
  (voted) => {
    const store = new MemoryStore();
    const [knowing, other, former] = [voted.open(voted.next), voted.open(voted.next, store), voted.open(voted.old)];
    // Who has the former program does not hear of the fifth vote.
    const theirs = voted.grow(former, [LAST], () => voted.isDue(former));
    voted.feed(other, theirs);
    assert.ok(!voted.isAgreed(other));
    const early = voted.note(other);
    assert.throws(() => other.accept(early), { code: 'hardfork_not_applied' });

    const ours = voted.grow(knowing, [...FIRST_VOTERS, FIFTH], () => voted.isActive(knowing));
    const activation = ours.at(-1);
    knowing.accept(voted.note(knowing));
    ours.push(...voted.grow(knowing, [...FIRST_VOTERS, FIFTH], () => knowing.pendingTransactions.length === 0));
    voted.feed(other, ours);
    assert.equal(other.head.stateHash, knowing.head.stateHash);
    assert.ok(voted.isActive(other));
    assertSound(other, voted.next, store);

    voted.assertStops(former, ours, activation);
  },
);

forkTest(
  'a longer branch without the fifth vote takes the hardfork back with what it allowed, and applies it later, in a block of its own',
  (voted) => {
    const store = new MemoryStore();
    const [most, few, former] = [voted.open(voted.next), voted.open(voted.next, store), voted.open(voted.old)];
    const theirs = voted.grow(few, REST, () => voted.isActive(few));
    few.accept(voted.note(few));
    theirs.push(...voted.grow(few, REST, () => few.pendingTransactions.length === 0));
    const kept = voted.note(few);
    few.accept(kept);

    const ours = voted.grow(most, FIRST_VOTERS, () => voted.isDue(most) && most.head.number > few.head.number);
    assert.ok(!voted.isAgreed(most));
    voted.feed(few, ours);
    assert.equal(few.head.id, most.head.id);
    assert.ok(!voted.isActive(few));
    assert.deepEqual(few.pendingTransactions, []);
    assert.throws(() => few.accept(kept), { code: 'hardfork_not_applied' });
    assertSound(few, voted.next, store);
    voted.feed(former, ours);
    assert.equal(former.head.stateHash, most.head.stateHash);

    const later = voted.grow(few, [...FIRST_VOTERS, FIFTH], () => voted.isActive(few));
    assert.ok(few.head.number > theirs.length);
    assert.equal(few.accept(kept), 'pending');
    voted.feed(most, later);
    assert.equal(most.head.stateHash, few.head.stateHash);
    voted.assertStops(former, later, later.at(-1));
    assertSound(few, voted.next, store);
  },
);
