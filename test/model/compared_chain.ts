import { quickSignature } from '../builders/quick_signature.ts';
import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import { catchRefusal, type Refusal } from '../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import {
  testKey,
  testKeyText,
  encoding,
  openChain,
  readTestParameters,
  testSecret,
  unsignedTransaction,
  makeTransaction,
} from '../builders/chain.ts';
import type { RandomSource } from '../builders/random_source.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { Adapter } from './adapter.ts';
import { differences } from './compare.ts';
import { Model } from './model.ts';
import { readGenesis, type Genesis } from './parameters.ts';
import { sameRefusal } from './refusal_codes.ts';
import type { Rules } from './rules.ts';
import { twisted } from './twists.ts';
import { count } from '../builders/counts.ts';

const FREE = '0.000000 COIN';
const MOST_SLOTS_WAITED = 40; // some witness of a round has a key that we know, unless the chain has stopped for good
const VALID_SECONDS = 3600; // as long as a transaction can be valid

/** The pace of time in a random network. */
export interface SlotGaps {
  /** Of a hundred blocks, how many come after missed slots. */
  readonly gapPercent: number;
  /** The longest of the rare gaps, in slots. */
  readonly longestGap: number;
}

/**
 * A chain and the model of it: everything that is sent goes to both, and after every block they are compared row by
 * row.
 */
export class ComparedChain {
  readonly chain: Chain;
  readonly model: Model;
  /** Counts of operations of each kind that both took, and of each refusal. */
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly #parameters: ChainParameters;
  readonly #adapter = new Adapter(encoding);
  readonly #randomSource: RandomSource;
  readonly #interval: number;
  /** Which secret belongs to a public key. */
  readonly #labels = new Map<string, string>();

  /** `otherRules` are rules that the model keeps otherwise than its rule set says: the two must part then. */
  constructor(
    genesis: Genesis & { [member: string]: Json },
    randomSource: RandomSource,
    otherRules: Partial<Rules> = {},
  ) {
    this.#parameters = readTestParameters(genesis);
    this.#randomSource = randomSource;
    const parameters = readGenesis(genesis, encoding.keyPrefix, otherRules);
    this.#interval = parameters.interval;
    this.chain = openChain(this.#parameters);
    this.model = new Model(parameters);
    for (const name of [...parameters.initialAccounts.map((account) => account.name), 'initminer'])
      this.#labels.set(testKey(name), name);
    this.#compare();
  }

  /** Runs so many blocks of random operations; stops early when nobody can produce any more. */
  run(blocks: number, gaps: SlotGaps): void {
    for (let made = 0; made < blocks; made++) {
      for (let sent = this.#randomSource.roll(10); sent > 0; sent--) this.#sendRandom();
      if (!this.produceAt(this.#nextTime(gaps))) return;
    }
  }

  /**
   * Makes these accounts witnesses that hold some vesting shares and vote for themselves, before anything else happens.
   */
  elect(owners: readonly string[]): void {
    this.produce();
    const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };
    for (const owner of owners) {
      const became: Json = [
        'witness_update',
        { fee: FREE, owner, url: 'u', block_signing_key: testKeyText(owner), props },
      ];
      const voted: Json = ['account_witness_vote', { fee: FREE, account: owner, witness: owner, approve: true }];
      const vested: Json = ['transfer_to_vesting', { fee: FREE, from: owner, to: '', amount: '0.500000 COIN' }];
      assert(this.send([vested, became, voted], [owner]), owner);
    }
    this.produce();
  }

  /** Sends a transaction to both; answers whether they took it. */
  send(operations: readonly Json[], signers: readonly string[]): boolean {
    return this.#offer(
      makeTransaction(this.chain, this.#parameters, operations, signers, {
        expiration: this.chain.head.time + VALID_SECONDS,
      }),
    );
  }

  /** A block at the next slot, or so many slots later. */
  produce(slot = 1): void {
    assert(this.produceAt(this.chain.slotTime(slot)), 'somebody can produce');
  }

  /** A block at the time, or in one of the slots behind it; false when nobody can. */
  produceAt(time: number): boolean {
    for (let waited = 0; waited < MOST_SLOTS_WAITED; waited++) {
      const timestamp = time + waited * this.#interval;
      const scheduled = present(this.chain.findProductionSlot(timestamp), 'a slot');
      assert.equal(this.model.productionSlotAt(timestamp), scheduled.witness, 'whose turn it is');
      const label =
        this.#labels.get(scheduled.signingKey ?? '') ??
        (testKey(scheduled.witness) === scheduled.signingKey ? scheduled.witness : undefined);
      if (label === undefined) continue;
      return this.#seal({
        witness: scheduled.witness,
        timestamp,
        sign: (digest) => quickSignature(digest, testSecret(label)),
      });
    }
    return false;
  }

  /** False when no such block can be: the lineage's rules let a chain end. */
  #seal(request: Parameters<Chain['seal']>[0]): boolean {
    let block: VerifiedBlock | undefined;
    const refusal = catchRefusal(() => {
      block = this.chain.seal(request);
    });
    if (block === undefined) {
      this.#endBoth(request, refusal);
      return false;
    }
    const included = this.model.select(this.#adapter.header(block));
    assert.deepEqual(
      block.transactions.map(({ id }) => id),
      included.map(({ id }) => id),
      'the transactions of the block',
    );
    assert.equal(this.model.apply(this.#adapter.block(block)), undefined, 'the model takes the block');
    this.#compare();
    assert.deepEqual(
      this.chain.pendingTransactions.map(({ id }) => id),
      this.model.waiting.map(({ id }) => id),
      'what waits on',
    );
    return true;
  }

  /** The chain refused its own block; so must the model. */
  #endBoth({ witness, timestamp }: Parameters<Chain['seal']>[0], refusal: Refusal | undefined): void {
    const header = { number: this.chain.head.number + 1, id: '0'.repeat(40), timestamp, witness };
    const reason = this.model.apply({ header, transactions: this.model.select(header) });
    assert(
      sameRefusal(refusal?.code, reason),
      `the chain refuses a block (${refusal?.code}), the model says ${reason}`,
    );
  }

  #compare(): void {
    const found = differences(this.chain.committed, this.model.head, encoding);
    assert.deepEqual(found, [], `behind block ${this.chain.head.number}`);
  }

  /**
   * Mostly the next slot; now and then some are missed, or nobody was there for days; and a block need not be in time.
   */
  #nextTime({ gapPercent, longestGap }: SlotGaps): number {
    const slot = this.#randomSource.chance(gapPercent)
      ? 1 + this.#randomSource.roll(this.#randomSource.chance(80) ? 8 : longestGap)
      : 1;
    const late = this.#randomSource.chance(this.#interval > VALID_SECONDS ? 50 : 15)
      ? this.#randomSource.roll(this.#interval)
      : 0;
    return this.chain.slotTime(slot) + late;
  }

  #sendRandom(): void {
    const randomSource = this.#randomSource;
    const { time, number } = this.chain.head;
    // What would expire before the next block has to wait for one, and nobody knows what becomes of it.
    if (this.chain.slotTime(1) > time + VALID_SECONDS) return;
    const maker = new RandomOperations(this.chain, randomSource, this.#labels);
    const made = Array.from({ length: randomSource.chance(75) ? 1 : 1 + randomSource.roll(4) }, () =>
      maker.make(maker.kind()),
    );
    const signers = [...new Set(made.flatMap((each) => each.signers))];
    const chosen = randomSource.chance(95)
      ? signers
      : randomSource.pick([[], ['alice'], [...signers, 'nobody'], [...signers, ...signers]]);
    const expiration =
      time + (randomSource.chance(96) || number === 0 ? VALID_SECONDS : randomSource.pick([VALID_SECONDS + 1, 0, -1]));
    const operations = twisted(
      made.map(({ operation }) => operation),
      randomSource,
    );
    const reference = this.#reference();
    const options = { expiration, ...(reference === undefined ? {} : { reference }) };
    const transaction = unsignedTransaction(this.chain, this.#parameters, operations, chosen, options);
    if (this.#offer(transaction) && randomSource.chance(5)) assert(!this.#offer(transaction), 'nothing is taken twice');
  }

  /** Mostly the head, sometimes an older block or none. */
  #reference(): string | undefined {
    if (this.#randomSource.chance(94)) return undefined;
    const block = this.chain.block(this.#randomSource.roll(this.chain.head.number + 1));
    return this.#randomSource.chance(50)
      ? block?.id
      : this.#randomSource.pick(['0'.repeat(40), `00000001${'ab'.repeat(16)}`]);
  }

  #offer(transaction: VerifiedTransaction): boolean {
    const { operations } = transaction.transaction;
    const refusal = catchRefusal(() => assert.equal(this.chain.accept(transaction), 'pending'));
    const reason = this.model.accept(this.#adapter.transaction(transaction));
    if (!sameRefusal(refusal?.code, reason))
      assert.fail(`the chain says ${refusal?.code} (${refusal?.message}), the model ${reason}: ${shown(operations)}`);
    if (reason === undefined) for (const { kind } of operations) count(this.accepted, kind.name);
    else count(this.refused, reason);
    return refusal === undefined;
  }
}

function shown(operations: readonly Operation[]): string {
  return JSON.stringify(operations.map((operation) => [operation.kind.name, operation.bodyToJson(encoding)]));
}
