import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { findRecovery } from '../../src/base/recovery.ts';
import { Refusal, catchRefusal } from '../../src/base/refusal.ts';
import { readBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { DroppedTransaction } from '../../src/chain/pending/pending.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import { blocks } from '../../src/state/tables/block.ts';
import { accountHistories } from '../../src/state/tables/account_history.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import {
  assertSound,
  accountBalance,
  fillNextBlock,
  openChain,
  openSmallBlocks,
  headPosition,
  produce,
  testKeyText,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';
import { passBlocks } from '../builders/pass_blocks.ts';

const hourly = testParameters({ block_interval: 3600 });

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

test('a new chain begins with the accounts of its genesis and reopens as it was', () => {
  const store = new MemoryStore();
  const parameters = testParameters();
  const chain = openChain(parameters, store);
  assert.deepEqual([chain.head.number, chain.head.time], [0, parameters.genesis.genesis_time]);
  assert.equal(accountBalance(chain, 'alice'), 10_000_000_000_000n);
  assertSound(chain, parameters, store);
  produce(chain);
  produce(chain);
  const reopened = openChain(parameters, store);
  assert.deepEqual(reopened.head, chain.head);
  assert.equal(produce(reopened).number, 3);
  assertSound(reopened, parameters, store);
});

test('blocks that are applied many in one write leave the state of blocks that are made one by one', () => {
  const [made, passed] = [openChain(hourly), openChain(hourly)];
  for (const chain of [made, passed]) produce(chain);
  for (let block = 0; block < 99; block++) produce(made);
  passBlocks(passed, 99);
  for (const chain of [made, passed]) {
    chain.accept(
      makeTransaction(chain, hourly, [transferJson('alice', 'bob', 1)], ['alice'], {
        expiration: chain.head.time + 3600,
      }),
    );
    produce(chain);
  }
  assert.deepEqual(headPosition(passed), headPosition(made));
  // What can't be undone is final, whoever confirms it.
  assert.deepEqual([passed.head.lastIrreversible, made.head.lastIrreversible], [100, 50]);
});

test('a store of another chain is not opened', () => {
  const store = new MemoryStore();
  openChain(testParameters(), store);
  assert.throws(() => openChain(testParameters({ base_fee: 1 }), store), /the data is of chain/);
});

test('a transfer is pending at once, and in the next block without being applied again', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  const transfer = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 5_000_000)], ['alice']);
  assert.equal(chain.accept(transfer), 'pending');
  assert.equal(chain.pendingRows.get(accounts, 'bob')?.balance, 10_000_005_000_000n);
  assert.equal(accountBalance(chain, 'bob'), 10_000_000_000_000n);
  const block = produce(chain);
  assert.deepEqual(block.transactions, [transfer]);
  assert.equal(accountBalance(chain, 'bob'), 10_000_005_000_000n);
  assert.equal(accountBalance(chain, 'alice'), 9_999_994_990_000n);
  const [history] = chain.committed.rows(accountHistories, {
    from: { account: 'bob' },
    to: { account: 'bob' },
    limit: 10,
  });
  assert.deepEqual(history, {
    account: 'bob',
    first_sequence: 0,
    block: 1,
    entries: [{ trx_in_block: 0, op_in_trx: 0, virtual_op: 0 }],
  });
});

test('a refused transaction leaves no trace, wherever it fails', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const plain = openChain(parameters);
  produce(plain);
  const two = [transferJson('alice', 'bob', 1), transferJson('alice', 'bob', 99_000_000_000_000n)];
  assert.throws(
    () => chain.accept(makeTransaction(chain, parameters, two, ['alice'])),
    refusedAs('insufficient_funds'),
  );
  assert.throws(
    () => chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['bob'])),
    refusedAs('missing_active_authority'),
  );
  assert.throws(
    () => chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice', 'bob'])),
    refusedAs('irrelevant_signature'),
  );
  assert.throws(() => chain.accept(makeTransaction(chain, parameters, [], ['alice'])), refusedAs('no_operations'));
  const late = chain.head.time + 3601;
  assert.throws(
    () =>
      chain.accept(
        makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], { expiration: late }),
      ),
    refusedAs('expiration_too_far'),
  );
  const early = chain.head.time;
  assert.throws(
    () =>
      chain.accept(
        makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], { expiration: early }),
      ),
    refusedAs('transaction_expired'),
  );
  const unknown = `00000001${'ab'.repeat(16)}`;
  assert.throws(
    () =>
      chain.accept(
        makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], { reference: unknown }),
      ),
    refusedAs('unknown_reference_block'),
  );
  const large = Array.from({ length: 8 }, (_, index) => transferJson('alice', 'bob', 1, `${index}`.repeat(1500)));
  assert.throws(
    () => chain.accept(makeTransaction(chain, parameters, large, ['alice'])),
    /the transaction has 1\d{4} bytes; at most 8192 are taken$/,
  );
  produce(chain);
  produce(plain);
  assert.equal(chain.head.stateHash, plain.head.stateHash);
});

test('a transaction counts once: not twice while it is pending, nor after its block', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const transfer = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice']);
  chain.accept(transfer);
  assert.throws(() => chain.accept(transfer), refusedAs('duplicate_transaction'));
  produce(chain);
  assert.throws(() => chain.accept(transfer), refusedAs('duplicate_transaction'));
});

test('a transaction that would expire before its block stays out of it', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const kept = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], {
    expiration: chain.head.time + 30,
  });
  const dropped = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 2)], ['alice'], {
    expiration: chain.head.time + 5,
  });
  chain.accept(dropped);
  chain.accept(kept);
  assert.deepEqual(produce(chain, 3).transactions, [kept]);
  assert.equal(accountBalance(chain, 'bob'), 10_000_000_000_001n);
});

test('a transaction that expires before the next slot is refused, unless it may wait in vain, and gets into no block', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const doomed = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], {
    expiration: chain.head.time + 1,
  });
  const kept = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 2)], ['alice']);
  assert.throws(() => chain.accept(doomed), refusedAs('expires_too_soon'));
  assert.equal(chain.accept(doomed, true), 'waiting');
  assert.throws(() => chain.accept(doomed), refusedAs('duplicate_transaction'));
  assert.equal(chain.accept(kept), 'pending');
  assert.deepEqual(produce(chain).transactions, [kept]);
  assert.deepEqual(chain.pendingTransactions, []);
  assert.throws(() => chain.accept(doomed), refusedAs('transaction_expired'));
});

test('what waits for a place and is not valid any more when its turn comes is dropped, and what follows it is not', () => {
  const { chain, parameters } = openSmallBlocks();
  const transfer = (from: string, amount: bigint | number): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson(from, 'carol', amount, 'x'.repeat(400))], [from]);
  fillNextBlock(chain, parameters);
  const most = accountBalance(chain, 'bob') - 10_000_000n;
  const [first, second, third] = [transfer('bob', most), transfer('bob', most - 1n), transfer('bob', 5)];
  // Each could be applied alone.
  for (const each of [first, second, third]) assert.equal(chain.accept(each), 'waiting');
  produce(chain);
  assert.deepEqual(
    produce(chain)
      .transactions.map(({ id }) => id)
      .slice(1),
    [first.id, third.id],
  );
  assert.deepEqual(produce(chain).transactions, []);
});

test('followers are told of a block before the next one is filled with what waits', () => {
  const { chain: maker, parameters, store } = openSmallBlocks();
  const pendingWhenTold: number[] = [];
  const chain: Chain = new Chain({
    ...{ store, parameters, durable: false },
    changed: () => pendingWhenTold.push(chain.pendingTransactions.length),
  });
  assert.equal(chain.head.id, maker.head.id);
  fillNextBlock(chain, parameters);
  produce(chain);
  assert.deepEqual(pendingWhenTold, [0]);
  assert.equal(chain.pendingTransactions.length, 1);
});

test('what needs a transaction that waits for a place is told to come again, until that has one', () => {
  const { chain, parameters } = openSmallBlocks();
  fillNextBlock(chain, parameters);
  const seed = 'a newcomer';
  const name = nameFromSeed(seed);
  const by = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('dave'), 1]] };
  const keys = { owner: by, active: by, memo_key: testKeyText('dave'), json_metadata: '' };
  const creation: Json = JSON.parse(
    JSON.stringify(['account_create', { fee: '1.000000 COIN', creator: 'bob', name_seed: seed, ...keys }]),
  );
  const [created, paid] = [creation, transferJson('bob', name, 10_000_000)];
  assert.equal(chain.accept(makeTransaction(chain, parameters, [created, paid], ['bob'])), 'waiting');
  const payment = makeTransaction(chain, parameters, [transferJson(name, 'erin', 1)], ['dave']);
  const refusal = catchRefusal(() => void chain.accept(payment)) ?? assert.fail('it is refused');
  assert.equal(refusal.code, 'depends_on_waiting');
  assert.equal(findRecovery(refusal.code), 'wait');
  assert.deepEqual(refusal.details['waiting_accounts'], [name]);
  assert.equal(refusal.details['refused_as'], 'unknown_key');
  // A client of the lineage hears what the lineage would say.
  const alone = catchRefusal(() => void openSmallBlocks().chain.accept(payment)) ?? assert.fail('it is refused');
  assert.deepEqual([refusal.lineageCode, refusal.lineage], [alone.lineageCode, alone.lineage]);
  assert.equal(chain.check(payment).refusal?.message, refusal.message);
  produce(chain);
  assert.equal(chain.accept(payment), 'pending');
});

test('what no waiting transaction could cure is refused as ever', () => {
  const { chain, parameters } = openSmallBlocks();
  fillNextBlock(chain, parameters);
  const transfer = (from: string, amount: bigint | number, options = {}): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson(from, 'erin', amount)], [from], options);
  const overdrawn = (from: string): VerifiedTransaction => transfer(from, accountBalance(chain, from) + 1n);
  const signedBy = (...keys: string[]): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson('carol', 'erin', 1)], keys);
  const long = transferJson('carol', 'erin', 1, 'x'.repeat(400));
  const refusedNow: [VerifiedTransaction, string][] = [
    [signedBy(), 'missing_active_authority'],
    [signedBy('bob'), 'missing_active_authority'],
    [signedBy('carol', 'bob'), 'irrelevant_signature'],
    [makeTransaction(chain, parameters, [long, long, long], ['carol']), 'transaction_too_big'],
    [overdrawn('bob'), 'insufficient_funds'],
    [overdrawn('carol'), 'depends_on_waiting'],
    [transfer('carol', 1, { expiration: chain.head.time }), 'transaction_expired'],
    [transfer('carol', 1, { expiration: chain.head.time + 1_000_000 }), 'expiration_too_far'],
    [transfer('carol', 0), 'amount_not_positive'],
  ];
  for (const [transaction, code] of refusedNow) {
    assert.throws(() => chain.accept(transaction), refusedAs(code));
    assert.equal(chain.check(transaction).refusal?.code, code);
  }
  while (chain.waitingTransactions > 0) produce(chain);
  assert.throws(() => chain.accept(overdrawn('carol')), refusedAs('insufficient_funds'));
});

test('a waiting transaction that sets an authority may be what signatures lack', () => {
  const { chain, parameters } = openSmallBlocks();
  fillNextBlock(chain, parameters);
  const active = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('dave'), 1]] };
  const update: Json = JSON.parse(
    JSON.stringify([
      'account_update',
      {
        fee: '1.000000 COIN',
        account: 'carol',
        active,
        memo_key: testKeyText('carol'),
        json_metadata: JSON.stringify({ x: 'x'.repeat(400) }),
      },
    ]),
  );
  assert.equal(chain.accept(makeTransaction(chain, parameters, [update], ['carol'])), 'waiting');
  const payment = makeTransaction(chain, parameters, [transferJson('carol', 'erin', 1)], ['dave']);
  const refusal = catchRefusal(() => void chain.accept(payment)) ?? assert.fail('it is refused');
  assert.deepEqual([refusal.code, refusal.details['waiting_accounts']], ['depends_on_waiting', ['carol']]);
  while (chain.waitingTransactions > 0) produce(chain);
  assert.equal(chain.accept(payment), 'pending');
});

test('what overtakes a transaction that it needs is dropped as one that may come again', () => {
  const { parameters, store } = openSmallBlocks();
  const dropped: DroppedTransaction[] = [];
  const chain = new Chain({ ...{ store, parameters, durable: false }, dropped: (gone) => dropped.push(...gone) });
  const other = openChain(parameters);
  for (const { packed } of [1, 2, 3].map((number) => chain.block(number) ?? assert.fail('a block')))
    other.push(verifyBlock(parameters.chainId, readBlock(packed)));
  const transfer = (from: string, to: string, amount: bigint, memo = ''): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson(from, to, amount, memo)], [from]);
  // Room for one more of these, and not for a larger one.
  for (let amount = 1n; amount <= 61n; amount++) chain.accept(transfer('alice', 'carol', amount, 'x'.repeat(400)));
  const gift = transfer('erin', 'dave', 1_000_000n, 'x'.repeat(600));
  const spent = transfer('dave', 'bob', accountBalance(chain, 'dave') + 500_000n);
  produce(chain);
  for (const each of [gift, spent]) assert.equal(chain.accept(each), 'pending');
  // Another branch gives the full block's transactions back, and the gift has no place beside them.
  for (let number = 0; number < 2; number++)
    chain.push(verifyBlock(parameters.chainId, readBlock(produce(other, 1 + number).packed)));
  assert.equal(chain.isPending(gift.id), true);
  assert.deepEqual(
    dropped.map(({ transaction, reason }) => [transaction.id, reason?.code, reason?.details['refused_as']]),
    [[spent.id, 'depends_on_waiting', 'insufficient_funds']],
  );
});

test('what does not fit into a block waits for the next one, in order', () => {
  // Blocks of the smallest size that witnesses can agree on hold about 64 of these.
  const { chain, parameters } = openSmallBlocks();
  const limit = chain.committed.only(dynamicGlobalProperties).maximum_block_size;
  const sent = Array.from({ length: 120 }, (_, index) =>
    makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1 + index, 'x'.repeat(400))], ['alice']),
  );
  const verdicts = sent.map((transfer) => chain.accept(transfer));
  assert(verdicts.includes('waiting') && verdicts[0] === 'pending');
  assert.equal(chain.waitingTransactions, verdicts.filter((verdict) => verdict === 'waiting').length);
  assert.equal(chain.pendingTransactions.length + chain.waitingTransactions, sent.length);
  assert.throws(() => chain.accept(sent.at(-1) ?? assert.fail()), refusedAs('duplicate_transaction'));
  const [first, second, third] = [produce(chain), produce(chain), produce(chain)];
  assert(first.packed.length <= limit && first.packed.length > limit / 2);
  const included = [first, second, third].flatMap(({ transactions }) => transactions.map(({ id }) => id));
  assert.deepEqual(
    included,
    sent.map(({ id }) => id),
  );
});

test('the first block applies the hardforks of the past, and files them under block 0', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice']));
  const block = produce(chain);
  assert.deepEqual(
    block.header.extensions.map(({ index }) => index),
    [1, 2],
  );
  assert.equal(chain.committed.only(hardforkProperty).last_hardfork, 2);
  assert.equal(chain.committed.get(blocks, 0)?.virtual_operations.length, 2);
  assert.equal(chain.committed.get(witnesses, 'initminer')?.running_version, 0x0102_0000);
});

test('a chain that began before the hardforks applies those that are due when its first block comes', () => {
  const parameters = testParameters({ genesis_time: '2018-12-03T11:00:00' });
  const chain = openChain(parameters);
  chain.accept(
    makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice'], {
      expiration: chain.head.time + 3600,
    }),
  );
  assert.equal(chain.pendingRows.only(hardforkProperty).last_hardfork, 0);
  const block = produce(chain, 1200);
  assert.equal(block.transactions.length, 1);
  assert.equal(chain.committed.only(hardforkProperty).last_hardfork, 1);
  const other = openChain(parameters);
  other.push(verifyBlock(parameters.chainId, readBlock(block.packed)));
  assert.equal(other.head.stateHash, chain.head.stateHash);
});

test('a block that another node made of the same transactions is adopted from what is pending', () => {
  const parameters = testParameters();
  const [producer, follower, blank] = [openChain(parameters), openChain(parameters), openChain(parameters)];
  const push = (block: Parameters<typeof follower.push>[0]): void => {
    for (const chain of [follower, blank]) chain.push(block);
  };
  push(produce(producer));
  for (let index = 0; index < 5; index++) {
    const transfer = makeTransaction(producer, parameters, [transferJson('alice', 'bob', 1 + index)], ['alice']);
    producer.accept(transfer);
    follower.accept(transfer);
  }
  push(produce(producer));
  assert.equal(follower.head.stateHash, producer.head.stateHash);
  assert.equal(blank.head.stateHash, producer.head.stateHash);
  assert.deepEqual(follower.pendingTransactions, []);
});

test('a block of others takes its transactions out of what is pending; the rest stays', () => {
  const parameters = testParameters();
  const [producer, follower] = [openChain(parameters), openChain(parameters)];
  follower.push(produce(producer));
  const [one, two] = [1, 2].map((amount) =>
    makeTransaction(producer, parameters, [transferJson('alice', 'bob', amount)], ['alice']),
  );
  assert(one !== undefined && two !== undefined);
  producer.accept(two);
  follower.accept(one);
  follower.accept(two);
  follower.push(produce(producer));
  assert.deepEqual(follower.pendingTransactions, [one]);
});

test('a wrong key, a wrong slot and a wrong producer make no block', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  const scheduled = chain.findProductionSlot(chain.slotTime(1));
  assert(scheduled !== undefined);
  const signature = `1f${'11'.repeat(64)}`;
  assert.throws(
    () => chain.seal({ ...scheduled, timestamp: parameters.genesis.genesis_time + 1, sign: () => signature }),
    refusedAs('no_slot'),
  );
  assert.throws(() => chain.seal({ ...scheduled, witness: 'alice', sign: () => signature }), refusedAs('unknown_key'));
  assert.throws(() => chain.seal({ ...scheduled, sign: () => signature }), Refusal);
  assert.equal(chain.head.number, 0);
  assert.equal(produce(chain).number, 1);
});
