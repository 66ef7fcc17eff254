import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { signWithSecret } from '../../../src/blocks/sign_transaction.ts';
import { Refusal, catchRefusal } from '../../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../../src/blocks/block.ts';
import { Chain } from '../../../src/chain/chain.ts';
import { ForkTree, type SideBlock } from '../../../src/chain/forks/fork_tree.ts';
import { HEAD_COLUMN, sideBlockRange, undoKey } from '../../../src/state/head_record.ts';
import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { KeyValueStore } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { ZERO_HASH160 } from '../../../src/values/hash.ts';
import {
  assertSound,
  testKeyText,
  openChain,
  headPosition,
  testSecret,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { forgedBlock, type Forgery } from '../../builders/forged_block.ts';
import {
  copyBlock,
  growSide,
  HERE,
  nextSlot,
  partedChains,
  partedParameters,
  THERE,
  witnessUpdate,
} from '../../builders/parted_witnesses.ts';
import { inLongForm } from '../../builders/forms.ts';
import { MIB, makeRoom, root, treeBlock } from '../../builders/tree_block.ts';

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

const sideBlocks = (store: KeyValueStore): number =>
  store.range(HEAD_COLUMN, { ...sideBlockRange(ZERO_HASH160), limit: 1_000_000 }).length;

function pushAll(chain: Chain, blocks: Iterable<VerifiedBlock>): void {
  for (const block of blocks) chain.push(block);
}

/** A block that a witness signs for its next slot on top of a chain, whatever is in it. */
function signedBlock(chain: Chain, witness: string, forgery: Forgery = {}): VerifiedBlock {
  return forgedBlock(chain, { ...forgery, header: { ...nextSlot(chain, [witness]), ...forgery.header } });
}

/** Signed and well-formed, but what it holds can't be applied. `tag` tells one from another. */
function invalidBlock(chain: Chain, parameters: ChainParameters, witness: string, tag: number): VerifiedBlock {
  const tooMuch = makeTransaction(
    chain,
    parameters,
    [transferJson('erin', 'bob', 20_000_000_000_000n + BigInt(tag))],
    ['erin'],
  );
  return signedBlock(chain, witness, { transactions: [tooMuch] });
}

test('a block of another branch is kept only when the witness of its slot has signed it', () => {
  const { parameters, here, there, store } = partedChains();
  growSide(here, HERE, 3);
  const before = { ...here.head };
  const witness = nextSlot(there, THERE).witness;
  const unsigned = forgedBlock(there, { header: nextSlot(there, THERE), signer: 'erin' });
  assert.throws(() => here.push(unsigned), refusedAs('block_signature'));
  assert.throws(() => here.push({ ...unsigned, signer: undefined }), refusedAs('signature_without_key'));
  const other = THERE.find((name) => name !== witness) ?? '';
  assert.throws(
    () => here.push(signedBlock(there, witness, { header: { witness: other }, signer: other })),
    refusedAs('wrong_witness'),
  );
  assert.throws(
    () => here.push(signedBlock(there, witness, { header: { timestamp: there.head.time } })),
    refusedAs('block_too_early'),
  );
  assert.throws(
    () => here.push(signedBlock(there, witness, { header: { timestamp: there.head.time + 1 } })),
    refusedAs('no_slot'),
  );
  assert.throws(
    () => here.push(forgedBlock(here, { header: { previous: unsigned.id } })),
    refusedAs('unlinkable_block'),
  );
  const huge = 'x'.repeat(1000);
  const many = Array.from({ length: 200 }, (_, k) =>
    makeTransaction(there, parameters, [transferJson('erin', 'bob', k + 1, huge)], ['erin']),
  );
  assert.throws(() => here.push(signedBlock(there, witness, { transactions: many })), refusedAs('block_too_big'));
  assert.equal(sideBlocks(store), 0);
  assert.deepEqual({ ...here.head }, before);
  assert.deepEqual(here.push(signedBlock(there, witness)).applied, []);
  assert.equal(sideBlocks(store), 1);
});

test('a long branch is taken, across rounds, restarts and more than memory may hold', () => {
  const { parameters, here, there, store } = partedChains();
  const fork = here.head.number;
  const mine = growSide(here, HERE, 150);
  there.accept(makeTransaction(there, parameters, [transferJson('carol', 'dave', 5)], ['carol']));
  const theirs = growSide(there, THERE, 200);
  assert(here.head.lastIrreversible <= fork && there.head.lastIrreversible <= fork);
  pushAll(
    here,
    theirs.slice(0, 100).map((block) => copyBlock(parameters, block)),
  );
  assert.equal(here.head.id, mine.at(-1)?.id);
  // Hardly anything may be held in memory, so that the change of branch is written in many parts.
  const reopened = new Chain({ store, parameters, durable: false, heldBytes: 2000 });
  pushAll(
    reopened,
    theirs.slice(100, 150).map((block) => copyBlock(parameters, block)),
  );
  assert.equal(reopened.head.id, mine.at(-1)?.id);
  const switched = reopened.push(copyBlock(parameters, present(theirs[150], 'a block')));
  assert.equal([...switched.applied].length, 151);
  assert.deepEqual(
    switched.undone,
    mine.map(({ id }) => id),
  );
  pushAll(
    reopened,
    theirs.slice(151).map((block) => copyBlock(parameters, block)),
  );
  assert.deepEqual(headPosition(reopened), headPosition(there));
  assertSound(reopened, parameters, store);
  // What was the main branch is a branch now, which can win again.
  assert.equal(sideBlocks(store), 150);
  const back = openChain(parameters);
  for (let number = 1; number <= fork; number++)
    back.push(copyBlock(parameters, present(here.block(number) ?? there.block(number), 'a block')));
  pushAll(
    back,
    mine.map((block) => copyBlock(parameters, block)),
  );
  const more = growSide(back, HERE, 60);
  const again = openChain(parameters, store);
  pushAll(
    again,
    more.map((block) => copyBlock(parameters, block)),
  );
  assert.deepEqual(headPosition(again), headPosition(back));
  assertSound(again, parameters, store);
  // All four go on from here: everything becomes final, and nothing is left of the other branch.
  growSide(again, [...HERE, ...THERE], 12);
  assert(again.head.lastIrreversible > again.head.number - 6);
  assert.equal(sideBlocks(store), 0);
});

test('a branch in which a witness changes its key is taken', () => {
  for (const [change, signer, more] of [
    ['witness_update', 'bob', []],
    ['witness_set_properties', 'bob', []],
    ['witness_update', 'bob3', ['account_update']],
  ] as const) {
    const { parameters, here, there } = partedChains();
    growSide(here, HERE, 4);
    const account = {
      fee: '0.000000 COIN',
      account: 'bob',
      active: plainAuthority('bob3'),
      memo_key: testKeyText('bob'),
      json_metadata: '',
    };
    const theirs: VerifiedBlock[] = [];
    for (const name of more) {
      there.accept(makeTransaction(there, parameters, [[name, account]], ['bob']));
      theirs.push(...growSide(there, ['carol'], 1));
    }
    const properties = {
      fee: '0.000000 COIN',
      owner: 'bob',
      props: { key: testKeyText('bob'), new_signing_key: testKeyText('bob2') },
      extensions: [],
    };
    const operation = change === 'witness_update' ? witnessUpdate('bob', 'bob2') : [change, properties];
    there.accept(makeTransaction(there, parameters, [operation], [signer]));
    theirs.push(...growSide(there, ['carol'], 1), ...growSide(there, THERE, 8, { bob: 'bob2' }));
    assert(theirs.some(({ header }) => header.witness === 'bob'));
    pushAll(
      here,
      theirs.map((block) => copyBlock(parameters, block)),
    );
    assert.deepEqual(headPosition(here), headPosition(there));
  }
});

function plainAuthority(name: string): { weight_threshold: number; account_auths: []; key_auths: [[string, number]] } {
  return { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText(name), 1]] };
}

test('a witness that gives a key to another one gets its branch tried once, and then nothing has changed, also after a restart', () => {
  const { parameters, here, there, store } = partedChains();
  growSide(here, HERE, 2);
  const before = { ...here.head };
  const forged = makeTransaction(
    there,
    parameters,
    [witnessUpdate('bob', 'carol'), transferJson('carol', 'dave', 1)],
    ['carol'],
  );
  const own = makeTransaction(there, parameters, [witnessUpdate('carol', 'carol2')], ['carol']);
  const first = signedBlock(there, 'carol', { transactions: [forged, own] });
  here.push(first);
  const reopened = openChain(parameters, store);
  const next = (parent: VerifiedBlock, witness: string, signer: string): VerifiedBlock => {
    for (let slot = 1; ; slot++) {
      const timestamp = parent.header.timestamp + 3 * slot;
      const block = forgedBlock(there, { header: { previous: parent.id, timestamp, witness }, signer });
      if (catchRefusal(() => here.judge(block))?.code !== 'wrong_witness') return block;
    }
  };
  for (const chain of [here, reopened]) {
    assert.throws(
      () => chain.judge(next(first, 'bob', 'erin')),
      refusedAs('block_signature'),
      'nobody gives it that key',
    );
    assert.equal(chain.judge(next(first, 'bob', 'bob')), 'proven', 'the key of the branch point');
    assert.equal(chain.judge(next(first, 'carol', 'carol2')), 'unproven');
    assert.equal(chain.judge(next(first, 'bob', 'carol')), 'unproven');
  }
  const second = next(first, 'bob', 'carol');
  here.push(second);
  assert.throws(() => here.push(next(second, 'carol', 'carol')), refusedAs('missing_active_authority'));
  assert.deepEqual({ ...here.head }, before);
  assert.equal(sideBlocks(store), 0);
  assertSound(here, parameters, store);
});

test('of a slot only a few blocks are kept, and the right one can always be sent again', () => {
  const { parameters, here, there, store } = partedChains();
  growSide(here, HERE, 3);
  const witness = nextSlot(there, THERE).witness;
  const wrong = Array.from({ length: 30 }, (_, tag) => invalidBlock(there, parameters, witness, tag));
  const right = growSide(there, THERE, 4).map((block) => copyBlock(parameters, block));
  pushAll(here, right.slice(0, 1));
  pushAll(here, wrong);
  assert(sideBlocks(store) <= 4);
  pushAll(here, right.slice(0, 2));
  // One that others have built upon stays.
  pushAll(here, wrong);
  pushAll(here, right.slice(2));
  assert.deepEqual(headPosition(here), headPosition(there));
});

/**
 * Blocks of one witness alone, the first of which can't be applied, from the last block of a round on: nobody knows the
 * next round.
 */
function hostileBranch(fork: Chain, parameters: ChainParameters, witness: string, tag: number): VerifiedBlock[] {
  const blocks = [invalidBlock(fork, parameters, witness, tag)];
  while (blocks.length < 3) {
    const { id, header } = present(blocks.at(-1), 'a block');
    blocks.push(forgedBlock(fork, { header: { previous: id, timestamp: header.timestamp + 3, witness } }));
  }
  return blocks;
}

test('a branch that can’t be applied is not tried again, and its witness causes that once', () => {
  const { parameters, here, there, store } = partedChains();
  while (here.head.number % 4 !== 3) pushAll(there, growSide(here, [...HERE, ...THERE], 1));
  const mine = growSide(here, HERE, 2);
  const before = { ...here.head };
  const { witness } = nextSlot(there, THERE);
  const first = hostileBranch(there, parameters, witness, 1);
  pushAll(here, first.slice(0, 2));
  assert.throws(() => pushAll(here, first.slice(2)), refusedAs('insufficient_funds'));
  assert.deepEqual({ ...here.head }, before);
  assertSound(here, parameters, store);
  assert.throws(() => pushAll(here, first.slice(0, 1)), refusedAs('refused_before'));
  assert.throws(() => pushAll(here, first.slice(1, 2)), refusedAs('unlinkable_block'));
  // Another branch of the same witness is kept, but its blocks don't count; those of others do.
  pushAll(here, hostileBranch(there, parameters, witness, 2));
  assert.deepEqual({ ...here.head }, before);
  assert.equal(sideBlocks(store), 3);
  pushAll(
    here,
    growSide(there, THERE, 7).map((block) => copyBlock(parameters, block)),
  );
  assert.deepEqual(headPosition(here), headPosition(there));
  assert.equal(sideBlocks(store), 3 + mine.length);
  assertSound(here, parameters, store);
});

test('on the head a witness is wrong a few times in a slot, then others must build on its block first', () => {
  const { parameters, here, there, store } = partedChains();
  const { witness } = nextSlot(here, [...HERE, ...THERE]);
  for (let tag = 0; tag < 4; tag++) {
    const wrong = invalidBlock(here, parameters, witness, tag);
    assert.throws(() => here.push(wrong), refusedAs('insufficient_funds'));
    assert.throws(() => here.push(wrong), refusedAs('refused_before'));
  }
  const before = { ...here.head };
  for (let tag = 4; tag < 20; tag++)
    assert.deepEqual(here.push(invalidBlock(here, parameters, witness, tag)).applied, []);
  const blocks = growSide(there, [...HERE, ...THERE], 2);
  here.push(copyBlock(parameters, present(blocks[0], 'a block')));
  assert.deepEqual({ ...here.head }, before);
  here.push(copyBlock(parameters, present(blocks[1], 'a block')));
  assert.deepEqual(headPosition(here), headPosition(there));
  assertSound(here, parameters, store);
});

test('a node keeps so many bytes of competing blocks and no more, and of a witness a part of them', () => {
  const tree = new ForkTree();
  const first = treeBlock(1, root, 'w0', 60 * MIB);
  for (const block of [first, treeBlock(2, root, 'w0', 60 * MIB)]) {
    assert.deepEqual(makeRoom(tree, block), []);
    tree.add(block);
  }
  assert.deepEqual(makeRoom(tree, treeBlock(3, root, 'w0', 60 * MIB)), [first]);
  tree.add(first);
  for (let id = 3; id <= 17; id++) tree.add(treeBlock(id, root, `w${id >> 1}`, 60 * MIB));
  assert.throws(() => makeRoom(tree, treeBlock(18, root, 'w9', 60 * MIB)), refusedAs('too_many_forks'));
  tree.remove(first);
  assert.deepEqual(makeRoom(tree, treeBlock(18, root, 'w9', 40 * MIB)), []);
});

test('a certified block is kept whatever it takes, and nothing that it follows goes', () => {
  const tree = new ForkTree();
  const parent = treeBlock(1, root, 'w0', 60 * MIB);
  tree.add(parent);
  for (let id = 2; id <= 16; id++) tree.add(treeBlock(id, root, `w${id >> 1}`, 60 * MIB));
  tree.add(treeBlock(17, root, 'w9', 60 * MIB, { isProven: false, source: 'a peer' }));
  const certified = treeBlock(18, parent, 'w0', 60 * MIB);
  const gone: SideBlock[] = [];
  tree.makeRoomForCertified(certified, gone);
  assert.equal(gone[0]?.isProven, false, 'what nobody is known to have signed goes first');
  tree.add(certified);
  assert.deepEqual([tree.get(parent.id), tree.get(certified.id)], [parent, certified]);
  // Of one witness more than its share, where only that is left.
  const alone = new ForkTree();
  alone.add(parent);
  const next: SideBlock[] = [];
  alone.makeRoomForCertified(treeBlock(19, parent, 'w0', 1000 * MIB), next);
  assert.deepEqual(next, []);
});

test('branches of branches stay where they grow when a branch becomes the main one, and go when that is final', () => {
  const tree = new ForkTree();
  const ids = (blocks: readonly SideBlock[]): number[] => blocks.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
  // Behind block 0 of the main branch: 1-2-3, and 4 behind 1; 8 behind the main block 1, which is 5.
  const first = treeBlock(1, root);
  const second = treeBlock(2, first);
  const third = treeBlock(3, second);
  const aside = treeBlock(4, first);
  const left = [treeBlock(5, root), treeBlock(6, { ...root, id: '5'.padStart(40, '0'), number: 1 })];
  const behindMain = treeBlock(8, left[0] ?? root);
  for (const block of [first, second, third, aside, behindMain]) tree.add(block);
  assert.deepEqual(ids(tree.findBranch(third)), [1, 2, 3]);
  tree.exchange(left, [first, second, third]);
  assert.deepEqual([tree.get(first.id), tree.get(third.id)], [undefined, undefined]);
  assert.deepEqual(ids(tree.findBranch(behindMain)), [5, 8]);
  assert.deepEqual(ids(tree.findBranch(aside)), [4]);
  assert.deepEqual(ids(tree.prune(0)), []);
  assert.deepEqual(ids(tree.prune(1)), [5, 6, 8]);
  assert.deepEqual(ids(tree.prune(3)), [4]);
  assert.deepEqual(makeRoom(tree, treeBlock(9, root, 'w', 120 * MIB)), []);
});

test('a branch of days is forgotten at once', inLongForm, () => {
  const tree = new ForkTree();
  const blocks = 150_000;
  for (let id = 1, last = treeBlock(0, root); id <= blocks; id++)
    tree.add((last = treeBlock(id, id === 1 ? root : last, `w${id % 9}`)));
  assert.equal(tree.prune(1).length, blocks);
});

test(
  'witnesses may stay away for more than 10 000 blocks: nothing stops, and all becomes final when they come back',
  inLongForm,
  () => {
    // With a block every 8 seconds a day is 10 800 blocks: who stays away longer loses its place.
    const parameters = partedParameters({ block_interval: 8, max_witnesses: 3, max_voted_witnesses: 3 });
    const { here, store } = partedChains(parameters, new MemoryStore(), ['alice', 'bob']);
    const start = here.head.number;
    growSide(here, HERE, 10_000);
    const left = growSide(here, HERE, 300);
    here.revert(start + 10_000);
    const timestamp = here.slotTime(4);
    const mine = [
      here.seal({ ...present(here.findProductionSlot(timestamp), 'a slot'), sign: scheduledSigner(here, timestamp) }),
      ...growSide(here, HERE, 199),
    ];
    // Deep inside, other branches are judged and kept, over a restart too.
    pushAll(
      here,
      left.slice(0, 150).map((block) => copyBlock(parameters, block)),
    );
    const reopened = openChain(parameters, store);
    assert.deepEqual({ ...reopened.head }, { ...here.head });
    const deep = present(reopened.block(start + 5000), 'a block');
    const unsigned = { previous: deep.id, timestamp: deep.header.timestamp + 24 };
    assert.throws(() => reopened.push(forgedBlock(here, { header: unsigned, signer: 'erin' })), Refusal);
    pushAll(
      reopened,
      left.slice(150).map((block) => copyBlock(parameters, block)),
    );
    assert.equal(reopened.head.id, left.at(-1)?.id);
    assert.equal(sideBlocks(store), mine.length);
    assert(reopened.head.lastIrreversible <= start && reopened.head.number === start + 10_300);
    growSide(reopened, [...HERE, 'bob'], 15);
    assert(reopened.head.lastIrreversible > reopened.head.number - 5);
    assert.throws(() => reopened.revert(start + 10_300), refusedAs('nothing_to_undo'));
    assert.equal(sideBlocks(store), 0);
    assert.deepEqual(verifyStore(store, parameters, () => {}).problems, []);
    const kept = store.range(HEAD_COLUMN, { lower: undoKey(0), upper: undoKey(0xffff_ffff), limit: 20_000 });
    assert(kept.length < 10, `${kept.length} undo records are left`);
  },
);

/** Signs as the witness whose slot it is. */
function scheduledSigner(chain: Chain, timestamp: number): (digest: Uint8Array) => string {
  const { witness } = present(chain.findProductionSlot(timestamp), 'a slot');
  return (digest) => present(signWithSecret(digest, testSecret(witness)), 'a signature');
}
