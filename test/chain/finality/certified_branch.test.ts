import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import type { PackedBlock, VerifiedBlock } from '../../../src/blocks/block.ts';
import { Chain } from '../../../src/chain/chain.ts';
import type { ChainChange } from '../../../src/chain/forks/chain_change.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { assertSound, openChain, headPosition, makeTransaction, transferJson } from '../../builders/chain.ts';
import { finalise } from '../../builders/certificates.ts';
import { formSize } from '../../builders/forms.ts';
import { forgedBlock } from '../../builders/forged_block.ts';
import {
  copyBlock,
  growSide,
  HERE,
  nextSlot,
  partedChains,
  partedParameters,
  THERE,
  type Parted,
} from '../../builders/parted_witnesses.ts';

const parameters = partedParameters({ finality: true });
const blockIds = (blocks: Iterable<PackedBlock>): string[] => Array.from(blocks, ({ id }) => id);
const last = (blocks: readonly VerifiedBlock[]): VerifiedBlock => present(blocks.at(-1), 'a block');

function pushAll(chain: Chain, blocks: readonly VerifiedBlock[]): void {
  for (const block of blocks) chain.push(copyBlock(parameters, block));
}

/** Two sides of which one is longer; `here` knows both and is on the longer one. */
function unequal(
  long: number,
  short: number,
): Parted & { readonly left: VerifiedBlock[]; readonly right: VerifiedBlock[] } {
  const parted = partedChains(parameters);
  const [left, right] = [growSide(parted.here, HERE, long), growSide(parted.there, THERE, short)];
  pushAll(parted.here, right);
  assert.equal(parted.here.head.id, last(left).id);
  return { ...parted, left, right };
}

for (const [long, short] of [
  [5, 2],
  [2, 2],
  [9, 1],
] as const) {
  test(`a certified branch of ${short} blocks replaces one of ${long}, and is left for no longer one`, () => {
    const { here, there, store, left, right } = unequal(long, short);
    const change = here.followCertified(last(right).id);
    assert.deepEqual([change.undone, blockIds(change.applied)], [blockIds(left), blockIds(right)]);
    assert.deepEqual(headPosition(here), headPosition(there));
    assertSound(here, parameters, store);
    for (const number of [1, here.head.number])
      assert.deepEqual(here.voted.statedAt(number), there.voted.statedAt(number));
    // The branch that was left grows, and stands beside it.
    const further = openChain(parameters);
    for (let number = 1; number < (right[0]?.number ?? 0); number++)
      further.push(copyBlock(parameters, present(there.block(number), 'a block')));
    pushAll(further, left);
    pushAll(here, growSide(further, HERE, 3));
    here.followLowest();
    here.tryWaitingBranch();
    assert.equal(here.head.id, last(right).id);
    // So does a restart; who holds the certificate says so again.
    const again = openChain(parameters, store);
    again.followCertified(last(right).id);
    assert.equal(again.head.id, last(right).id);
    // Its own side goes on.
    pushAll(here, growSide(there, THERE, 2));
    assert.deepEqual(headPosition(here), headPosition(there));
    // When votes ask for none any more, the longest one wins.
    here.followCertified(undefined);
    assert.equal(here.head.id, further.head.number > there.head.number ? further.head.id : there.head.id);
    assertSound(here, parameters, store);
  });
}

test('what the certified branch lacks is pending again, and what it has is not', () => {
  const { here, there } = partedChains(parameters);
  const transfers = [3, 4].map((amount) =>
    makeTransaction(there, parameters, [transferJson('erin', 'bob', amount)], ['erin']),
  );
  const [both, own] = [present(transfers[0], 'a transfer'), present(transfers[1], 'a transfer')];
  for (const transaction of transfers) here.accept(transaction);
  there.accept(both);
  growSide(here, HERE, 3);
  const right = growSide(there, THERE, 1);
  pushAll(here, right);
  here.followCertified(last(right).id);
  assert.deepEqual(
    here.pendingTransactions.map(({ id }) => id),
    [own.id],
  );
});

test('a block that is certified before it comes is followed when it comes, with what was built on it', () => {
  const { here, there, store } = partedChains(parameters);
  const left = growSide(here, HERE, 6);
  const right = growSide(there, THERE, 4);
  const certified = present(right[1], 'a block');
  const change = here.followCertified(certified.id);
  assert.deepEqual([change.undone, blockIds(change.applied), here.head.id], [[], [], last(left).id]);
  pushAll(here, right.slice(0, 1));
  assert.equal(here.head.id, last(left).id);
  const switched = here.push(copyBlock(parameters, certified));
  assert.deepEqual([switched.undone, blockIds(switched.applied)], [blockIds(left), blockIds(right.slice(0, 2))]);
  pushAll(here, right.slice(2));
  assert.deepEqual(headPosition(here), headPosition(there));
  assertSound(here, parameters, store);
});

test('of branches that have the certified block the longest one is followed, told as one change', () => {
  const { here, there } = partedChains(parameters);
  const left = growSide(here, HERE, 7);
  const right = growSide(there, THERE, 4);
  pushAll(here, right);
  const change = here.followCertified(present(right[0], 'a block').id);
  assert.deepEqual([change.undone, blockIds(change.applied)], [blockIds(left), blockIds(right)]);
  assert.deepEqual(headPosition(here), headPosition(there));
});

test('in whatever order blocks and certificates come, the longest branch with the certified block is the main one', () => {
  const { here, there } = partedChains(parameters);
  const common = Array.from({ length: here.head.number }, (_, index) => present(here.block(index + 1), 'a block'));
  const [left, right] = [growSide(here, HERE, 5), growSide(there, THERE, 5)];
  const further = openChain(parameters);
  for (const block of [...common, ...left.slice(0, 2)]) further.push(copyBlock(parameters, block));
  const sides = [left, right, [...left.slice(0, 2), ...growSide(further, THERE, 4)]];
  const blocks = [...new Set(sides.flat())];
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: 25, maxLength: 40 });
  const property = fc.property(steps, (chosen) => {
    const chain = openChain(parameters);
    for (const block of common) chain.push(copyBlock(parameters, block));
    const known = new Set<VerifiedBlock>();
    let certified: VerifiedBlock | undefined;
    for (const [isCertificate, at] of chosen) {
      const next = sides.flatMap((side) => side.find((block) => !known.has(block)) ?? []);
      const block = next[at % next.length];
      if (isCertificate) {
        certified = [undefined, ...blocks][at % (blocks.length + 1)];
        chain.followCertified(certified?.id);
      } else if (block !== undefined) {
        known.add(block);
        chain.push(copyBlock(parameters, block));
      }
      chain.tryWaitingBranch();
      const branches = sides.map((side) => side.filter((each) => known.has(each)));
      const held = certified !== undefined && known.has(certified) ? certified : undefined;
      const counted = branches.filter((branch) => held === undefined || branch.includes(held));
      const longest = Math.max(...counted.map(({ length }) => length));
      const best = counted.filter(({ length }) => length === longest).map((branch) => branch.at(-1)?.id);
      assert.ok(longest === 0 || best.includes(chain.head.id), `${chain.head.number} is not the best head`);
    }
  });
  fc.assert(property, { numRuns: formSize('PHAROS_TEST_SEEDS', { short: 15, long: 200 }) });
});

test('a certificate for a block of the main branch keeps other branches from replacing it', () => {
  const { here, there } = partedChains(parameters);
  const [own] = growSide(here, HERE, 2);
  here.followCertified(present(own, 'a block').id);
  const head = here.head.id;
  pushAll(here, growSide(there, THERE, 6));
  assert.equal(here.head.id, head);
  here.followCertified(here.block(here.head.number - 2)?.id);
  assert.equal(here.head.id, there.head.id, 'an ancestor of both lets the longer one win');
});

test('the main branch moves with the certificate that counts', () => {
  const { here, left, right } = unequal(5, 2);
  here.followCertified(last(right).id);
  here.followCertified(left[1]?.id);
  assert.equal(here.head.id, last(left).id);
  here.followCertified(right[0]?.id);
  assert.equal(here.head.id, last(right).id);
});

test('what somebody invalid builds on a certified block does not keep it from being followed', () => {
  const { here, there, store } = partedChains(parameters);
  growSide(here, HERE, 4);
  const [good] = growSide(there, THERE, 1);
  const tooMuch = makeTransaction(there, parameters, [transferJson('erin', 'bob', 20_000_000_000_000n)], ['erin']);
  const bad = forgedBlock(there, { header: nextSlot(there, THERE), transactions: [tooMuch] });
  pushAll(here, [present(good, 'a block')]);
  here.push(bad);
  here.followCertified(good?.id);
  assert.equal(here.head.id, good?.id);
  assertSound(here, parameters, store);
});

test('a certified block that can not be applied is refused, and changes nothing', () => {
  const { here, there, store } = partedChains(parameters);
  growSide(here, HERE, 4);
  const tooMuch = makeTransaction(there, parameters, [transferJson('erin', 'bob', 20_000_000_000_000n)], ['erin']);
  const bad = forgedBlock(there, { header: nextSlot(there, THERE), transactions: [tooMuch] });
  here.push(bad);
  const before = headPosition(here);
  assert.notEqual(
    catchRefusal(() => here.followCertified(bad.id)),
    undefined,
  );
  assert.deepEqual(headPosition(here), before);
  assertSound(here, parameters, store);
  // A block that goes on is taken as ever.
  growSide(here, HERE, 1);
});

test('a certificate overrides the limit of tries of a slot', () => {
  const { here, there } = partedChains(parameters);
  const slot = nextSlot(there, THERE);
  for (let tag = 0; tag < 4; tag++) {
    const tooMuch = makeTransaction(
      there,
      parameters,
      [transferJson('erin', 'bob', 20_000_000_000_000n + BigInt(tag))],
      ['erin'],
    );
    const bad = forgedBlock(there, { header: slot, transactions: [tooMuch] });
    assert.notEqual(
      catchRefusal(() => here.push(bad)),
      undefined,
    );
  }
  const [good] = growSide(there, THERE, 1);
  assert.deepEqual(
    blockIds(here.push(copyBlock(parameters, present(good, 'a block'))).applied),
    [],
    'one block too many waits',
  );
  here.followCertified(good?.id);
  assert.equal(here.head.id, good?.id);
  const { here: other, there: its } = partedChains(parameters);
  for (let tag = 0; tag < 4; tag++) {
    const tooMuch = makeTransaction(
      its,
      parameters,
      [transferJson('erin', 'bob', 20_000_000_000_000n + BigInt(tag))],
      ['erin'],
    );
    catchRefusal(() => other.push(forgedBlock(its, { header: slot, transactions: [tooMuch] })));
  }
  const [next] = growSide(its, THERE, 1);
  other.followCertified(next?.id);
  other.push(copyBlock(parameters, present(next, 'a block')));
  assert.equal(other.head.id, next?.id, 'and so it does before the block comes');
});

test('what is final never falls while the main branch goes from branch to branch', () => {
  const { here, there, store } = partedChains(parameters);
  const fork = here.head.number;
  finalise(here, parameters, fork);
  const [left, right] = [growSide(here, HERE, 6), growSide(there, THERE, 3)];
  pushAll(here, right);
  for (const id of [last(right).id, last(left).id, last(right).id]) {
    here.followCertified(id);
    assert.deepEqual([here.head.id, here.head.lastIrreversible], [id, fork]);
    assert.equal(openChain(parameters, store).head.lastIrreversible, fork);
  }
  finalise(here, parameters, here.head.number);
  // The other branch can't come back.
  const refusal = catchRefusal(() => here.push(copyBlock(parameters, present(left[0], 'a block'))));
  assert.equal(refusal?.code, 'block_too_old');
  here.followCertified(last(left).id);
  assert.equal(here.head.id, last(right).id);
});

test('the ancestor of a block is found on whichever branch it is', () => {
  const { here, left, right } = unequal(5, 3);
  const fork = present(left[0], 'a block').number - 1;
  const { voted } = here;
  for (const branch of [left, right]) {
    const tip = last(branch).id;
    for (const { id, number } of branch) assert.equal(voted.getAncestor(tip, number), id);
    assert.equal(voted.getAncestor(tip, fork), here.block(fork)?.id);
    assert.equal(voted.getAncestor(tip, 0), '0'.repeat(40));
    assert.equal(voted.getAncestor(tip, last(branch).number + 1), undefined);
  }
  assert.equal(voted.getAncestor(`${last(right).id.slice(0, 8)}${'f'.repeat(32)}`, fork), undefined);
  assert.equal(voted.blockSlot(here.head.number), voted.head.slot);
  assert.equal(voted.blockSlot(0), 0);
  assert.ok(voted.blockSlot(fork) < voted.blockSlot(fork + 1));
});

test('followers hear of a shorter branch as of any other', () => {
  const changes: ChainChange[] = [];
  const { there } = partedChains(parameters);
  const chain = new Chain({
    store: new MemoryStore(),
    parameters,
    durable: false,
    changed: (change) => changes.push(change),
  });
  for (let number = 1; number <= there.head.number; number++)
    chain.push(copyBlock(parameters, present(there.block(number), 'a block')));
  const left = growSide(chain, HERE, 4);
  const right = growSide(there, THERE, 1);
  pushAll(chain, right);
  changes.length = 0;
  chain.followCertified(last(right).id);
  chain.followCertified(last(right).id);
  assert.deepEqual(
    changes.map(({ undone, applied }) => [undone, blockIds(applied)]),
    [[blockIds(left), blockIds(right)]],
  );
});
