import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import fc from 'fast-check';

import { catchRefusal, Refusal } from '../../src/base/refusal.ts';
import { readBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { timeText } from '../../src/values/time.ts';
import {
  assertSound,
  testKeyText,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
} from '../builders/chain.ts';
import { isLong } from '../builders/forms.ts';

// An hour a block: rewards and interest begin after a day, 24 blocks, and prices are set with every block.
const HOUR = 3600;

function makeParameters(rules: RuleSet): ChainParameters {
  const small = {
    max_witnesses: 5,
    max_voted_witnesses: 3,
    initial_witness_req_vesting_balance: 1_000_000,
    final_witness_req_vesting_balance: 1_000_000,
  };
  return testParameters({ ...small, block_interval: HOUR, max_allowed_ops: 3 }, rules);
}

interface Act {
  readonly signer: string;
  readonly operation: (now: number) => Json;
}

const person = fc.constantFrom(...people);
const units = fc.integer({ min: 1, max: 5_000_000 });
const coin = (amount: number): string => `${amount}.000000 COIN`;
const fee = '0.010000 COIN';
const free = '0.000000 COIN';

/** The parts of an act. */
const cast = fc.record({
  signer: person,
  other: fc.oneof(person, fc.constantFrom('none', 'nobody', '')),
  third: person,
  amount: units,
  number: fc.integer({ min: 0, max: 3 }),
  yes: fc.boolean(),
});
type Cast = typeof cast extends fc.Arbitrary<infer T> ? T : never;

const act: fc.Arbitrary<Act> = fc.tuple(cast, fc.integer({ min: 0, max: 15 })).map(([chosen, kind]) => ({
  signer: chosen.signer,
  operation: (now) => bodies(chosen, now)[kind] ?? assert.fail(),
}));

function bodies({ signer, other, third, amount, number, yes }: Cast, now: number): Json[] {
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072 + number };
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText(signer), 1]] };
  const account = {
    name_seed: `${signer}${number}`,
    owner: authority,
    active: authority,
    memo_key: testKeyText(signer),
    json_metadata: '',
  };
  const escrow = { from: signer, to: third, agent: 'erin', escrow_id: number };
  const deadlines = { ratification_deadline: timeText(now + 2 * HOUR), escrow_expiration: timeText(now + 3 * HOUR) };
  return [
    ['transfer', { fee, from: signer, to: other, amount: coin(amount), memo: `${number}` }],
    ['transfer_to_vesting', { fee: free, from: signer, to: other, amount: coin(amount) }],
    ['withdraw_vesting', { fee: free, account: signer, vesting_shares: `${yes ? amount : 0}.000000 VESTS` }],
    ['witness_update', { fee: free, owner: signer, url: 'x', block_signing_key: testKeyText(signer), props }],
    ['witness_stop', { fee, owner: signer }],
    ['account_witness_vote', { fee: free, account: signer, witness: third, approve: yes }],
    ['account_witness_proxy', { fee: free, account: signer, proxy: yes ? third : '' }],
    ['feed_publish', { fee: free, publisher: signer, exchange_rate: { base: coin(amount), quote: '1.000000 USD' } }],
    ['account_create', { fee: '0.500000 COIN', creator: signer, ...account }],
    ['custom_json', { fee, sender: signer, recipients: [third, 'erin'], app_id: number, json: '{}' }],
    [
      'escrow_transfer',
      { fee, ...escrow, coin_amount: coin(amount), escrow_fee: coin(number), json_meta: '', ...deadlines },
    ],
    ['escrow_approve', { fee, ...escrow, who: yes ? third : 'erin', approve: number > 0 }],
    ['escrow_release', { fee, ...escrow, who: signer, receiver: third, coin_amount: coin(amount) }],
    ['sponsor_fees', { fee: free, sponsor: signer, sponsored: third, is_sponsoring: yes }],
    ['account_update', { fee: free, account: signer, memo_key: testKeyText(third), json_metadata: `{"n":${number}}` }],
    ['application_create', { fee, author: signer, name: `app${number}`, url: 'x', metadata: '', price_param: 0 }],
  ];
}

interface Round {
  readonly acts: readonly Act[];
  /** Slots until the block: more than one leaves some missed. */
  readonly slot: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  acts: fc.array(act, { maxLength: 6 }),
  slot: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 60 })),
});
const history = fc.array(round, { minLength: 30, maxLength: 45 });

function act1(chain: Chain, parameters: ChainParameters, { signer, operation }: Act): boolean {
  const { time } = chain.head;
  const transaction = (): VerifiedTransaction =>
    makeTransaction(chain, parameters, [operation(time)], [signer], { expiration: time + HOUR });
  return catchRefusal(() => void chain.accept(transaction())) === undefined;
}

/**
 * A block in the slot, or in a later one when its witness is gone; undefined when pending transactions made it invalid.
 */
function produceSlot(chain: Chain, slot: number): ReturnType<typeof produce> | undefined {
  for (let late = slot; late < slot + 8; late++) {
    const scheduled = chain.findProductionSlot(chain.slotTime(late));
    if (scheduled?.signingKey === undefined || /^0+$/.test(scheduled.signingKey)) continue;
    try {
      return produce(chain, late);
    } catch (error) {
      // Under the lineage's rules a transfer to the null account makes the block invalid that it is in.
      if (!(error instanceof Refusal) || error.code !== 'supply_lost') throw error;
    }
  }
  return undefined;
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`under rules ${rules} every sealed block is what others apply, nothing is lost, and all can be taken back`, () => {
    const parameters = makeParameters(rules);
    fc.assert(
      fc.property(history, (rounds) => {
        const [store, otherStore] = [new MemoryStore(), new MemoryStore()];
        const [chain, other] = [openChain(parameters, store), openChain(parameters, otherStore)];
        const hashes = new Map([[0, chain.head.stateHash]]);
        for (const { acts, slot } of rounds) {
          for (const each of acts) act1(chain, parameters, each);
          const block = produceSlot(chain, slot);
          if (block === undefined) continue;
          other.push(verifyBlock(parameters.chainId, readBlock(block.packed)));
          assert.equal(other.head.stateHash, chain.head.stateHash, `block ${block.number}`);
          hashes.set(block.number, chain.head.stateHash);
          assertSound(chain, parameters, store);
        }
        const final = other.head.lastIrreversible;
        while (other.head.number > final) {
          other.undo();
          assert.equal(other.head.stateHash, hashes.get(other.head.number));
          assertSound(other, parameters, otherStore);
        }
      }),
      { numRuns: isLong ? 12 : 6 },
    );
  });
}

test('a disk and the memory come to the same state', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-chain-'));
  const store = await openRocksDb(folder);
  try {
    const parameters = makeParameters('interface');
    const [chain, memory] = [openChain(parameters, store), openChain(parameters)];
    for (const { acts, slot } of fc.sample(round, { numRuns: isLong ? 40 : 20, seed: 7 })) {
      for (const each of acts) act1(chain, parameters, each);
      const block = produceSlot(chain, slot);
      if (block !== undefined) memory.push(block);
      assert.equal(memory.head.stateHash, chain.head.stateHash);
      assertSound(chain, parameters, store);
    }
    const before = chain.head;
    const reopened = openChain(parameters, store);
    assert.deepEqual(reopened.head, before);
    reopened.undo();
    memory.undo();
    assert.equal(reopened.head.stateHash, memory.head.stateHash);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
