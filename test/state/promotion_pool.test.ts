import assert from 'node:assert/strict';
import { test } from 'node:test';

import { availablePromotionPool } from '../../src/state/promotion_pool.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { Ledger } from '../builders/ledger.ts';

const { rows, parameters } = new Ledger({ names: [] });
const model = rows.only(economicModel);
const available = (blockNumber: number): bigint => availablePromotionPool(parameters, model, blockNumber);

test('the pool is released as the lineage releases it', () => {
  const recorded = { 0: 628n, 1: 57_705n, 2: 114_783n, 3: 171_861n, 28_800: 1_643_836_244n };
  for (const [block, amount] of Object.entries(recorded)) assert.equal(available(Number(block)), amount);
});

test('all of it is free from the last block of the coinbase years on; in the lineage nothing is after it', () => {
  const { parameters: lineage } = new Ledger({ names: [], rules: 'lineage' });
  for (const number of [parameters.coinbaseBlocks, parameters.coinbaseBlocks + 1, 2 ** 32 - 1])
    assert.equal(available(number), model.promotion_pool);
  assert.equal(availablePromotionPool(lineage, model, lineage.coinbaseBlocks), model.promotion_pool);
  assert.equal(availablePromotionPool(lineage, model, lineage.coinbaseBlocks + 1), 0n);
});

test('fees that were booked are available at once', () => {
  const withFees = { ...model, promotion_pool: model.promotion_pool + 900n };
  assert.equal(availablePromotionPool(parameters, withFees, 1), 57_705n + 900n);
});
