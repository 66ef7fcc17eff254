import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import { countBack, datedSteps, type BalanceStep, type MoneyEntry } from '../../src/client/balance_steps.ts';
import { BlockTimes } from '../../src/client/block_times.ts';
import { secondsText } from '../../src/client/chain_time.ts';
import type { Client } from '../../src/client/index.ts';
import { operationShapes } from '../../src/client/method_shapes.ts';
import { plainValue } from '../../src/client/plain_values.ts';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import { readJsonText } from '../../src/codec/json_reader.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { assetText } from '../../src/values/asset.ts';
import { hourlyBlocks, makeTransaction, people, testKey, testParameters } from '../builders/chain.ts';
import { formSize } from '../builders/forms.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { RandomSource } from '../builders/random_source.ts';
import { sealByLabel } from '../builders/sealed_by_label.ts';
import { NodeOfMethods } from '../rpc/methods/node_of_methods.ts';

/** `PHAROS_TEST_SEEDS=50` runs more. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 3, long: 30 });
const BLOCKS = 150;
const MOST_OPERATIONS = 6;
const MOST_SLOTS_WAITED = 30;
const ALL = 1000;
const WHOLE_HISTORY = 9999;
const BUSY_PERCENT = 40;

const symbols = { coinSymbol: 'COIN', vestsSymbol: 'VESTS' };

/** The balances after a block, or at the genesis. */
interface Balances {
  readonly seconds: number;
  readonly of: ReadonlyMap<string, bigint>;
}

/** A chain of random operations, many of them escrows, with what each block has left to accounts. */
class Scene {
  readonly node: NodeOfMethods;
  readonly balances: Balances[] = [];
  readonly #source: RandomSource;
  readonly #labels = new Map([...people, 'initminer'].map((name) => [testKey(name), name]));
  readonly #times = new Map<number, string>();

  constructor(seed: number) {
    this.node = new NodeOfMethods({ parameters: testParameters(hourlyBlocks), isEmpty: true });
    this.#source = new RandomSource(seed);
    this.#note();
    for (let block = 0; block < BLOCKS; block++) {
      if (this.#source.chance(BUSY_PERCENT)) this.#send();
      sealByLabel(this.node.chain, this.#labels, MOST_SLOTS_WAITED);
      this.#note();
    }
  }

  /** The steps of an account's balance as people see them; undefined where the history does not tell all of them. */
  async steps(account: string): Promise<readonly BalanceStep[] | undefined> {
    const { parameters, chain } = this.node;
    const amount = present(this.balances.at(-1), 'balances').of.get(account) ?? 0n;
    const params = { account, start: -1, limit: WHOLE_HISTORY };
    const answer = await this.node.result('account_history_api.get_account_history', params);
    const shape = { history: [{ 1: { op: 'operation' } }] } as const;
    const json = readJsonText(JSON.stringify(answer));
    const history = historyEntries(plainValue(json, shape, { symbols, operations: await operationShapes() }));
    const { coinSymbol: coin } = parameters;
    const of = { account, coin, isFree: false };
    const now = secondsText(chain.head.time);
    const { steps, unknown } = countBack(assetText({ amount, symbol: coin }), history, of, now);
    return unknown === undefined ? await datedSteps(this.#client(), steps, new BlockTimes(() => 0)) : undefined;
  }

  /** Tells the times of blocks. */
  #client(): Client {
    const call = async (_: string, { block_num }: { readonly block_num: number }): Promise<object> =>
      await Promise.resolve({ timestamp: this.#times.get(block_num) });
    // Nothing but calls of one method is made of it.
    const client: Client = Object.assign(Object.create(null), { call });
    return client;
  }

  #note(): void {
    const { chain } = this.node;
    const rows = chain.committed.range(accounts.by_id, { limit: ALL });
    this.balances.push({ seconds: chain.head.time, of: new Map(rows.map(({ name, balance }) => [name, balance])) });
    this.#times.set(chain.head.number, secondsText(chain.head.time));
  }

  #send(): void {
    const { chain, parameters } = this.node;
    for (let left = this.#source.roll(MOST_OPERATIONS); left > 0; left--) {
      const maker = new RandomOperations(chain, this.#source, this.#labels);
      const { operation, signers } = maker.make(this.#source.chance(40) ? 'escrow_transfer' : maker.kind());
      const expiration = chain.head.time + 3600;
      catchRefusal(() => void chain.accept(makeTransaction(chain, parameters, [operation], signers, { expiration })));
    }
  }
}

function historyEntries(json: Json): readonly MoneyEntry[];
function historyEntries(json: Json): unknown {
  assert(isJsonObject(json) && Array.isArray(json['history']));
  return json['history'].map((numbered) => (Array.isArray(numbered) ? numbered[1] : undefined));
}

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`a balance that is counted back is what each block has left (seed ${seed})`, async () => {
    const scene = new Scene(seed);
    let compared = 0;
    for (const account of present(scene.balances.at(-1), 'balances').of.keys()) {
      const steps = await scene.steps(account);
      for (const { seconds, of } of steps === undefined ? [] : scene.balances) {
        const last = steps?.findLast((step) => step.seconds <= seconds);
        if (last === undefined) continue;
        assert.equal(last.millionths, of.get(account), `${account} at ${secondsText(seconds)}`);
        compared++;
      }
      for (const { millionths } of steps ?? []) assert(millionths >= 0n, `${account} has less than nothing`);
    }
    assert(compared > BLOCKS);
  });
}
