import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devAccounts, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { signTransfers } from '../../src/load_test/sign_transfers.ts';

function signedMemos(memo: string | undefined): string[] {
  const request = {
    profileName: 'default',
    chainId: '00'.repeat(32),
    referenceBlockId: '00'.repeat(20),
    expiration: 1000,
    fee: 0n,
    senders: devAccounts.map((name) => ({ name, secret: devSecret(name) })),
    firstAmount: 70n,
    ...(memo === undefined ? {} : { memo }),
    first: 0,
    count: 5,
    batch: 2,
  };
  const bodies = Array.from(signTransfers(request), ({ body }) => Buffer.from(body).toString());
  return bodies.flatMap((body) => Array.from(body.matchAll(/"memo":"([^"]*)"/g), ([, found = '']) => found));
}

test('a load writes its memo into every transfer, with another number in each where it asks for one', () => {
  assert.deepEqual(signedMemos(undefined), ['', '', '', '', '']);
  assert.deepEqual(signedMemos('rent'), ['rent', 'rent', 'rent', 'rent', 'rent']);
  assert.deepEqual(
    signedMemos('{number}: invoice {number}'),
    ['70', '71', '72', '73', '74'].map((number) => `${number}: invoice ${number}`),
  );
});
