import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { verifyTransaction } from '../../src/blocks/verify.ts';
import { canonicalRule, requireSigners, signatureRules } from '../../src/blocks/signature_form.ts';
import { signWithSecret, signTransaction } from '../../src/blocks/sign_transaction.ts';
import { packTransaction, signingDigest, type SignedTransaction } from '../../src/blocks/transaction.ts';
import type { CanonicalRule } from '../../src/crypto/canonical.ts';
import { testKey, openChain, people, produce, testSecret, testParameters } from '../builders/chain.ts';

const chainId = 'ab'.repeat(32);
const unsigned = (expiration: number): SignedTransaction => ({
  ref_block_num: 1,
  ref_block_prefix: 2,
  expiration,
  operations: [],
  extensions: [],
  signatures: [],
});
const rounds = { numRuns: 40 };
const signers = fc.array(fc.constantFrom(...people), { minLength: 1, maxLength: 6 });
const expirations = fc.nat({ max: 2 ** 32 - 1 });

function signed(
  id: string,
  transaction: SignedTransaction,
  names: readonly string[],
  rule?: CanonicalRule,
): SignedTransaction {
  return present(signTransaction(id, transaction, names.map(testSecret), rule), 'a signed transaction');
}

/** The signing keys, whatever the order. */
const sortedKeys = (names: readonly string[]): string[] => [...new Set(names.map(testKey))].toSorted();

test('what is signed by anybody in any order, some of them twice, has a form that every chain takes', () => {
  fc.assert(
    fc.property(signers, expirations, (names, expiration) => {
      const verified = verifyTransaction(chainId, packTransaction(signed(chainId, unsigned(expiration), names)));
      for (const rule of Object.values(signatureRules))
        assert.deepEqual(requireSigners(rule, verified).toSorted(), sortedKeys(names));
    }),
    rounds,
  );
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`a chain of the rule set ${rules} takes what was signed, before and behind its hardforks`, () => {
    const parameters = testParameters({}, rules);
    const chain = openChain(parameters);
    for (let block = 0; block < 4; block++) {
      fc.assert(
        fc.property(signers, expirations, (names, expiration) => {
          const transaction = signed(parameters.chainId, unsigned(expiration), names);
          const verified = verifyTransaction(parameters.chainId, packTransaction(transaction));
          assert.deepEqual(
            requireSigners(canonicalRule(chain.committed, parameters), verified).toSorted(),
            sortedKeys(names),
          );
        }),
        { numRuns: 10 },
      );
      produce(chain);
    }
  });
}

test('who signs behind others adds to what they signed, and comes to the same', () => {
  fc.assert(
    fc.property(signers, signers, expirations, (first, second, expiration) => {
      const transaction = unsigned(expiration);
      const together = signed(chainId, transaction, [...first, ...second]);
      assert.deepEqual(signed(chainId, signed(chainId, transaction, second), first), together);
    }),
    rounds,
  );
});

test('a chain that asks for less is given what meets its own rule', () => {
  fc.assert(
    fc.property(signers, expirations, (names, expiration) => {
      const transaction = signed(chainId, unsigned(expiration), names, signatureRules.one);
      const verified = verifyTransaction(chainId, packTransaction(transaction));
      assert.deepEqual(requireSigners(signatureRules.one, verified).toSorted(), sortedKeys(names));
    }),
    rounds,
  );
});

test('another chain sees other signers', () => {
  const transaction = signed(chainId, unsigned(1), ['alice']);
  assert.notDeepEqual(verifyTransaction('cd'.repeat(32), packTransaction(transaction)).signers, [testKey('alice')]);
});

test('bytes that are no private key sign nothing, and nobody else signs beside them', () => {
  for (const secret of [new Uint8Array(32), new Uint8Array(32).fill(255)]) {
    assert.equal(signWithSecret(signingDigest(chainId, packTransaction(unsigned(1))), secret), undefined);
    assert.equal(signTransaction(chainId, unsigned(1), [testSecret('alice'), secret]), undefined);
  }
});
