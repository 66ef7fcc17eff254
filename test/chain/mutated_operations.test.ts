import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unlessRefused } from '../../src/base/refusal.ts';
import { readBlock, type PackedBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import {
  packTransaction,
  readTransaction,
  type PackedTransaction,
  type VerifiedTransaction,
} from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { assertSound, testKey, encoding, openChain, people, produce, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { unverifiedTransaction } from '../builders/unsigned_traffic.ts';
import { formSize } from '../builders/forms.ts';

/** A longer run: PHAROS_TEST_MUTATIONS=100000. */
const MUTATIONS = formSize('PHAROS_TEST_MUTATIONS', { short: 500, long: 1500 });
const HOUR = 3600;

/** The ends of all ranges, as they lie in bytes, and symbols of amounts. */
const EXTREMES = [
  ...[
    'ffffffffffffff7f',
    '0000000000000080',
    'ffffffffffffffff',
    '0000000000000000',
    '0100000000000000',
    'ffffffff',
    '00000080',
  ],
  ...['00', '01', '7f', '80', 'ff', '434f494e00000000', '5645535453000000', '5553440000000000'],
].map((hex) => Buffer.from(hex, 'hex'));

/**
 * A node that is sent operations with bytes changed, alone and in signed blocks, and one that only hears of the blocks.
 */
class Pair {
  readonly #parameters: ChainParameters;
  readonly #store = new MemoryStore();
  readonly #randomSource: RandomSource;
  readonly #first: Chain;
  readonly #second: Chain;
  readonly #labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));
  taken = 0;

  constructor(rules: RuleSet, seed: number) {
    const free = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };
    const limits = { max_allowed_ops: 1_000_000, max_allowed_bandwidth: 1_000_000_000 };
    this.#parameters = testParameters(
      { block_interval: HOUR, max_witnesses: 3, max_voted_witnesses: 2, ...free, ...limits },
      rules,
    );
    this.#randomSource = new RandomSource(seed);
    this.#first = openChain(this.#parameters, this.#store);
    this.#second = openChain(this.#parameters);
    this.#share(produce(this.#first));
  }

  run(count: number): void {
    for (let sent = 0; sent < count; sent++) {
      const transaction = unlessRefused(() => this.#mutated());
      if (transaction !== undefined) this.#offer(transaction);
      if (this.#randomSource.chance(5) && !this.#produce()) return;
      if (sent % 200 === 0) assertSound(this.#first, this.#parameters, this.#store);
    }
    assertSound(this.#first, this.#parameters, this.#store);
  }

  /**
   * A good operation with nothing, something or much in it overwritten; undefined when that is no transaction any more.
   */
  #mutated(): VerifiedTransaction {
    const maker = new RandomOperations(this.#first, this.#randomSource, this.#labels);
    const { operation } = maker.make(maker.kind());
    const expiration = this.#first.head.time + HOUR - this.#randomSource.roll(50);
    const good = unverifiedTransaction(this.#first, [operation], 'alice', expiration);
    const bytes = Buffer.from(this.#packed(operation, expiration).packed);
    for (let count = this.#randomSource.roll(3); count > 0; count--) {
      this.#randomSource.pick(EXTREMES).copy(bytes, 10 + this.#randomSource.roll(Math.max(1, bytes.length - 12)));
    }
    const unsigned = readTransaction(new ByteReader(bytes)).transaction;
    const packed = packTransaction({ ...unsigned, signatures: good.transaction.signatures });
    return { ...packed, signers: [this.#signerKey(packed)] };
  }

  #packed(operation: Parameters<typeof operationCodec.fromJson>[0], expiration: number): PackedTransaction {
    const operations = [operationCodec.fromJson(operation, encoding)];
    return packTransaction({
      ...blockReference(this.#first.head.id),
      expiration,
      operations,
      extensions: [],
      signatures: [],
    });
  }

  /** The key of whoever must have signed, so that nothing fails for that. */
  #signerKey({ transaction }: PackedTransaction): string {
    const {
      active = [],
      owner = [],
      other = [],
    } = transaction.operations[0]?.authorities(this.#parameters.rules) ?? {};
    const [name] = [...owner, ...active];
    const authority = name === undefined ? other[0] : this.#first.committed.get(accountAuthorities, name)?.owner;
    return authority?.key_auths[0]?.[0] ?? testKey('alice');
  }

  #offer(transaction: VerifiedTransaction): void {
    if (this.#randomSource.chance(60)) {
      unlessRefused(() => this.#first.accept(transaction));
      return;
    }
    const block = unlessRefused(() => forgedBlock(this.#first, { transactions: [transaction] }));
    if (block === undefined) return;
    // After a few wrong blocks of one slot the next are kept aside.
    const pushed = unlessRefused(() => this.#first.push(block));
    for (const applied of pushed?.applied ?? []) {
      this.#share(applied);
      this.taken++;
    }
  }

  /** False when nobody of the round can sign any more, which ends a chain of the lineage. */
  #produce(): boolean {
    for (let slot = 1; slot < 20; slot++) {
      const scheduled = this.#first.findProductionSlot(this.#first.slotTime(slot));
      if (scheduled === undefined || scheduled.signingKey !== testKey(scheduled.witness)) continue;
      this.#share(produce(this.#first, slot));
      return true;
    }
    return false;
  }

  /** Gives one node's block to every other, which must take it and reach the same state. */
  #share({ packed }: PackedBlock): void {
    // Who signed its transactions was not asked of a curve, so it is trusted.
    this.#second.replay([verifyBlock(this.#parameters.chainId, readBlock(packed))], { signatures: true });
    assert.equal(this.#second.head.stateHash, this.#first.head.stateHash);
  }
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`whatever stands in an operation, it is refused or taken by every node, and no block fails behind it (${rules})`, () => {
    for (const seed of [1, 2]) {
      const pair = new Pair(rules, seed);
      pair.run(MUTATIONS / 2);
      assert(pair.taken > 10);
    }
  });
}
