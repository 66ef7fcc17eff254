import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BLOCKS } from '../../../src/blocks/finality/block_range.ts';
import { GrowingRange, type BinaryDigest } from '../../builders/growing_range.ts';
import { RangeGrowth } from '../../../src/chain/ledger/range_growth.ts';
import { sha256Binary } from '../../../src/crypto/hashes.ts';
import { RandomSource } from '../../builders/random_source.ts';

test('blocks added in groups of any size make the nodes and peaks that they make one by one', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = new RandomSource(seed);
    let growth = new RangeGrowth(NO_BLOCKS);
    const oneByOne = new GrowingRange(NO_BLOCKS);
    while (growth.count < 1_500) {
      const before = growth.count;
      const headers = Array.from({ length: 1 + random.roll(random.chance(20) ? 300 : 9) }, (_, index) =>
        Buffer.from(`header ${seed} ${before + index}`.repeat(1 + random.roll(12))),
      );
      const completed: BinaryDigest[] = [];
      for (const header of headers) oneByOne.add(sha256Binary(header), completed);
      assert.equal(Buffer.from(growth.add(headers)).toString('latin1'), completed.join(''), `seed ${seed}`);
      assert.deepEqual(growth.range, oneByOne.range);
      if (random.chance(20)) growth = new RangeGrowth(growth.range);
    }
  }
});
