import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { BlockMessages } from '../../../src/sinks/block_messages.ts';
import type { SourceBlock, SourceChain } from '../../../src/sinks/chain_source.ts';
import { eventForms } from '../../../src/sinks/event_form.ts';
import { findReader, schemaFingerprint, type EventRecord } from '../../../src/sinks/event_schema.ts';
import { Balances, type Holding } from '../../../src/sinks/postgres/balances.ts';
import { BlockRows, accountNames, chainEncoding, readBlock } from '../../../src/sinks/postgres/block_rows.ts';
import { EscrowBook } from '../../../src/sinks/postgres/escrow_book.ts';
import { SinkChain } from '../../../src/sinks/sink_chain.ts';
import { StreamBlocks } from '../../../src/sinks/stream_blocks.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { timeText } from '../../../src/values/time.ts';
import { encoding, readTestParameters } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { formSize } from '../../builders/forms.ts';
import { chainKinds, makeGenesis, type ChainKind } from '../../model/chain_kinds.ts';
import { ComparedChain } from '../../model/compared_chain.ts';

/**
 * Longer runs: `PHAROS_TEST_SEEDS=500 PHAROS_TEST_ROUNDS=300`; `PHAROS_TEST_FIRST_SEED=n` begins at a seed that failed.
 */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 2 });
const ROUNDS = formSize('PHAROS_TEST_ROUNDS', { short: 25, long: 60 });
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

const MOST_ACCOUNTS = 10_000;

function sourceChain({
  chainId,
  coinSymbol,
  isPrivateNet,
  genesis,
  blockIntervalSeconds,
}: ChainParameters): SourceChain {
  return {
    ...{
      chainId,
      coinSymbol,
      isPrivateNet,
      blockIntervalSeconds,
      vestsSymbol: encoding.vestsSymbol,
      keyPrefix: encoding.keyPrefix,
    },
    ...{ coinName: encoding.coinName, genesisTime: timeText(genesis.genesis_time) },
    ...{ vestingWithdrawIntervals: 1, vestingWithdrawIntervalSeconds: 1, vestingWithdrawRoundsUp: true },
  };
}

/**
 * An index of a chain, block by block, as its event stream tells it; at each block as one that has just been started.
 */
class Index {
  /** The database's contents. */
  readonly #held = new Map<string, Holding>();
  readonly #messages = new BlockMessages({ form: eventForms.avro, encoding, withOperations: false });
  readonly #chain: Chain;
  readonly #sink: SinkChain;
  readonly #source: SourceChain;
  readonly #book = new EscrowBook([], false);
  readonly #isTold: boolean;
  #indexed = 0;
  #time: string;

  /** Without `isTold` it is as of a node that has forgotten what operations took. */
  constructor(chain: Chain, parameters: ChainParameters, isTold = true) {
    this.#chain = chain;
    this.#source = sourceChain(parameters);
    this.#sink = new SinkChain({ ...toRows(chain) }, parameters.blockIntervalSeconds, parameters.coinSymbol);
    this.#isTold = isTold;
    this.#time = this.#source.genesisTime;
    for (const { name, balance } of chain.committed.rows(accounts, { limit: MOST_ACCOUNTS }))
      this.#held.set(name, { coins: balance, shares: 0n, isExact: true });
  }

  /** Takes what is new. */
  follow(): void {
    for (; this.#indexed < this.#chain.head.number; this.#indexed++) {
      const block = this.#told(this.#indexed + 1);
      const read = readBlock(block, chainEncoding(this.#source));
      const balances = new Balances();
      for (const name of balances.unknown(accountNames([read], this.#book))) balances.put(name, this.#held.get(name));
      new BlockRows(this.#source, balances, this.#book).add(read, this.#time);
      for (const { name, coins, shares, isExact } of balances.takeChanged())
        this.#held.set(name, { coins, shares, isExact });
      this.#time = block.timestamp;
    }
  }

  #told(number: number): SourceBlock {
    const head = present(this.#sink.head(number), 'a block');
    const blocks = new StreamBlocks();
    for (const { payload } of this.#messages.of(head, this.#sink.operations(head))) {
      const event = blocks.take(decodeRecord(payload));
      if (event !== undefined && 'block' in event) return this.#isTold ? event.block : forgotten(event.block);
    }
    return assert.fail('the block is whole');
  }

  /** Accounts that have something else than the chain says. */
  differences(): string[] {
    return this.#chain.committed
      .rows(accounts, { limit: MOST_ACCOUNTS })
      .flatMap(({ name, balance, vesting_shares }) => {
        const { coins, shares, isExact } = this.#of(name);
        const isSame = (coins === balance || !isExact) && shares === vesting_shares;
        return isSame ? [] : [`${name} has ${balance} and ${vesting_shares}, the index says ${coins} and ${shares}`];
      });
  }

  get doubtful(): number {
    return this.#chain.committed.rows(accounts, { limit: MOST_ACCOUNTS }).filter(({ name }) => !this.#of(name).isExact)
      .length;
  }

  #of(name: string): Holding {
    return this.#held.get(name) ?? { coins: 0n, shares: 0n, isExact: true };
  }
}

function toRows({ committed }: Chain): ConstructorParameters<typeof SinkChain>[0] {
  return {
    get: (table, key) => committed.get(table, key),
    only: (table) => committed.only(table),
    getPlaces: (places) => committed.getPlaces(places),
    version: () => 0,
    consistentRead: (read) => read(),
  };
}

function decodeRecord(payload: Uint8Array): EventRecord;
function decodeRecord(payload: Uint8Array): unknown {
  return present(findReader(schemaFingerprint), 'a reader')(Buffer.from(payload));
}

function forgotten(block: SourceBlock): SourceBlock {
  return { ...block, operations: block.operations.map(({ charge: _charge, ...others }) => others) };
}

/**
 * Returns the number of its accounts that no node could tell completely any more, had it not noted the charges of
 * operations.
 */
function followed(kind: ChainKind, rules: RuleSet, seed: number): number {
  const genesis = makeGenesis(kind, rules);
  const compared = new ComparedChain(genesis, new RandomSource(seed));
  const parameters = readTestParameters(genesis);
  const [index, late] = [new Index(compared.chain, parameters), new Index(compared.chain, parameters, false)];
  if (kind.witnesses !== undefined) compared.elect(kind.witnesses);
  for (let round = 0; round < ROUNDS; round++) {
    const { number } = compared.chain.head;
    compared.run(1, kind.gaps);
    if (compared.chain.head.number === number) break;
    for (const each of [index, late]) {
      each.follow();
      assert.deepEqual(each.differences(), [], `behind block ${compared.chain.head.number}`);
    }
    assert.equal(index.doubtful, 0);
  }
  return late.doubtful;
}

for (const rules of ['interface', 'lineage'] as const) {
  const untold = new Map<string, number>();
  for (const [name, kind] of Object.entries(chainKinds)) {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      test(`an index has what each account of a chain has behind each block: one that is ${name}, under rules ${rules} (seed ${seed})`, () => {
        untold.set(`${name} ${seed}`, followed(kind, rules, seed));
      });
    }
  }
  test(`such chains have operations that take what their blocks do not tell, under rules ${rules}`, () =>
    assert(Math.max(...untold.values()) > 0));
}
