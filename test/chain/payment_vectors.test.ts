import assert from 'node:assert/strict';
import { test } from 'node:test';

import { payInterest } from '../../src/chain/apply/interest.ts';
import { payProducer } from '../../src/chain/apply/producer_reward.ts';
import { payFee } from '../../src/state/fees.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { scheduledBy, witnesses } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import type { Ledger } from '../builders/ledger.ts';
import { witnessLedger, getWitness } from '../builders/witnesses.ts';

// Vectors of the lineage's chain, on the numbers of the default genesis.
const DELAY = 28_800;

function atBlock(ledger: Ledger, head_block_number: number): void {
  ledger.change(({ rows }) =>
    rows.put(dynamicGlobalProperties, { ...rows.only(dynamicGlobalProperties), head_block_number }),
  );
}

test('a fee is split into burnt, mining, promotion and interest, each rounded down in this order', () => {
  for (const [fee, ...parts] of [
    [10_000n, 1000n, 2250n, 900n, 5850n],
    [100_000n, 10_000n, 22_500n, 9000n, 58_500n],
    [12_345n, 1234n, 2777n, 1111n, 7223n],
    [7n, 0n, 1n, 0n, 6n],
  ] as const) {
    const ledger = witnessLedger([]);
    const before = ledger.rows.only(economicModel);
    ledger.change((state) => payFee(state, 'alice', fee));
    const after = ledger.rows.only(economicModel);
    const grown = (['burn_pool', 'mining_pool_from_fees', 'promotion_pool', 'interest_pool_from_fees'] as const).map(
      (pool) => after[pool] - before[pool],
    );
    assert.deepEqual(grown, parts);
  }
});

test('a producer gets by how the round was filled: elected witnesses once, those whose turn came three times', () => {
  const header = {
    previous: ZERO_HASH160,
    timestamp: 0,
    witness: 'initminer',
    transaction_merkle_root: ZERO_HASH160,
    extensions: [],
    witness_signature: '',
  };
  for (const [elected, timeshare, byVotes, byTime] of [
    [1, 0, 142_694n, 142_694n * 3n],
    [10, 4, 90_805n, 272_415n],
    [47, 4, 123_345n, 370_036n],
    [51, 0, 142_694n, 142_694n * 3n],
  ] as const) {
    for (const [mark, reward] of [
      [scheduledBy.votes, byVotes],
      [scheduledBy.time, byTime],
    ] as const) {
      const ledger = witnessLedger([]);
      atBlock(ledger, DELAY + 1);
      const top19_weight = elected + timeshare;
      const weights = {
        top19_weight,
        timeshare_weight: 3 * top19_weight,
        witness_pay_normalization_factor: elected + 3 * timeshare,
      };
      ledger.change(({ rows }) => {
        rows.put(witnessSchedule, { ...rows.only(witnessSchedule), ...weights });
        rows.put(witnesses, { ...getWitness(ledger, 'initminer'), schedule: mark });
      });
      ledger.change((state) => payProducer(state, header));
      assert.equal(ledger.account('initminer').vesting_shares, reward, `${elected} + ${timeshare}`);
    }
  }
});

test('a thousand coins that lie for a whole period earn 2544 millionths, and nothing within the first day', () => {
  const period = 2400n;
  const supply = 350_000_000_000_000n;
  for (const [head, interest] of [
    [DELAY, 0n],
    [DELAY + 2400, 2544n],
  ] as const) {
    const ledger = witnessLedger([]);
    ledger.changeAccount('alice', {
      balance: 1_000_000_000n,
      holdings_considered_for_interests: 1_000_000_000n * period,
    });
    ledger.change(({ rows }) =>
      rows.put(economicModel, { ...rows.only(economicModel), accumulated_supply: supply * period }),
    );
    // alice has id 0, so it is her turn in every 2400th block.
    atBlock(ledger, head);
    ledger.change((state) => payInterest(state));
    assert.equal(ledger.account('alice').balance, 1_000_000_000n + interest);
    assert.equal(ledger.account('alice').holdings_considered_for_interests, (1_000_000_000n + interest) * period);
    assert.equal(ledger.rows.get(accounts, 'bob')?.holdings_considered_for_interests, 0n);
  }
});
