import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ForkTree, type SideBlock } from '../../src/chain/forks/fork_tree.ts';
import { MIB, root, treeBlock } from '../builders/tree_block.ts';

const MOST_OF_SLOT = 4;
const MOST_OF_PEER = 64 * MIB;
const MOST_IN_ALL = 256 * MIB;

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

type Parent = Pick<SideBlock, 'id' | 'number'>;

/** A block that only its branch could prove. */
function unproven(id: number, parent: Parent, more: Partial<SideBlock> = {}): SideBlock {
  return treeBlock(id, parent, 'w', 100, { isProven: false, isLikely: false, source: 'peer', ...more });
}

/** A tree, with the blocks of it that were not removed. */
class WatchedTree {
  readonly tree = new ForkTree();
  readonly kept = new Map<string, SideBlock>();

  /** Adds a block as a chain does; returns the numbers in the ids of those that were removed for it. */
  add(block: SideBlock): number[] {
    const gone: SideBlock[] = [];
    try {
      this.tree.makeRoom(block, gone);
    } finally {
      for (const { id } of gone) this.kept.delete(id);
    }
    assert.ok(block.previous === root.id || this.tree.get(block.previous) !== undefined, 'what a block follows stays');
    this.tree.add(block);
    this.kept.set(block.id, block);
    return gone.map(({ id }) => Number(id));
  }

  has(block: SideBlock): boolean {
    return this.tree.get(block.id) !== undefined;
  }

  bytesOf(isCounted: (block: SideBlock) => boolean): number {
    return [...this.kept.values()].filter(isCounted).reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

test('of a slot four unproven blocks are kept, whoever brings them and whoever they say has signed them', () => {
  const { tree, kept, ...watched } = watch();
  const proven = Array.from({ length: MOST_OF_SLOT }, (_, k) => treeBlock(900 + k, root, 'w', 100, { aslot: 7 }));
  for (const block of proven) watched.add(block);
  for (let id = 1; id <= 40; id++) {
    const gone = watched.add(unproven(id, root, { aslot: 7, source: `peer ${id}`, witness: `w${id}` }));
    assert.deepEqual(gone, id <= MOST_OF_SLOT ? [] : [id - MOST_OF_SLOT], 'the one that came first goes');
  }
  assert.equal([...kept.values()].filter(({ isProven }) => !isProven).length, MOST_OF_SLOT);
  for (const block of proven)
    assert.ok(tree.get(block.id) !== undefined, 'the proven ones of that slot have their own places');
  assert.deepEqual(watched.add(unproven(50, root, { aslot: 8 })), [], 'another slot has its own');
});

/** The same, as parts. */
function watch(): {
  readonly tree: ForkTree;
  readonly kept: Map<string, SideBlock>;
  readonly add: (block: SideBlock) => number[];
} {
  const watched = new WatchedTree();
  return { tree: watched.tree, kept: watched.kept, add: (block) => watched.add(block) };
}

test('an unproven block on which a known witness has built stays, and does not take the place of others', () => {
  const watched = new WatchedTree();
  const first = unproven(1, root, { aslot: 7 });
  const onIt = treeBlock(2, first, 'honest', 100, { aslot: 8 });
  const lone = unproven(3, root, { aslot: 7 });
  for (const block of [first, onIt, lone]) watched.add(block);
  for (let id = 10; id <= 60; id++) watched.add(unproven(id, root, { aslot: 7, source: `peer ${id}` }));
  assert.ok(watched.has(first) && watched.has(onIt));
  assert.ok(!watched.has(lone));
  assert.equal(watched.kept.size, 2 + MOST_OF_SLOT);
});

test('one peer brings 64 MiB of unproven blocks and no more; for the next one its oldest tip goes', () => {
  const watched = new WatchedTree();
  const ofLiar = ({ source }: SideBlock): boolean => source === 'liar';
  const others = [unproven(1, root, { source: 'other', bytes: MIB }), treeBlock(2, root, 'w', MIB, { source: 'liar' })];
  for (const block of others) watched.add(block);
  const gone: number[] = [];
  for (let id = 10; id < 210; id++) {
    gone.push(...watched.add(unproven(id, root, { source: 'liar', bytes: MIB })));
    assert.ok(watched.bytesOf((block) => ofLiar(block) && !block.isProven) <= MOST_OF_PEER);
  }
  assert.ok(watched.bytesOf(ofLiar) > MOST_OF_PEER - 2 * MIB, 'up to the limit it may');
  assert.deepEqual(
    gone,
    Array.from({ length: gone.length }, (_, k) => 10 + k),
  );
  for (const block of others) assert.ok(watched.has(block), 'neither another peer’s nor a proven one goes');
});

test('a single chain of one peer ends at 64 MiB: no block goes that the next one follows', () => {
  const watched = new WatchedTree();
  let last: SideBlock = unproven(1, root, { bytes: MIB });
  watched.add(last);
  const grow = (): void => {
    for (let id = 2; id <= 100; id++) {
      const next = unproven(id, last, { bytes: MIB });
      watched.add(next);
      last = next;
    }
  };
  assert.throws(grow, refusedAs('too_many_unproven'));
  assert.ok(watched.bytesOf(() => true) <= MOST_OF_PEER && watched.kept.size >= 63);
  // Another peer still has its own part.
  assert.deepEqual(watched.add(unproven(200, root, { source: 'honest', bytes: MIB })), []);
});

test('all peers together bring 256 MiB of unproven blocks; a newcomer takes the place of whoever has brought most', () => {
  const watched = new WatchedTree();
  const isUnproven = ({ isProven }: SideBlock): boolean => !isProven;
  const proven = [1, 2, 3].map((id) => treeBlock(id, root, `w${id}`, 60 * MIB));
  for (const block of proven) watched.add(block);
  let id = 10;
  for (const [source, count] of [
    ['a', 63],
    ['b', 63],
    ['c', 63],
    ['d', 62],
  ] as const) {
    for (let k = 0; k < count; k++) assert.deepEqual(watched.add(unproven(++id, root, { source, bytes: MIB })), []);
  }
  for (let k = 0; k < 50; k++) {
    const gone = watched.add(unproven(++id, root, { source: 'honest', bytes: MIB }));
    for (const number of gone) assert.ok(number <= 10 + 251, 'the newcomer keeps what it has brought');
    assert.ok(watched.bytesOf(isUnproven) <= MOST_IN_ALL);
  }
  for (const block of proven) assert.ok(watched.has(block));
});

test('what is removed, proved or taken into the main branch gives its room back, to the byte', () => {
  const watched = new WatchedTree();
  const { tree } = watched;
  for (let turn = 0; turn < 6; turn++) {
    const blocks = Array.from({ length: 63 }, (_, k) => unproven(turn * 100 + k + 1, root, { bytes: MIB }));
    for (const block of blocks) assert.deepEqual(watched.add(block), [], `turn ${turn}`);
    const first = present(blocks[0], 'a block');
    if (turn % 3 === 0) for (const block of blocks) tree.remove(block);
    else if (turn % 3 === 1) tree.prune(turn);
    else {
      for (const block of blocks) {
        const { round, isInRound, named } = block;
        tree.learn(block, { round, isInRound, named, isProven: true, isLikely: true });
      }
      tree.exchange([], [first]);
    }
    if (turn % 3 !== 2) continue;
    for (const block of blocks.slice(1)) assert.ok(tree.get(block.id)?.isProven);
    tree.removeFollowers(0);
  }
  assert.deepEqual(tree.tipsAbove(0), []);
});

test('never does an unproven block go in place of a proven one: a full node refuses it, and a proven one takes its place', () => {
  const watched = new WatchedTree();
  const own = unproven(1, root, { bytes: 40 * MIB });
  const builtUpon = unproven(2, root, { bytes: 20 * MIB });
  const onIt = treeBlock(3, builtUpon, 'w0', MIB);
  for (const block of [own, builtUpon, onIt]) watched.add(block);
  for (let id = 10; id < 17; id++)
    for (const part of [0, 1]) watched.add(treeBlock(2 * id + part, root, `w${id}`, 63 * MIB));
  // 1024 MiB less these 943: two more fill it.
  watched.add(treeBlock(50, root, 'w50', 60 * MIB));
  watched.add(treeBlock(51, root, 'w51', 20 * MIB));
  const before = [...watched.kept.values()].filter(({ isProven }) => isProven);
  assert.throws(
    () => watched.add(unproven(60, root, { bytes: 2 * MIB, source: 'another' })),
    refusedAs('too_many_forks'),
  );
  for (const block of before) assert.ok(watched.has(block));
  assert.deepEqual(watched.add(treeBlock(61, root, 'w61', 30 * MIB)), [1], 'the unproven tip goes');
  assert.throws(() => watched.add(treeBlock(62, root, 'w62', 30 * MIB)), refusedAs('too_many_forks'));
  assert.ok(watched.has(builtUpon), 'what a known witness has built upon stays');
});

test('a slot’s newcomer never removes what it follows, nor anything proven, whatever arrives in whatever order', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const watched = new WatchedTree();
    let state = seed;
    const nextRandom = (count: number): number => (state = (state * 48_271) % 0x7fff_ffff) % count;
    for (let id = 1; id <= 300; id++) {
      const blocks = [...watched.kept.values()];
      const parent: Parent & Partial<SideBlock> =
        nextRandom(4) === 0 ? root : (blocks[nextRandom(blocks.length + 1)] ?? root);
      const aslot = (parent.aslot ?? 0) + 1 + nextRandom(2);
      const isProven = nextRandom(4) === 0;
      const source = `p${nextRandom(5)}`;
      const block = isProven
        ? treeBlock(id, parent, `w${id}`, 9 * MIB, { aslot, source })
        : unproven(id, parent, { aslot, source, bytes: (1 + nextRandom(20)) * MIB });
      const proven = [...watched.kept.values()].filter((one) => one.isProven);
      try {
        watched.add(block);
      } catch (error) {
        assert.ok(refusedAs('too_many_unproven')(error) || refusedAs('too_many_forks')(error), String(error));
        continue;
      }
      if (!isProven) for (const one of proven) assert.ok(watched.has(one), `seed ${seed}: a proven block stays`);
      assert.ok(watched.bytesOf((one) => !one.isProven && one.source === source) <= MOST_OF_PEER || isProven);
      assert.ok(watched.bytesOf((one) => !one.isProven) <= MOST_IN_ALL);
      for (const one of watched.kept.values()) assert.ok(watched.has(one), 'what is said to be kept is kept');
    }
  }
});
