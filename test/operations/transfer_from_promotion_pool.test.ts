import assert from 'node:assert/strict';
import { test } from 'node:test';

import { promotionPoolWithdraw } from '../../src/operations/virtual/promotion_pool_withdraw.ts';
import { transferFromPromotionPool } from '../../src/operations/transfer_from_promotion_pool.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = { fee: coins(0n), transfer_to: 'alice', amount: coins(1000n), extensions: [] };
const exhausted = { code: 'pool_exhausted', text: 'Insufficient funds in the promotion pool' };
const AVAILABLE = 57_705n; // after block 1, as recorded

function takeAllBut(ledger: Ledger, left: bigint): void {
  ledger.change(({ rows }) => {
    const model = rows.only(economicModel);
    rows.put(economicModel, { ...model, promotion_pool: model.promotion_pool - AVAILABLE + left });
  });
}

testRefusals({
  kind: transferFromPromotionPool,
  build: () => new Ledger(),
  good,
  faults: [
    { code: 'amount_not_positive', text: 'an amount above 0 expected, got 0.000000 COIN', body: { amount: coins(0n) } },
    { code: 'unknown_key', text: 'unknown key', body: { transfer_to: 'nobody' } },
    {
      code: 'invalid_symbol',
      text: 'an amount in COIN expected, which is what the promotion pool holds, got 0.000001 VESTS',
      body: { amount: { amount: 1n, symbol: 'VESTS' } },
    },
    { ...exhausted, given: (ledger) => takeAllBut(ledger, 0n) },
  ],
});

test('what is paid leaves the pool and enters the supply', () => {
  const ledger = new Ledger();
  const supply = ledger.supply();
  const pool = ledger.rows.only(economicModel).promotion_pool;
  ledger.apply(transferFromPromotionPool.of(good));
  assert.equal(ledger.account('alice').balance, FUNDS + 1000n);
  assert.equal(ledger.supply(), supply + 1000n);
  assert.equal(ledger.rows.only(economicModel).promotion_pool, pool - 1000n);
  assert.deepEqual(ledger.events, [promotionPoolWithdraw.of({ to_account: 'alice', withdrawn: coins(1000n) })]);
});

test('who asks for more than is available gets what there is', () => {
  const ledger = new Ledger();
  ledger.apply(transferFromPromotionPool.of({ ...good, amount: coins(AVAILABLE + 1n) }));
  assert.equal(ledger.account('alice').balance, FUNDS + AVAILABLE);
  assertRefused(ledger, transferFromPromotionPool.of(good), exhausted);
});

test('the last unit that is available can be taken', () => {
  const ledger = new Ledger();
  takeAllBut(ledger, 1n);
  ledger.apply(transferFromPromotionPool.of(good));
  assert.equal(ledger.account('alice').balance, FUNDS + 1n);
});

test('nothing is available while the pool is below its locked part, nor in the lineage after the coinbase years', () => {
  const below = new Ledger();
  takeAllBut(below, -1n);
  assertRefused(below, transferFromPromotionPool.of(good), exhausted);
  const after = new Ledger({ rules: 'lineage' });
  after.change(({ rows, parameters }) => {
    rows.put(dynamicGlobalProperties, {
      ...rows.only(dynamicGlobalProperties),
      head_block_number: parameters.coinbaseBlocks + 1,
    });
  });
  assertRefused(after, transferFromPromotionPool.of(good), exhausted);
});

test('the promotion pool is not available in private nets', () => {
  const ledger = new Ledger({ isPrivateNet: true });
  assertRefused(ledger, transferFromPromotionPool.of(good), {
    code: 'not_in_private_nets',
    text: 'This operation is not available in private nets',
  });
});
