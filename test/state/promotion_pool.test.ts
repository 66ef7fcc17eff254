import assert from 'node:assert/strict';
import { test } from 'node:test';

import { availablePromotionPool } from '../../src/state/promotion_pool.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { Ledger } from '../builders/ledger.ts';

const { rows, parameters } = new Ledger({ names: [] });
const model = rows.only(economicModel);
const available = (blockNumber: number): bigint => availablePromotionPool(parameters, model, blockNumber);

test('the pool is released as the original releases it', () => {
  const recorded = { 0: 628n, 1: 57_705n, 2: 114_783n, 3: 171_861n, 28_800: 1_643_836_244n };
  for (const [block, amount] of Object.entries(recorded)) assert.equal(available(Number(block)), amount);
});

test('all of it is released with the last block of the coinbase years, and nothing after it', () => {
  assert.equal(available(parameters.coinbaseBlocks), model.promotion_pool);
  assert.equal(available(parameters.coinbaseBlocks + 1), 0n);
});

test('fees that were booked are available at once', () => {
  const withFees = { ...model, promotion_pool: model.promotion_pool + 900n };
  assert.equal(availablePromotionPool(parameters, withFees, 1), 57_705n + 900n);
});
