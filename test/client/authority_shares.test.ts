import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorityShares } from '../../src/client/authority_shares.ts';

test('members share the width by their weights, the heaviest first, with the threshold among them', () => {
  const { shares, thresholdAt, total } = authorityShares({
    weight_threshold: 3,
    account_auths: [['bank', 2]],
    key_auths: [
      ['K1', 1],
      ['K2', 1],
    ],
  });
  assert.deepEqual(
    shares.map(({ name, isKey, from }) => [name, isKey, from]),
    [
      ['bank', false, 0],
      ['K1', true, 50],
      ['K2', true, 75],
    ],
  );
  assert.equal(thresholdAt, 75);
  assert.equal(total, 4);
  for (const { from, width } of shares) assert.ok(width > 0 && from + width <= 100);
});

test('a threshold that nobody reaches stands at the end, and an authority without a member has no width', () => {
  const weak = authorityShares({ weight_threshold: 4, account_auths: [], key_auths: [['K', 1]] });
  assert.equal(weak.thresholdAt, 100);
  assert.ok((weak.shares[0]?.width ?? 100) < 25);
  assert.deepEqual(authorityShares({ weight_threshold: 1, account_auths: [], key_auths: [] }).shares, []);
});
