import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { verifyTransactions } from '../../src/blocks/verify.ts';
import { packTransaction, signingDigest, type PackedTransaction } from '../../src/blocks/transaction.ts';
import { present } from '../../src/base/assert.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';

const chainId = 'ab'.repeat(32);
const names = ['alice', 'bob', 'carol'];
const keys = names.map((name) => Buffer.from(present(derivePublicKey(devSecret(name)), 'a key')).toString('hex'));
const NOT_A_POINT = `02${'ff'.repeat(32)}`;

function makeSigned(signers: readonly number[], number: number): PackedTransaction {
  const unsigned = {
    ref_block_num: 1,
    ref_block_prefix: 2,
    expiration: number,
    operations: [],
    extensions: [],
    signatures: [],
  };
  const digest = signingDigest(chainId, packTransaction(unsigned));
  const signatures = signers.map((signer) =>
    present(signWithSecret(digest, devSecret(names[signer] ?? '')), 'a signature'),
  );
  return packTransaction({ ...unsigned, signatures });
}

test('who signed is found out whatever is expected', () => {
  const signers = fc.array(fc.nat({ max: 2 }), { maxLength: 3 });
  const expectation = fc.option(fc.array(fc.constantFrom(...keys, NULL_KEY, NOT_A_POINT), { maxLength: 3 }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(signers, expectation), { minLength: 1, maxLength: 24 }), (cases) => {
      const packed = cases.map(([who], number) => makeSigned(who, number));
      const verified = verifyTransactions(chainId, packed, { expected: cases.map(([, some]) => some) });
      assert.deepEqual(
        verified.map((one) => one.signers),
        cases.map(([who]) => who.map((signer) => keys[signer])),
      );
    }),
    { numRuns: 40 },
  );
});

test('a signature that no key can have made has no signer', () => {
  const good = makeSigned([0], 1);
  const bad = packTransaction({ ...good.transaction, signatures: ['00'.repeat(65)] });
  assert.deepEqual(
    verifyTransactions(chainId, [bad, good], {
      expected: [[present(keys[0], 'a key')], [present(keys[0], 'a key')]],
    }).map(({ signers }) => signers),
    [[undefined], [keys[0]]],
  );
});
