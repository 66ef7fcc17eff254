import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../../src/blocks/block.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { dynamicGlobalProperties } from '../../../src/state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../../src/state/tables/hardfork_property.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { protocolVersion } from '../../../src/state/hardforks.ts';
import { appliedHardforks, nextHardfork } from '../../builders/planted_hardfork.ts';
import { makeVersion } from '../../../src/values/version.ts';
import {
  assertSound,
  testKeyText,
  openChain,
  openSmallBlocks,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { forgedBlock } from '../../builders/forged_block.ts';
import { copyBlock } from '../../builders/parted_witnesses.ts';

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

/** The block is refused, and nothing has changed. */
function assertRefused(chain: Chain, block: VerifiedBlock, code: string): void {
  const before = { ...chain.head };
  assert.throws(() => chain.push(block), refusedAs(code));
  assert.deepEqual({ ...chain.head }, before);
}

test('a forged block without a fault is accepted', () => {
  const chain = openChain();
  produce(chain);
  const block = forgedBlock(chain);
  assert.deepEqual(chain.push(block).applied, [block]);
});

test('headers are checked in their order: previous, time, witness, signature, slot, turn', () => {
  const parameters = testParameters({ initial_witness_req_vesting_balance: 0 });
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  produce(chain);
  const { time, id } = chain.head;
  const stranger = {
    ...forgedBlock(chain, { header: { previous: id.replace(/^00000001/, '00000001').replace(/.$/, 'f') } }),
  };
  assertRefused(chain, stranger, 'unlinkable_block');
  assert.throws(() => chain.replay([stranger], { signatures: false }), refusedAs('block_not_on_head'));
  assertRefused(chain, forgedBlock(chain, { header: { timestamp: time, witness: 'nobody' } }), 'block_too_early');
  assertRefused(chain, forgedBlock(chain, { header: { witness: 'nobody' }, signer: 'bob' }), 'unknown_key');
  assertRefused(chain, forgedBlock(chain, { header: { timestamp: time + 1 }, signer: 'bob' }), 'block_signature');
  assertRefused(chain, forgedBlock(chain, { header: { timestamp: time + 1 } }), 'no_slot');
  const unsigned = forgedBlock(chain);
  assertRefused(chain, { ...unsigned, signer: undefined }, 'signature_without_key');
  chain.accept(makeTransaction(chain, parameters, [['witness_update', witness('alice')]], ['alice']));
  produce(chain);
  assertRefused(chain, forgedBlock(chain, { header: { witness: 'alice' } }), 'wrong_witness');
  assertSound(chain, parameters, store);
});

function witness(owner: string): { [member: string]: Json } {
  return {
    fee: '0.000000 COIN',
    owner,
    url: 'u',
    block_signing_key: testKeyText(owner),
    props: { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] },
  };
}

test('a block that is larger than the witnesses allow is refused', () => {
  const { chain, parameters } = openSmallBlocks();
  const limit = chain.committed.only(dynamicGlobalProperties).maximum_block_size;
  const transfers = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1 + index, 'x'.repeat(800))], ['alice']),
    );
  const large = forgedBlock(chain, { transactions: transfers(40) });
  assert(large.packed.length > limit);
  assertRefused(chain, large, 'block_too_big');
});

test('what would have to wait longer than it is likely to be valid is refused', () => {
  const { chain, parameters } = openSmallBlocks(4);
  assert.throws(() => {
    for (let count = 1; count < 2000; count++)
      chain.accept(
        makeTransaction(chain, parameters, [transferJson('alice', 'bob', count, 'x'.repeat(800))], ['alice']),
      );
  }, refusedAs('too_many_pending'));
});

test('operations without a fee are limited in number and in bytes, until a counter is reset', () => {
  for (const [limits, code] of [
    [{ max_allowed_ops: 3 }, 'operations_exceeded'],
    [{ max_allowed_bandwidth: 200 }, 'bandwidth_exceeded'],
  ] as const) {
    const parameters = testParameters({ ...limits, limit_bandwidth_blocks: 5 });
    const chain = openChain(parameters);
    produce(chain);
    const update = (count: number) =>
      makeTransaction(
        chain,
        parameters,
        [
          [
            'account_update',
            { fee: '0.000000 COIN', account: 'alice', memo_key: testKeyText('bob'), json_metadata: `{"n":${count}}` },
          ],
        ],
        ['alice'],
      );
    let count = 0;
    assert.throws(() => {
      for (; count < 10; count++) chain.accept(update(count));
    }, refusedAs(code));
    assert(count > 0);
    for (let block = 0; block < 7; block++) produce(chain);
    chain.accept(update(count));
  }
});

test('witnesses vote a hardfork in; software that does not know it stops there', () => {
  // One witness, one block a round.
  const usual = testParameters({ max_witnesses: 1, max_voted_witnesses: 1 });
  const chain = openChain({ ...usual, hardforks: appliedHardforks });
  produce(chain);
  const { version: next } = nextHardfork(0);
  const due = chain.head.time + 30;
  const vote = { index: 2, hf_version: next, hf_time: due } as const;
  chain.push(forgedBlock(chain, { header: { extensions: [{ index: 1, version: next }, vote] } }));
  chain.push(forgedBlock(chain));
  const { next_hardfork, next_hardfork_time, current_hardfork_version } = chain.committed.only(hardforkProperty);
  assert.deepEqual(
    [next_hardfork, next_hardfork_time, current_hardfork_version],
    [next, due, protocolVersion(appliedHardforks)],
  );
  while (chain.head.time < due - 3) chain.push(forgedBlock(chain));
  const before = chain.head;
  assert.throws(() => chain.push(forgedBlock(chain)), { name: 'Fault', code: 'outdated' });
  assert.deepEqual(chain.head, before);
});

test('a witness with software older than the chain makes no blocks', () => {
  const parameters = testParameters({ max_witnesses: 1, max_voted_witnesses: 1 });
  const chain = openChain(parameters);
  produce(chain);
  const old = { index: 1, version: makeVersion(1, 1, 0) } as const;
  assertRefused(chain, forgedBlock(chain, { header: { extensions: [old] } }), 'old_software');
});

test('nor in a block in which it stops, whether the transactions of the block were pending or not', () => {
  const free = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };
  const parameters = testParameters({ max_witnesses: 2, max_voted_witnesses: 2, ...free });
  const [knowing, blank] = [openChain(parameters), openChain(parameters)];
  const grow = (): void => void blank.push(copyBlock(parameters, produce(knowing)));
  grow();
  knowing.accept(makeTransaction(knowing, parameters, [['witness_update', witness('alice')]], ['alice']));
  do grow();
  while (knowing.findProductionSlot(knowing.slotTime(1))?.witness !== 'alice');
  const stop = makeTransaction(
    knowing,
    parameters,
    [['witness_stop', { fee: '0.010000 COIN', owner: 'alice' }]],
    ['alice'],
  );
  knowing.accept(stop);
  const block = forgedBlock(knowing, { transactions: [stop] });
  for (const chain of [knowing, blank]) assertRefused(chain, block, 'old_software');
});
