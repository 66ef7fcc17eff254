import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signTransaction } from '../../src/blocks/sign_transaction.ts';
import { packTransaction, type PackedTransaction } from '../../src/blocks/transaction.ts';
import { present } from '../../src/base/assert.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { QUARANTINED, TRUSTED, UNKNOWN } from '../../src/crypto/sender_reputation.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { SignatureBatchVerifier } from '../../src/verifiers/signature_batch.ts';

const chainId = 'ab'.repeat(32);
const devKey = (name: string): string =>
  Buffer.from(present(derivePublicKey(devSecret(name)), 'a key')).toString('hex');
const [alice, bob] = [devKey('alice'), devKey('bob')];

interface SignedItem {
  readonly packed: PackedTransaction;
  readonly senderId: number;
  readonly expected: string | undefined;
  /** Others could have signed, too. */
  readonly isGuess?: boolean;
}

/** Returns the signer of each, first signatures only. */
function verify(verifier: SignatureBatchVerifier, batch: readonly SignedItem[]): (string | undefined)[] {
  const signers = verifier.verify({
    transactions: batch.map(({ packed }) => packed),
    senderIds: batch.map(({ senderId }) => senderId),
    expected: batch.map(({ expected, isGuess = false }) =>
      expected === undefined ? undefined : { keys: [expected], isCertain: !isGuess },
    ),
  });
  return signers.map(([signer]) => signer);
}

/** Signed by alice, whoever is expected. */
function claim(senderId: number, number: number, expected: string | undefined = alice): SignedItem {
  const unsigned = {
    ref_block_num: 1,
    ref_block_prefix: 2,
    expiration: number,
    operations: [],
    extensions: [],
    signatures: [],
  };
  const signed = present(signTransaction(chainId, unsigned, [devSecret('alice')]), 'a signature');
  return { packed: packTransaction(signed), senderId, expected };
}

const honest = Array.from({ length: 64 }, (_, number) => claim(1, number));

function withTrust(): SignatureBatchVerifier {
  const verifier = new SignatureBatchVerifier(chainId);
  for (let batch = 0; batch < 1024 / honest.length; batch++) verify(verifier, honest);
  return verifier;
}

test('a sender that was right for long is trusted, and stays so beside one that sends wrong signatures', () => {
  const verifier = withTrust();
  assert.equal(verifier.senderGroup(1), TRUSTED);
  const verified = verify(verifier, [...honest, claim(2, 100, bob), claim(3, 101)]);
  assert.deepEqual([verifier.senderGroup(1), verifier.senderGroup(2)], [TRUSTED, QUARANTINED]);
  assert.ok(
    verified.every((signer) => signer === alice),
    'and everybody learns who signed in truth',
  );
});

test('when many newcomers are wrong, newcomers are recovered one by one for some batches, and then no more', () => {
  const verifier = withTrust();
  verify(
    verifier,
    Array.from({ length: 10 }, (_, number) => claim(10 + number, number, bob)),
  );
  assert.deepEqual([verifier.senderGroup(99), verifier.senderGroup(1)], [QUARANTINED, TRUSTED]);
  for (let batch = 0; batch < 8; batch++) verify(verifier, [claim(1, 1)]);
  assert.equal(verifier.senderGroup(99), UNKNOWN);
});

test('a sender for whom no key was expected has done nothing wrong', () => {
  const verifier = new SignatureBatchVerifier(chainId);
  verify(verifier, [{ ...claim(4, 1), expected: undefined }]);
  assert.equal(verifier.senderGroup(4), UNKNOWN);
});

test("a guess that was wrong is nobody's fault: neither its sender nor the newcomers pay for it", () => {
  const verifier = withTrust();
  const guesses = Array.from({ length: 40 }, (_, number) => ({ ...claim(1, number, bob), isGuess: true }));
  const signers = verify(verifier, guesses);
  assert.ok(signers.every((signer) => signer === alice));
  assert.deepEqual([verifier.senderGroup(1), verifier.senderGroup(99)], [TRUSTED, UNKNOWN]);
});
