import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { verifyTransactions } from '../../src/blocks/verify.ts';
import {
  packTransaction,
  signingDigest,
  type PackedTransaction,
  type VerifiedTransaction,
} from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { isFcCanonical, isLowS } from '../../src/crypto/canonical.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { operationCodec } from '../../src/operations/index.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { NULL_KEY, publicKeyText } from '../../src/values/public_key.ts';
import { encoding, openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { ORDER, packSignature, signatureOfNobody, withOtherS } from '../builders/chosen_signatures.ts';
import { forgedBlock } from '../builders/forged_block.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

interface Setting {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
}

/** A chain on which Alice's account is deleted. */
function withoutAlice(rules: RuleSet): Setting {
  const parameters = testParameters({}, rules);
  const chain = openChain(parameters);
  produce(chain);
  chain.accept(
    makeTransaction(chain, parameters, [['account_delete', { fee: '0.000000 COIN', account: 'alice' }]], ['alice']),
  );
  produce(chain);
  return { chain, parameters };
}

/** A transaction of Alice with the signature that is made for its digest. */
function signedAs(
  { chain, parameters }: Setting,
  memo: string,
  signatureOfDigest: (digest: Uint8Array) => Uint8Array,
  operation: Json = transferJson('alice', 'bob', 1, memo),
): PackedTransaction {
  const { id, time } = chain.head;
  const operations = [operationCodec.fromJson(operation, encoding)];
  const unsigned = { ...blockReference(id), expiration: time + 60, operations, extensions: [] };
  const digest = signingDigest(parameters.chainId, packTransaction({ ...unsigned, signatures: [] }));
  return packTransaction({ ...unsigned, signatures: [hex(signatureOfDigest(digest))] });
}

/** Signatures by which recovery comes out at infinity or nowhere, or at a key that nobody chose. */
const attempts: readonly ((digest: Uint8Array) => Uint8Array)[] = [
  ...Array.from(
    { length: 24 },
    (_, nonce) => (digest: Uint8Array) => canonical(signatureOfNobody(digest, BigInt(nonce + 1))),
  ),
  () => packSignature(0, 1n, 1n),
  () => packSignature(1, 1n, ORDER >> 1n),
  () => packSignature(0, 0n, 1n),
  () => packSignature(0, 1n, 0n),
  () => packSignature(0, ORDER, 1n),
  () => packSignature(0, 5n, 1n),
  () => packSignature(2, 2n, 2n),
  () => new Uint8Array(65),
  () => new Uint8Array(65).fill(31, 0, 1),
];

function canonical(signature: Uint8Array): Uint8Array {
  return isLowS(signature) ? signature : withOtherS(signature);
}

function refusalText(act: () => unknown): string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.code;
  }
}

const NO_SIGNER = /^(?:missing_\w+_authority|signature_without_key|signature_not_canonical)$/;

for (const rules of ['interface', 'lineage'] as const) {
  test(`${rules}: nobody can sign for a deleted account, whatever the signature and whoever is expected`, () => {
    const setting = withoutAlice(rules);
    const { chain, parameters } = setting;
    const forged = attempts.map((signatureOfDigest, index) => signedAs(setting, `${index}`, signatureOfDigest));
    const honest = Array.from({ length: 12 }, (_, index) =>
      makeTransaction(chain, parameters, [transferJson('bob', 'carol', 1, `${index}`)], ['bob']),
    );
    const bobs = present(honest[0]?.signers[0], 'the key of bob');
    const expected = [...forged.map(() => [NULL_KEY]), ...honest.map(() => [bobs])];
    const verified = verifyTransactions(parameters.chainId, [...forged, ...honest], { expected });
    for (const [index, one] of verified.entries()) {
      assert.ok(!one.signers.includes(NULL_KEY));
      const outcome = refusalText(() => chain.accept(one));
      if (index < forged.length) assert.match(outcome, NO_SIGNER, `${index}`);
      else assert.equal(outcome, 'accepted');
    }
  });

  test(`${rules}: a signer of zeros is none, for accounts, spelt-out keys and witnesses`, () => {
    const setting = withoutAlice(rules);
    const byNobody = (packed: PackedTransaction): VerifiedTransaction => ({ ...packed, signers: [NULL_KEY] });
    const wellFormed = (digest: Uint8Array): Uint8Array => canonical(signatureOfNobody(digest, 3n));
    const keyOfNobody = {
      weight_threshold: 1,
      account_auths: [],
      key_auths: [[publicKeyText(NULL_KEY, encoding.keyPrefix), 1]],
    };
    const operations: Json[] = [
      transferJson('alice', 'bob', 1),
      ['account_delete', { fee: '0.000000 COIN', account: 'alice' }],
      [
        'witness_set_properties',
        { fee: '0.000000 COIN', owner: 'initminer', props: [['key', NULL_KEY]], extensions: [] },
      ],
      [
        'recover_account',
        {
          fee: '0.000000 COIN',
          account_to_recover: 'alice',
          new_owner_authority: { ...keyOfNobody, weight_threshold: 1 },
          recent_owner_authority: { ...keyOfNobody, account_auths: [['bob', 1]] },
          extensions: [],
        },
      ],
    ];
    for (const operation of operations) {
      const transaction = byNobody(signedAs(setting, '', wellFormed, operation));
      assert.match(
        refusalText(() => setting.chain.accept(transaction)),
        NO_SIGNER,
      );
      assert.match(
        refusalText(() => setting.chain.push(forgedBlock(setting.chain, { transactions: [transaction] }))),
        NO_SIGNER,
      );
    }
    assert.equal(
      refusalText(() => setting.chain.push({ ...forgedBlock(setting.chain), signer: NULL_KEY })),
      'signature_without_key',
    );
  });
}

test('the attempts are of forms that the chain takes, so that it is the key that is missing', () => {
  const digest = new Uint8Array(32).fill(7);
  const forms = attempts.slice(0, 24).map((signatureOfDigest) => signatureOfDigest(digest));
  assert.ok(forms.every((signature) => isLowS(signature)));
  assert.ok(forms.some((signature) => isFcCanonical(signature)));
  assert.equal(derivePublicKey(new Uint8Array(32)), undefined);
});
