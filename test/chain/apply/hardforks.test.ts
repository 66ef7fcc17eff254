import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBlock, type VerifiedBlock } from '../../../src/blocks/block.ts';
import { verifyBlock } from '../../../src/blocks/verify.ts';
import { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { hardforkStanding } from '../../../src/queries/hardfork_standing.ts';
import { hardforks, hasHardfork, knownHardforks, protocolVersion } from '../../../src/state/hardforks.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { hardforkRules, currentRule } from '../../../src/state/rules/index.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { hardforkProperty } from '../../../src/state/tables/hardfork_property.ts';
import { versionText } from '../../../src/values/version.ts';
import {
  assertSound,
  GENESIS_TIME,
  testKeyText,
  openChain,
  produce,
  testParameters,
  makeTransaction,
} from '../../builders/chain.ts';
import { forgedBlock } from '../../builders/forged_block.ts';
import { appliedHardforks, nextHardfork, plantHardfork } from '../../builders/planted_hardfork.ts';

const SMALL = { max_witnesses: 5, max_voted_witnesses: 3 };
const DUE = GENESIS_TIME + 60;
const planted = nextHardfork(DUE);
const parameters: ChainParameters = { ...testParameters(SMALL), hardforks: [...appliedHardforks, planted] };

const refusal = {
  code: 'hardfork_not_applied',
  message: `a block can have custom_json from hardfork ${planted.id} (version ${versionText(planted.version)}) on, which this chain has not applied; database_api.get_hardfork_properties shows when it does`,
  details: {
    operation: 'custom_json',
    hardfork: planted.id,
    version: versionText(planted.version),
  },
};

let sent = 0;

/** A transaction with an operation of the kind that is behind the hardfork. */
const makePlanted = (chain: Chain) =>
  makeTransaction(
    chain,
    parameters,
    [
      [
        'custom_json',
        { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 0, json: `{"n":${++sent}}` },
      ],
    ],
    ['alice'],
  );

/** Makes blocks, one a slot, until the next one may be the first of the hardfork. */
function produceBlocks(chain: Chain, time: number): VerifiedBlock[] {
  const made: VerifiedBlock[] = [];
  while (chain.head.time + 3 < time) made.push(produce(chain));
  return made;
}

const received = (block: VerifiedBlock): VerifiedBlock => verifyBlock(parameters.chainId, readBlock(block.packed));

/** A test that runs while the kind of operation is behind the hardfork. */
function behindHardfork(title: string, run: () => void): void {
  test(title, () => plantHardfork('custom_json', planted, run));
}

behindHardfork(
  'an operation behind a hardfork is refused by its name until then, whether it is checked, pending or in a block',
  () => {
    const chain = openChain(parameters);
    for (const when of ['before the first block', 'before the hardfork']) {
      const transaction = makePlanted(chain);
      assert.equal(chain.check(transaction).refusal?.code, refusal.code, when);
      assert.throws(() => chain.accept(transaction), refusal, when);
      assert.throws(() => chain.push(forgedBlock(chain, { transactions: [transaction] })), refusal, when);
      assert.equal(chain.pendingTransactions.length, 0);
      produceBlocks(chain, DUE);
    }
  },
);

behindHardfork(
  'the witnesses vote for a hardfork that their software knows, and the operation is taken from it on',
  () => {
    const store = new MemoryStore();
    const chain = openChain(parameters, store);
    const made = produceBlocks(chain, DUE);
    assert.deepEqual(made[0]?.header.extensions[0], { index: 1, version: planted.version });
    const last = makePlanted(chain);
    assert.throws(() => chain.accept(last), refusal);
    made.push(produce(chain));
    assert(hasHardfork(chain.committed, planted));
    assert.equal(chain.check(makePlanted(chain)).refusal, undefined);
    assert.equal(chain.accept(makePlanted(chain)), 'pending');
    // It was refused before, which is nothing that it keeps.
    assert.equal(chain.accept(last), 'pending');
    made.push(produce(chain));
    const foreign = forgedBlock(chain, { transactions: [makePlanted(chain)] });
    chain.push(foreign);
    made.push(foreign);
    assertSound(chain, parameters, store);

    const [pushed, replayed] = [openChain(parameters), openChain(parameters)];
    for (const block of made) pushed.push(received(block));
    replayed.replay(made.map(received), { signatures: true });
    for (const other of [pushed, replayed, openChain(parameters, store)])
      assert.equal(other.head.stateHash, chain.head.stateHash);
  },
);

behindHardfork('a replay refuses a block that has the operation before the hardfork', () => {
  const [chain, other] = [openChain({ ...parameters, hardforks: appliedHardforks }), openChain(parameters)];
  const block = forgedBlock(chain, { transactions: [] });
  chain.push(block);
  other.push(received(block));
  const early = forgedBlock(chain, { transactions: [makePlanted(chain)] });
  for (const signatures of [true, false]) assert.throws(() => other.replay([received(early)], { signatures }), refusal);
  assert.equal(other.head.number, 1);
});

behindHardfork('a branch from before the hardfork undoes it, and drops what it allowed', () => {
  const store = new MemoryStore();
  const dropped: string[] = [];
  const here = new Chain({
    ...{ store, parameters, durable: false },
    dropped: (transactions) => dropped.push(...transactions.map(({ reason }) => reason?.code ?? '')),
  });
  const there = openChain(parameters);
  while (here.head.time < DUE - 30) there.push(produce(here));
  // Ours skips the slots until the hardfork, theirs makes a block in each of them.
  produce(here, 10);
  assert(hasHardfork(here.committed, planted));
  here.accept(makePlanted(here));
  produce(here);
  here.accept(makePlanted(here));
  for (let k = 0; k < 3; k++) here.push(produce(there));
  assert.equal(here.head.id, there.head.id);
  assert(!hasHardfork(here.committed, planted) && !hasHardfork(here.pendingRows, planted));
  assert.deepEqual(dropped, [refusal.code, refusal.code]);
  assert.throws(() => here.accept(makePlanted(here)), refusal);
  assertSound(here, parameters, store);

  produceBlocks(here, DUE);
  produce(here);
  assert.equal(here.accept(makePlanted(here)), 'pending');
  produce(here);
  // Each block on its own, back to before the hardfork.
  while (hasHardfork(here.committed, planted)) here.undo();
  assert.throws(() => here.accept(makePlanted(here)), refusal);
  assertSound(here, parameters, store);
});

behindHardfork('software that does not know the hardfork follows the chain until then, and stops there', () => {
  const knowing = openChain(parameters);
  const other = openChain({ ...parameters, hardforks: appliedHardforks });
  for (const block of produceBlocks(knowing, DUE)) other.push(received(block));
  const block = produce(knowing);
  assert.throws(() => other.push(received(block)), { name: 'Fault', code: 'outdated' });
  assert.equal(other.head.number, block.number - 1);
});

test('nor does a witness make the block with software that does not know the hardfork', () => {
  // Behind the end of a round: at its end the witness would take back the only vote.
  const late = nextHardfork(DUE + 3);
  const knowing = openChain({ ...parameters, hardforks: [...appliedHardforks, late] });
  const other = openChain({ ...parameters, hardforks: appliedHardforks });
  for (const block of produceBlocks(knowing, DUE + 3)) other.push(received(block));
  const { head } = other;
  assert.throws(() => produce(other), { name: 'Fault', code: 'outdated' });
  assert.equal(other.head.id, head.id);
});

behindHardfork('many blocks in one write are applied up to the one that the software is too old for', () => {
  const knowing = openChain(parameters);
  const old = { ...parameters, hardforks: appliedHardforks };
  const made = produceBlocks(knowing, DUE);
  const last = made.length;
  for (let more = 0; more < 3; more++) made.push(produce(knowing));
  const store = new MemoryStore();
  const other = openChain(old, store);
  assert.throws(() => other.replay(made.map(received), { signatures: false }), { name: 'Fault', code: 'outdated' });
  assert.equal(other.head.id, made[last - 1]?.id);
  // Newer software goes on with the same store, and the old one doesn't any more.
  const newer = openChain(parameters, store);
  newer.replay(made.slice(last).map(received), { signatures: false });
  assert.equal(newer.head.stateHash, knowing.head.stateHash);
  assert.throws(() => openChain(old, store), { name: 'Fault', code: 'outdated' });
});

behindHardfork(
  'a branch that is longer only by a block that the software is too old for stops it, and nothing is lost',
  () => {
    const old = { ...parameters, hardforks: appliedHardforks };
    const store = new MemoryStore();
    const [here, there, other] = [openChain(parameters), openChain(parameters), openChain(old, store)];
    for (const block of produceBlocks(there, DUE - 6)) for (const chain of [here, other]) chain.push(received(block));
    // Ours fills the slot that theirs skips, so theirs is longer by the block of the hardfork.
    other.push(received(produce(here)));
    const { head } = other;
    other.push(received(produce(there, 2)));
    assert.equal(other.head.id, head.id);
    const block = produce(there);
    assert.throws(() => other.push(received(block)), { name: 'Fault', code: 'outdated' });
    assert.deepEqual(openChain(old, store).head, head);
  },
);

test('a rule behind a hardfork has its former value until then, in pending and in blocks, and again when the hardfork is undone', () => {
  const own = { ...testParameters(SMALL), hardforks: [{ ...hardforks.interestVotes, time: DUE }] };
  const store = new MemoryStore();
  const chain = openChain(own, store);
  const create = (letter: string, length = 40): Json => [
    'account_create',
    {
      ...{
        fee: '1.000000 COIN',
        creator: 'alice',
        name_seed: letter.repeat(length),
        memo_key: testKeyText('bob'),
        json_metadata: '',
      },
      ...Object.fromEntries(
        ['owner', 'active'].map((role) => [
          role,
          { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('bob'), 1]] },
        ]),
      ),
    },
  ];
  const makeCreate = (letter: string) => makeTransaction(chain, own, [create(letter)], ['alice']);
  const value = () => currentRule(chain.committed, own.ruleSet, hardforkRules.bounded_name_seeds);
  chain.accept(makeCreate('a'));
  assert.equal(produce(chain).transactions.length, 1);
  chain.push(forgedBlock(chain, { transactions: [makeCreate('b')] }));
  produceBlocks(chain, DUE);
  assert.equal(value(), false);
  produce(chain);
  assert.equal(value(), true);
  assert.throws(() => chain.accept(makeCreate('c')), { code: 'name_seed_too_large' });
  assert.throws(() => chain.push(forgedBlock(chain, { transactions: [makeCreate('c')] })), {
    code: 'name_seed_too_large',
  });
  chain.undo();
  assert.equal(value(), false);
  assert.equal(chain.accept(makeCreate('c')), 'pending');
  assertSound(chain, own, store);
});

test('each set has its own value of a rule from the hardfork on, and both have the former one until then', () => {
  const rule = { since: planted, before: 1, interface: 2, lineage: 3 };
  const chain = openChain(parameters);
  const values = () =>
    (['interface', 'lineage'] as const).map((ruleSet) => currentRule(chain.committed, ruleSet, rule));
  produceBlocks(chain, DUE);
  assert.deepEqual(values(), [1, 1]);
  produce(chain);
  assert.deepEqual(values(), [2, 3]);
});

test('witnesses report the version of the last hardfork that their software knows', () => {
  const chain = openChain(testParameters(SMALL));
  assert.deepEqual(produce(chain).header.extensions[0], { index: 1, version: protocolVersion(knownHardforks) });
});

const passed = nextHardfork(GENESIS_TIME - 60);
const newer: ChainParameters = { ...testParameters(SMALL), hardforks: [...appliedHardforks, passed] };
const older: ChainParameters = { ...testParameters(SMALL), hardforks: appliedHardforks };

/** The number of the last hardfork, and the one that the chain has agreed on. */
const lastHardfork = ({ committed }: Chain) => {
  const { last_hardfork, next_hardfork } = committed.only(hardforkProperty);
  return [last_hardfork, next_hardfork];
};

behindHardfork(
  'a chain that an older program began after the time of a hardfork has the same states with a newer one, which activates it by votes',
  () => {
    const [old, follower, replayed, pending] = [openChain(older), openChain(newer), openChain(newer), openChain(newer)];
    const made = [produce(old), produce(old)];
    // The open block of the newer program has applied the hardfork, which block 1 of the older one has not.
    pending.accept(makePlanted(pending));
    for (const block of made) for (const chain of [follower, pending]) chain.push(received(block));
    replayed.replay(made.map(received), { signatures: true });
    for (const chain of [follower, pending, replayed]) {
      assert.equal(chain.head.stateHash, old.head.stateHash);
      assert.equal(hasHardfork(chain.committed, passed), false);
    }
    assert.throws(() => follower.accept(makePlanted(follower)), { code: 'hardfork_not_applied' });

    const more: VerifiedBlock[] = [];
    while (!hasHardfork(follower.committed, passed)) more.push(produce(follower));
    const last = more.at(-1);
    for (const block of more.slice(0, -1)) old.push(received(block));
    assert.throws(() => old.push(received(last ?? assert.fail('a block'))), { name: 'Fault', code: 'outdated' });
    replayed.replay(more.map(received), { signatures: false });
    assert.equal(replayed.head.stateHash, follower.head.stateHash);
    assert.equal(follower.accept(makePlanted(follower)), 'pending');
  },
);

test('a chain that a newer program begins after the time of a hardfork has it from block 1 on, and an older one stops before block 1', () => {
  const [chain, follower, old] = [openChain(newer), openChain(newer), openChain(older)];
  const block = produce(chain);
  assert.deepEqual(block.header.extensions, [
    { index: 1, version: passed.version },
    { index: 2, hf_version: passed.version, hf_time: passed.time },
  ]);
  follower.push(received(block));
  assert.equal(follower.head.stateHash, chain.head.stateHash);
  assert.deepEqual(lastHardfork(chain), [passed.id, passed.version]);
  assert.throws(() => old.push(received(block)), { name: 'Fault', code: 'outdated', message: /block 1 of this chain/ });
  assert.equal(old.head.number, 0);
  // Nor does a newer program apply it again: the witnesses take nothing back.
  for (let more = 0; more < 10; more++) follower.push(received(produce(chain)));
  assert.deepEqual(lastHardfork(follower), [passed.id, passed.version]);
});

test('block 1 of a chain applies the first hardforks where it names no version', () => {
  const chain = openChain(newer);
  chain.push(forgedBlock(chain));
  assert.deepEqual(lastHardfork(chain)[0], appliedHardforks.length);
});

test('a first block that is not of the witness stops no older program', () => {
  const old = openChain(older);
  const vote = { index: 2, hf_version: passed.version, hf_time: passed.time } as const;
  const block = forgedBlock(old, { header: { extensions: [vote] }, signer: 'alice' });
  assert.throws(() => old.push(block), { name: 'Refusal' });
});

test('a program that declares another time follows the chain by the time that the witnesses agreed on, to the same states', () => {
  const moved = { ...parameters, hardforks: [...appliedHardforks, { ...planted, time: DUE + 3600 }] };
  const [chain, other] = [openChain(parameters), openChain(moved)];
  const made = produceBlocks(chain, DUE);
  for (let more = 0; more < 3; more++) made.push(produce(chain));
  for (const block of made) other.push(received(block));
  assert(hasHardfork(other.committed, planted));
  assert.equal(other.head.stateHash, chain.head.stateHash);
  assert.deepEqual(
    hardforkStanding(other.committed, moved).moved.map(({ by, time }) => [by, time]),
    [['applied', DUE]],
  );
});
